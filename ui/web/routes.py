"""What the page's own scripts ask for: open a source, compare, fill in a form, share, rename."""

from typing import Any

from fastapi import APIRouter, Response
from fastapi.responses import HTMLResponse
from pydantic import Field
from starlette.exceptions import HTTPException

from assistant.agent import Advisor
from kb.base import BadInput, Frozen
from tools.registry import tool
from ui.web import forms, results
from ui.web.comparison import comparison
from ui.web.passage import passage
from ui.web.share import shared_page
from ui.web.understood import suggestions

CACHED = {"Cache-Control": "max-age=3600"}
MOST_COMPARED = 4


class Choice(Frozen):
    """Configurations of an answer to lay side by side."""

    conversation_id: str = Field(min_length=1, max_length=128)
    answer_id: str = Field(min_length=1, max_length=64)
    ranks: tuple[int, ...] = Field(max_length=16)


class Named(Frozen):
    """A conversation, and its new title where it is to be renamed."""

    conversation_id: str = Field(min_length=1, max_length=128)
    title: str | None = Field(default=None, max_length=400)


def router(advisor: Advisor) -> APIRouter:
    """The addresses under `/page`, and the shared conversations under `/share`."""
    routes = APIRouter(include_in_schema=False)

    @routes.get("/page/suggestions")
    def names(response: Response) -> dict[str, list[str]]:
        response.headers.update(CACHED)
        return suggestions()

    @routes.get("/page/passage", response_class=HTMLResponse)
    def source(document: str, first: int, last: int) -> str:
        return passage(document, first, last)

    @routes.post("/page/compare", response_class=HTMLResponse)
    def side_by_side(body: Choice) -> str:
        turns = advisor.conversations.history(body.conversation_id)
        answer = next((one for one in turns if one.id == body.answer_id), None)
        if answer is None:
            raise HTTPException(404, "No such answer.")
        return comparison(answer.configurations, body.ranks)

    @routes.post("/page/cards", response_class=HTMLResponse)
    def cards_side_by_side(body: dict[str, list[str]]) -> str:
        wanted = body.get("gpus", [])[:MOST_COMPARED]
        if len(wanted) < 2:
            raise BadInput("gpus", "names fewer than two cards.", "Choose two to four.")
        result = tool("compare_gpus").call({"gpus": wanted}).model_dump(mode="json")
        return results.compare({}, result)

    @routes.post("/page/form/{name}", response_class=HTMLResponse)
    def filled_in(name: str, body: dict[str, Any]) -> str:
        return forms.run(name, body)

    @routes.post("/page/share")
    def share(body: Named) -> dict[str, str]:
        token = advisor.conversations.share(body.conversation_id)
        if token is None:
            raise HTTPException(404, "No such conversation.")
        return {"path": f"/share/{token}"}

    @routes.post("/page/unshare", status_code=204)
    def unshare(body: Named) -> None:
        advisor.conversations.unshare(body.conversation_id)

    @routes.post("/page/rename", status_code=204)
    def rename(body: Named) -> None:
        if not advisor.conversations.rename(body.conversation_id, body.title or ""):
            raise HTTPException(404, "No such conversation.")

    @routes.get("/page/turns/{conversation_id}")
    def turns(conversation_id: str) -> dict[str, int]:
        """How many turns are kept: the page asks after a lost connection."""
        return {"turns": len(advisor.conversations.history(conversation_id))}

    @routes.get("/share/{token}", response_class=HTMLResponse)
    def shared(token: str) -> str:
        found = advisor.conversations.shared(token)
        if not found:
            raise HTTPException(404, "No such link: it was closed, or the conversation was deleted.")
        return shared_page(found)

    return routes
