"""The REST application over one advisor; the chat page and MCP stand beside it in `ui.serving.site`."""

from collections.abc import Collection
from typing import Any

from fastapi import FastAPI
from starlette.exceptions import HTTPException

from assistant.agent import Advisor
from ui.api import (
    catalog,
    chat_completions,
    check,
    conversations,
    documentation,
    feedback,
    knowledge,
    questions,
    state,
    tools,
)
from ui.entrance import problem
from ui.entrance.limits import Bounded
from ui.serving.metrics import Measured
from ui.serving.repeated import Repeated
from ui.serving.straight import Straight

DESCRIPTION = """Which GPU hardware a workload needs, with the arithmetic and the sources.

Ask in Chinese or English, or call the tools directly. Quantities are SI base units with the unit in the field's name;
`null` means not stated. Every refusal is a problem document (RFC 9457) that names the field and the remedy."""

KEYS = "A key of `gpu-advisor keys create`; asked for only where the service is set to (GPU_ADVISOR_AUTH=keys)."


def create_app(advisor: Advisor, *, open_to_uploads: bool = True, bounded: Collection[str] = ()) -> FastAPI:
    """The REST application over one advisor; documents are taken over the web only where `open_to_uploads`.

    How many may ask at once is bounded here, other than at the paths that are `bounded` by who stands before.
    """
    app = FastAPI(title="GPU Advisor", version="1", description=DESCRIPTION, docs_url=None, redoc_url=None)
    problem.install(app)
    app.add_middleware(Straight, advisor=advisor)
    app.add_middleware(Repeated)
    app.add_middleware(Bounded, beside=bounded)
    app.add_middleware(Measured)
    routers = (
        questions.router(advisor),
        tools.router(),
        check.router(),
        catalog.router(),
        chat_completions.router(advisor),
        conversations.router(advisor),
        feedback.router(advisor),
        knowledge.router(open_to_uploads=open_to_uploads),
        state.router(advisor),
        documentation.router(),
    )
    for router in routers:
        app.include_router(router)

    @app.get("/v1/{rest:path}", include_in_schema=False)
    def nowhere(rest: str) -> None:
        raise HTTPException(404, "No such address. GET /openapi.json or open /docs for those there are.")

    openapi = app.openapi

    def with_keys() -> dict[str, Any]:
        spec = openapi()
        spec["components"]["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer", "description": KEYS}}
        spec["security"] = [{}, {"key": []}]
        return spec

    app.openapi = with_keys  # type: ignore[method-assign]
    return app
