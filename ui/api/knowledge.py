"""`/v1/kb`: the documents, search in them, and what a text claims judged by the facts."""

from typing import Any

from fastapi import APIRouter
from pydantic import Field
from starlette.exceptions import HTTPException

from kb.base import Frozen
from kb.passage_filter import PassageFilter
from kb.records.passage import Passage
from ui import uploads
from ui.uploads import Added, Held, Text

CLOSED = "Documents are only taken where the server listens on this machine alone. Run `gpu-advisor ingest` there."


class Query(PassageFilter):
    """What to look for, and which documents may answer."""

    query: str = Field(min_length=1, max_length=2000, examples=["NVLink between two 3090"])
    top: int = Field(default=5, ge=1, le=50)


class Findings(Frozen):
    """What holds, what does not, and what contradicts."""

    findings: list[dict[str, Any]]


def router(*, open_to_uploads: bool) -> APIRouter:
    """Search and check for everybody; additions and removals only where `open_to_uploads`."""
    routes = APIRouter(prefix="/v1/kb", tags=["documents"])

    @routes.post("/search", summary="Passages for a query, best first")
    def search(body: Query) -> list[Passage]:
        from kb.search import search

        return search(body.query, top=body.top, among=body.conditions())

    @routes.post("/check", summary="Claims of a text that disagree with the facts or with each other")
    def check(body: Text) -> Findings:
        return Findings(findings=uploads.checked(body))

    @routes.get("/documents", summary="The documents that are searched")
    def documents() -> list[Held]:
        return uploads.held()

    @routes.post("/documents", status_code=201, summary="Add a document, or replace the one of that name")
    def add(body: Text) -> Added:
        if not open_to_uploads:
            raise HTTPException(403, CLOSED)
        return uploads.add(body)

    @routes.delete("/documents/{name}", status_code=204, summary="Remove a document that was added here")
    def remove(name: str) -> None:
        if not open_to_uploads:
            raise HTTPException(403, CLOSED)
        if not uploads.remove(name):
            raise HTTPException(404, "No document of that name was added here.")

    return routes
