"""`/v1/ask`: a question in, an Answer out, whole or step by step."""

import json
from collections.abc import Iterator
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import Field, model_validator
from starlette.concurrency import iterate_in_threadpool

from assistant.agent import Advisor, Step
from assistant.answer import Answer
from assistant.conversations import Receipt
from assistant.reading.annotation import Annotation
from kb.base import AdvisorError, Frozen
from ui.entrance.access import spend
from ui.serving.metrics import counted
from ui.serving.turn import steps

EXAMPLE = "Can 4×3090 run Qwen2.5-72B?"
MOST_QUESTIONS, MOST_TURNS = 20, 20
IdempotencyKey = Annotated[
    str | None,
    Header(
        pattern=r"^[\x21-\x7e]{1,200}$",
        description="Any letters of your own choosing, e.g. a UUID: the request can then be sent again safely.",
    ),
]
PATIENCE_S = 0.35
"""A question that would wait longer in line is refused at once, so that those taken end within a second."""
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


class Message(Frozen):
    """A message to be marked up."""

    message: str = Field(max_length=100_000, examples=[EXAMPLE])
    """What a person wrote."""
    conversation_id: str | None = Field(default=None, max_length=128)
    """Of which it is the next turn."""


class Asked(Frozen):
    """One line of a batch: a question, or the turns of a conversation."""

    id: str | int | None = None
    """Comes back with the answer."""
    question: str | None = Field(default=None, max_length=100_000, examples=[EXAMPLE])
    turns: tuple[Annotated[str, Field(max_length=100_000)], ...] | None = Field(
        default=None, min_length=1, max_length=MOST_TURNS
    )
    """Questions that follow each other; the answer is the last, `turn_answers` holds all."""

    @model_validator(mode="after")
    def _one_of_both(self) -> "Asked":
        if (self.question is None) == (self.turns is None):
            raise ValueError("give either question or turns")
        return self

    def in_turn(self) -> tuple[str, ...]:
        """What is asked, one after the other."""
        return self.turns or (self.question or "",)


class Questions(Frozen):
    """Several questions, answered in order."""

    questions: tuple[Asked, ...] = Field(
        min_length=1, max_length=MOST_QUESTIONS, examples=[[{"id": 1, "question": EXAMPLE}]]
    )


class Answers(Frozen):
    """One entry a question, in order: `{id, answer}`, for turns also `turn_answers`, or `{id, error}`."""

    results: list[dict[str, Any]]


def router(advisor: Advisor) -> APIRouter:
    """The ways to ask: one question, step by step, several."""
    routes = APIRouter(prefix="/v1", tags=["questions"])

    @routes.post("/ask", summary="Answer a question", response_model=Answer)
    def ask(body: Question, idempotency_key: IdempotencyKey = None) -> Response:
        """With an `Idempotency-Key` a request that is sent again gets the answer it got before, for a day."""
        receipt = _receipt(idempotency_key, body)
        if receipt is not None and (before := advisor.conversations.answered(receipt)) is not None:
            return _sent(before.model_dump_json(), {"Idempotency-Replayed": "true"})
        return _sent(answered(advisor, body, receipt))

    @routes.post(
        "/ask/stream",
        summary="Answer a question, step by step",
        response_class=StreamingResponse,
        responses=EVENTS,
    )
    def ask_stream(body: Question, idempotency_key: IdempotencyKey = None) -> StreamingResponse:
        """Server-sent events. The turn is finished and kept even when the listener leaves; sent again with the same
        `Idempotency-Key` the request gets the answer that was kept, as its one event."""
        events = iterate_in_threadpool(_events(advisor, body, _receipt(idempotency_key, body)))
        return StreamingResponse(events, media_type="text/event-stream", headers=NOT_CACHED)

    @routes.post("/read", summary="Mark up a message")
    def read(body: Message) -> Annotation:
        """What a message says and asks, each with its words; values are parsed from the words. Nothing is kept."""
        return advisor.read(body.message, body.conversation_id)

    @routes.post("/ask/batch", summary="Answer several questions")
    def ask_batch(body: Questions, request: Request) -> Answers:
        """Each is answered or refused by itself. A caller with a limit spends one request a question."""
        spend(request.scope, sum(len(asked.in_turn()) for asked in body.questions) - 1)
        return Answers(results=[_answered(advisor, asked) for asked in body.questions])

    return routes


def answered(advisor: Advisor, question: Question, receipt: Receipt | None = None) -> str:
    """The answer as JSON, written once, for the store and for whoever asked; counted."""
    told = advisor.told(question.question, question.conversation_id, receipt, PATIENCE_S)
    counted(told.gist, "rest")
    return told.text


def _sent(text: str, headers: dict[str, str] | None = None) -> Response:
    return Response(text, media_type="application/json", headers=headers)


def _receipt(key: str | None, body: Question) -> Receipt | None:
    return Receipt.of(key, body.model_dump(mode="json")) if key else None


def _answered(advisor: Advisor, asked: Asked) -> dict[str, Any]:
    answers: list[Answer] = []
    try:
        for question in asked.in_turn():
            before = answers[-1].conversation_id if answers else None
            told = advisor.told(question, before)
            counted(told.gist, "rest")
            answers.append(told.answer)
    except AdvisorError as error:
        return {"id": asked.id, "error": error.data()}
    written = [answer.model_dump(mode="json") for answer in answers]
    return {"id": asked.id, "answer": written[-1]} | ({"turn_answers": written} if asked.turns else {})


def _events(advisor: Advisor, body: Question, receipt: Receipt | None = None) -> Iterator[str]:
    try:
        for step in steps(
            advisor, body.question, body.conversation_id, face="rest", receipt=receipt, patience_s=PATIENCE_S
        ):
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
