"""REST: questions, tools and the catalog over HTTP, documented at /docs."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from fastapi import APIRouter, FastAPI, Query
from fastapi.responses import PlainTextResponse, StreamingResponse
from pydantic import Field
from starlette.concurrency import iterate_in_threadpool

from assistant.agent import Advisor, Step
from assistant.answer import Answer
from kb.base import AdvisorError, Frozen, UnknownName
from kb.catalog import gpu as find_gpu
from kb.catalog import gpus, models, offers, servers
from kb.names import close_names
from tools.registry import Tool, tools
from ui import problem
from ui.limits import BodyLimit

EXAMPLE = "Can 4×3090 run Qwen2.5-72B?"
KINDS: dict[str, Callable[[], list[Frozen]]] = {
    "gpus": lambda: list(gpus().values()),
    "models": lambda: list(models().values()),
    "servers": lambda: list(servers().values()),
    "offers": lambda: list(offers()),
}


class Question(Frozen):
    """A question, in any language; Chinese and English are answered in kind."""

    question: str = Field(max_length=100_000, examples=[EXAMPLE])
    """What is asked."""
    conversation_id: str | None = Field(default=None, max_length=128)
    """To continue a conversation; a new one begins without it."""


class ToolInfo(Frozen):
    """A tool and its fields."""

    name: str
    description: str
    request_schema: dict[str, Any]


def create_app(advisor: Advisor) -> FastAPI:
    """The REST application over one advisor; the chat page and MCP are mounted on it by `ui.serve`."""
    app = FastAPI(
        title="GPU Advisor",
        version="1",
        description="Which GPU hardware a workload needs, with the arithmetic and the sources.",
        docs_url=None,
        redoc_url=None,
    )
    problem.install(app)
    app.add_middleware(BodyLimit)
    app.include_router(_questions(advisor))
    app.include_router(_tools())
    app.include_router(_catalog())
    app.include_router(_state(advisor))
    return app


def _questions(advisor: Advisor) -> APIRouter:
    router = APIRouter(prefix="/v1", tags=["questions"])

    @router.post("/ask", summary="Answer a question")
    def ask(body: Question) -> Answer:
        return advisor.ask(body.question, body.conversation_id)

    @router.post("/ask/stream", summary="Answer a question, step by step (server-sent events)")
    def ask_stream(body: Question) -> StreamingResponse:
        events = iterate_in_threadpool(_events(advisor, body))
        return StreamingResponse(events, media_type="text/event-stream", headers={"Cache-Control": "no-store"})

    return router


def _events(advisor: Advisor, body: Question) -> Iterator[str]:
    """`understood`, `tool`, `result` … and last `answer` or `error`, each with JSON data."""
    try:
        for step in advisor.stream(body.question, body.conversation_id):
            yield _event(step)
    except AdvisorError as error:
        yield f"event: error\ndata: {json.dumps(error.data(), ensure_ascii=False)}\n\n"


def _event(step: Step) -> str:
    data: Any = step.answer.model_dump(mode="json") if step.answer else {"name": step.name, "data": step.data}
    return f"event: {step.kind}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"


def _tools() -> APIRouter:
    router = APIRouter(prefix="/v1/tools", tags=["tools"])

    @router.get("", summary="The tools and their fields")
    def listing() -> list[ToolInfo]:
        return [
            ToolInfo(name=tool.name, description=tool.description, request_schema=tool.request.model_json_schema())
            for tool in tools().values()
        ]

    for tool in tools().values():
        _add(router, tool)
    return router


def _add(router: APIRouter, tool: Tool) -> None:
    router.add_api_route(
        f"/{tool.name}",
        tool.run,
        methods=["POST"],
        response_model=tool.result,
        summary=tool.description.splitlines()[0],
        description=tool.description,
        name=tool.name,
    )


def _catalog() -> APIRouter:
    router = APIRouter(prefix="/v1/catalog", tags=["catalog"])

    @router.get("/gpus/{name}", summary="One GPU by id, name or alias")
    def one_gpu(name: str) -> dict[str, Any]:
        return find_gpu(name).model_dump(mode="json")

    @router.get("/{kind}", summary="Rows of the catalog: gpus, models, servers or offers")
    def rows(
        kind: str,
        q: str | None = Query(default=None, max_length=100, description="only rows that contain this text"),
        limit: int = Query(default=100, ge=1, le=1000),
        offset: int = Query(default=0, ge=0, le=100_000),
    ) -> dict[str, Any]:
        if kind not in KINDS:
            raise UnknownName("catalog", kind, close_names(kind, list(KINDS)) or list(KINDS))
        found = [row.model_dump(mode="json") for row in KINDS[kind]()]
        if q:
            found = [row for row in found if q.lower() in json.dumps(row, ensure_ascii=False).lower()]
        return {"total": len(found), "rows": found[offset : offset + limit]}

    return router


def _state(advisor: Advisor) -> APIRouter:
    router = APIRouter(tags=["state"])

    @router.get("/healthz", summary="The process is alive")
    def healthz() -> dict[str, str]:
        return {"status": "ok"}

    @router.get("/readyz", summary="Questions can be answered, and from how many documents")
    def readyz() -> dict[str, Any]:
        from ingest.sync import status

        return {"status": "ready", "engine": advisor.engine, "index": status(), "gpus": len(gpus()), "models": len(models())}

    @router.get("/metrics", response_class=PlainTextResponse, summary="Prometheus metrics")
    def metrics() -> PlainTextResponse:
        from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

        return PlainTextResponse(generate_latest().decode(), media_type=CONTENT_TYPE_LATEST)

    return router
