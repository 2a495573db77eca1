"""`/v1/feedback`: whether an answer helped, kept beside the conversation it belongs to."""

from fastapi import APIRouter
from pydantic import Field
from starlette.exceptions import HTTPException

from assistant.agent import Advisor
from kb.base import Frozen


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
        if not any(one.id == body.answer_id for one in answers):
            raise HTTPException(404, "No such answer.")
        advisor.conversations.judge(body.conversation_id, body.answer_id, helpful=body.helpful, note=body.note)

    return routes
