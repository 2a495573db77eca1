"""`/v1/chat/completions` and `/v1/models`: the OpenAI wire format, so that any chat client can connect."""

import hashlib
import json
import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any, Literal

from fastapi import APIRouter
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import iterate_in_threadpool

from assistant.agent import Advisor, check_question
from assistant.answer import Answer
from kb.base import AdvisorError, BadInput
from ui.api.questions import NOT_CACHED, PATIENCE_S
from ui.entrance import problem
from ui.serving.metrics import counted
from ui.serving.turn import steps
from ui.words.markdown import as_markdown

MODEL = "gpu-advisor"
REPLAYED_TURNS = 6
"""Former questions asked again when their conversation is not known here, e.g. after a restart."""


class Part(BaseModel):
    """A part of a message; only text is read."""

    type: str
    text: str | None = None


class Message(BaseModel):
    """One message; whatever else a client adds is ignored."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[Part] | None = None

    def words(self) -> str:
        """The text of the message."""
        if isinstance(self.content, list):
            return "\n".join(part.text or "" for part in self.content if part.type in {"text", "input_text"})
        return self.content or ""


class StreamOptions(BaseModel):
    """What a stream is to hold besides the text; whatever else a client adds is ignored."""

    include_usage: bool = False
    """Whether a last chunk says how many tokens a language model used."""


class Completion(BaseModel):
    """A chat request. Sampling parameters are accepted and do not matter; the advisor is always the same."""

    model_config = ConfigDict(extra="ignore", json_schema_extra={"examples": [
        {"model": MODEL, "messages": [{"role": "user", "content": "Can 4×3090 run Qwen2.5-72B?"}]}
    ]})  # fmt: skip

    model: str = Field(default=MODEL, max_length=200)
    messages: list[Message] = Field(min_length=1, max_length=500)
    """The last user message is the question; the earlier ones give the conversation."""
    stream: bool = False
    stream_options: StreamOptions | None = None
    user: str | None = Field(default=None, max_length=512)
    metadata: dict[str, str] | None = None
    """`conversation_id` names the conversation outright."""


class Threads:
    """Which conversation holds which questions: the wire format names none, it repeats what was said."""

    def __init__(self, most: int = 2000) -> None:
        self._ids: OrderedDict[str, str] = OrderedDict()
        self._most, self._lock = most, threading.Lock()

    def find(self, user: str, questions: list[str]) -> str | None:
        """The conversation last seen with just these questions."""
        with self._lock:
            return self._ids.get(self._key(user, questions))

    def keep(self, user: str, questions: list[str], conversation_id: str) -> None:
        """Remember it; the oldest is forgotten."""
        with self._lock:
            self._ids[self._key(user, questions)] = conversation_id
            while len(self._ids) > self._most:
                self._ids.popitem(last=False)

    @staticmethod
    def _key(user: str, questions: list[str]) -> str:
        return hashlib.sha256(json.dumps([user, questions]).encode()).hexdigest()


def router(advisor: Advisor) -> APIRouter:
    """The two addresses a chat client needs."""
    routes = APIRouter(prefix="/v1", tags=["openai"])
    threads = Threads()

    @routes.get("/models", summary="The one model there is: the advisor")
    def models() -> dict[str, Any]:
        return {"object": "list", "data": [{"id": MODEL, "object": "model", "created": 0, "owned_by": MODEL}]}

    @routes.post("/chat/completions", summary="Answer in the OpenAI wire format, streaming or not")
    def completions(body: Completion) -> Any:
        try:
            questions = [
                text for message in body.messages if message.role == "user" and (text := message.words().strip())
            ]
            if body.messages[-1].role != "user" or not questions:
                raise BadInput("messages", "do not end with a question.", "End with a message of role user.")
            question = check_question(questions[-1])
            conversation_id = _conversation(advisor, threads, body, questions[:-1])
            threads.keep(body.user or "", questions, conversation_id)
            if body.stream:
                with_usage = body.stream_options is not None and body.stream_options.include_usage
                chunks = _chunks(advisor, question, conversation_id, with_usage=with_usage)
                events = iterate_in_threadpool(chunks)
                return StreamingResponse(events, media_type="text/event-stream", headers=NOT_CACHED)
            told = advisor.told(question, conversation_id, patience_s=PATIENCE_S)
            return whole(counted(told.answer, "openai"))
        except AdvisorError as error:
            return _refused(error)

    return routes


def _conversation(advisor: Advisor, threads: Threads, body: Completion, former: list[str]) -> str:
    """The conversation that holds the former questions and nothing else; made by asking them again if need be."""
    if named := (body.metadata or {}).get("conversation_id"):
        return named
    if not former:
        return uuid.uuid4().hex
    known = threads.find(body.user or "", former)
    if known and [turn.question for turn in advisor.conversations.history(known)] == former:
        return known
    fresh = uuid.uuid4().hex
    for question in former[-REPLAYED_TURNS:]:
        advisor.ask(question, fresh)
    return fresh


def whole(answer: Answer) -> dict[str, Any]:
    """A completion object; `gpu_advisor` carries the whole Answer for those who want more than text."""
    message = {"role": "assistant", "content": as_markdown(answer)}
    return {
        "id": f"chatcmpl-{answer.id}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": MODEL,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
        "usage": usage(answer),
        "gpu_advisor": answer.model_dump(mode="json"),
    }


def usage(answer: Answer) -> dict[str, int]:
    """What the language model behind the answer counted; the deterministic planner uses no tokens."""
    counts = answer.model_tokens
    prompt, completion = (counts.prompt, counts.completion) if counts else (0, 0)
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def _chunks(advisor: Advisor, question: str, conversation_id: str, *, with_usage: bool = False) -> Iterator[str]:
    """The text in paragraphs, once its numbers are checked: no word of an unchecked answer leaves.

    `with_usage` ends with a chunk without choices that says what was used.
    """
    name, created = f"chatcmpl-{uuid.uuid4().hex}", int(time.time())

    def event(choices: list[dict[str, Any]], **more: Any) -> str:
        data = {"id": name, "object": "chat.completion.chunk", "created": created, "model": MODEL, "choices": choices}
        return f"data: {json.dumps(data | more, ensure_ascii=False)}\n\n"

    def chunk(delta: dict[str, str], finish: str | None = None) -> str:
        return event([{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}])

    yield chunk({"role": "assistant", "content": ""})
    used: dict[str, int] = {}
    try:
        for step in steps(advisor, question, conversation_id, face="openai", patience_s=PATIENCE_S):
            if step.answer is None:
                yield ": working\n\n"  # a comment keeps the connection open through a long turn
                continue
            used = usage(step.answer)
            for block in as_markdown(step.answer).split("\n\n"):
                yield chunk({"content": block + "\n\n"})
        yield chunk({}, "stop")
        if with_usage:
            yield event([], usage=used)
    except AdvisorError as error:
        yield f"data: {json.dumps({'error': _as_openai(error)}, ensure_ascii=False)}\n\n"
    yield "data: [DONE]\n\n"


def _as_openai(error: AdvisorError) -> dict[str, Any]:
    data = error.data()
    return {"message": data["message"], "type": data["code"], "param": data.get("field"), "code": data["code"]}


def _refused(error: AdvisorError) -> JSONResponse:
    data = error.data()
    status = next((code for kind, code in problem.STATUS.items() if isinstance(error, kind)), problem.UNPROCESSABLE)
    return problem.problem(status, data.pop("code"), data.pop("message"), **data, error=_as_openai(error))
