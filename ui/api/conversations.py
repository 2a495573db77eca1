"""`/v1/conversations`: what was asked and answered before, to read, to keep as a file and to delete."""

from fastapi import APIRouter, Response
from starlette.exceptions import HTTPException

from assistant.agent import Advisor
from assistant.answer import Answer
from kb.base import Frozen
from ui.export import KINDS, Form, exported


class Conversation(Frozen):
    """All turns of one conversation, oldest first."""

    conversation_id: str
    turns: list[Answer]


def router(advisor: Advisor) -> APIRouter:
    """Conversations are found by their id alone: whoever knows it may read it, so there is no listing here."""
    routes = APIRouter(prefix="/v1/conversations", tags=["conversations"])

    def turns(conversation_id: str) -> list[Answer]:
        found = advisor.conversations.history(conversation_id)
        if not found:
            raise HTTPException(404, "No such conversation.")
        return found

    @routes.get("/{conversation_id}", summary="All turns of a conversation")
    def conversation(conversation_id: str) -> Conversation:
        return Conversation(conversation_id=conversation_id, turns=turns(conversation_id))

    @routes.get("/{conversation_id}/export", summary="A conversation as a file", response_class=Response)
    def export(conversation_id: str, form: Form = "md") -> Response:
        """Markdown, JSON, PDF, or a workbook with one quotation a configuration."""
        content = exported(turns(conversation_id), form)
        name = f"gpu-advisor-{conversation_id[:8]}.{form}"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type=KINDS[form], headers=headers)

    @routes.delete("/{conversation_id}", status_code=204, summary="Forget a conversation")
    def forget(conversation_id: str) -> None:
        turns(conversation_id)
        advisor.conversations.delete(conversation_id)

    return routes
