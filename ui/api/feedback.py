"""`/v1/feedback`: whether an answer helped, kept beside the conversations as one JSON line each."""

import json
import threading
import time
from pathlib import Path

from fastapi import APIRouter
from pydantic import Field
from starlette.exceptions import HTTPException

from assistant.agent import Advisor
from kb.base import Frozen

MOST_BYTES = 20 * 1024 * 1024
"""A file that has grown to this is left as it is."""
_one_at_a_time = threading.Lock()


class Feedback(Frozen):
    """A judgement of one answer."""

    conversation_id: str = Field(min_length=1, max_length=128)
    answer_id: str = Field(min_length=1, max_length=64)
    helpful: bool
    note: str | None = Field(default=None, max_length=2000)
    """In the person's own words."""


def router(advisor: Advisor) -> APIRouter:
    """One address."""
    routes = APIRouter(prefix="/v1", tags=["conversations"])

    @routes.post("/feedback", status_code=204, summary="Say whether an answer helped")
    def feedback(body: Feedback) -> None:
        answers = advisor.conversations.history(body.conversation_id)
        answer = next((one for one in answers if one.id == body.answer_id), None)
        if answer is None:
            raise HTTPException(404, "No such answer.")
        line = body.model_dump() | {"question": answer.question, "verdict": answer.verdict, "at_s": int(time.time())}
        keep(advisor.options.home / "feedback.jsonl", line)

    return routes


def keep(path: Path, line: dict[str, object]) -> None:
    """Append a line, unless the file has grown too large."""
    with _one_at_a_time:
        if path.exists() and path.stat().st_size > MOST_BYTES:
            return
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
