"""`/v1/ask`: a question in, an Answer out, whole or step by step."""

import json
from collections.abc import Iterator
from typing import Any

from fastapi import APIRouter
from fastapi.responses import StreamingResponse
from pydantic import Field
from starlette.concurrency import iterate_in_threadpool

from assistant.agent import Advisor, Step
from assistant.answer import Answer
from kb.base import AdvisorError, Frozen
from ui.metrics import counted
from ui.turn import steps

EXAMPLE = "Can 4×3090 run Qwen2.5-72B?"
NOT_CACHED = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Events `understood`, `tool`, `result`, …, and last `answer` or `error`; each with JSON data.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}


class Question(Frozen):
    """A question, in any language; Chinese and English are answered in kind."""

    question: str = Field(max_length=100_000, examples=[EXAMPLE])
    """What is asked."""
    conversation_id: str | None = Field(default=None, max_length=128)
    """To continue a conversation; a new one begins without it."""


def router(advisor: Advisor) -> APIRouter:
    """The two ways to ask."""
    routes = APIRouter(prefix="/v1", tags=["questions"])

    @routes.post("/ask", summary="Answer a question")
    def ask(body: Question) -> Answer:
        return counted(advisor.ask(body.question, body.conversation_id), "rest")

    @routes.post(
        "/ask/stream",
        summary="Answer a question, step by step",
        response_class=StreamingResponse,
        responses=EVENTS,
    )
    def ask_stream(body: Question) -> StreamingResponse:
        """Server-sent events. The turn is finished and kept even when the listener leaves."""
        events = iterate_in_threadpool(_events(advisor, body))
        return StreamingResponse(events, media_type="text/event-stream", headers=NOT_CACHED)

    return routes


def _events(advisor: Advisor, body: Question) -> Iterator[str]:
    try:
        for step in steps(advisor, body.question, body.conversation_id, face="rest"):
            yield event(step.kind, _data(step))
    except AdvisorError as error:
        yield event("error", error.data())


def _data(step: Step) -> dict[str, Any]:
    if step.answer is not None:
        return step.answer.model_dump(mode="json")
    return {"name": step.name, "data": step.data}


def event(kind: str, data: dict[str, Any]) -> str:
    """One server-sent event."""
    return f"event: {kind}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
