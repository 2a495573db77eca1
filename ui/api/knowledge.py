"""`/v1/kb`: the documents, search in them, and what a text claims judged by the facts."""

from concurrent.futures import wait
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request
from pydantic import Field
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from kb.base import Frozen
from kb.records.passage import Passage
from kb.retrieval.passage_filter import PassageFilter
from ui.entrance import problem
from ui.serving import uploads
from ui.serving.taking import WAIT_MAX_S, WAIT_S, Job, Jobs, Taking, waits_s
from ui.serving.uploads import Added, Held, Text

WAITS = (
    f"`wait=SECONDS`, up to {WAIT_MAX_S}: how long to wait for the end, instead of {WAIT_S} s; what takes longer is"
    " answered by 202, and `Location` says where its end is told."
)
Prefer = Annotated[str | None, Header(description=WAITS)]
LATER: dict[int | str, dict[str, Any]] = {
    202: {"model": Taking, "description": "It takes longer than the request waits."}
}
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
    jobs = Jobs()

    @routes.post("/search", summary="Passages for a query, best first")
    def search(body: Query) -> list[Passage]:
        from kb.retrieval.search import search

        return search(body.query, top=body.top, among=body.conditions())

    @routes.post("/check", summary="Claims of a text that disagree with the facts or with each other")
    def check(body: Text) -> Findings:
        return Findings(findings=uploads.checked(body))

    @routes.get("/documents", summary="The documents that are searched")
    def documents() -> list[Held]:
        return uploads.held()

    @routes.post(
        "/documents", status_code=201, response_model=Added, responses=LATER,
        summary="Add a document, or replace the one of that name",
    )  # fmt: skip
    def add(body: Text, prefer: Prefer = None) -> Added | Response | None:
        if not open_to_uploads:
            raise HTTPException(403, CLOSED)
        job = jobs.begin(uploads.file_name(body), lambda: uploads.add(body))
        return job.future.result() if _ends(job, prefer) else _later(job)

    @routes.delete(
        "/documents/{name}", status_code=204, response_model=None, responses=LATER,
        summary="Remove a document that was added here",
    )  # fmt: skip
    def remove(name: str, prefer: Prefer = None) -> Response | None:
        if not open_to_uploads:
            raise HTTPException(403, CLOSED)
        if not uploads.has(name):
            raise HTTPException(404, "No document of that name was added here.")
        job = jobs.begin(name, lambda: uploads.remove(name))
        return None if _ends(job, prefer) and job.future.result() is None else _later(job)

    @routes.get("/uploads/{number}", summary="How far it is with a document that is being added or removed")
    def taking(number: str, request: Request) -> Taking:
        job = jobs.find(number)
        if job is None:
            raise HTTPException(404, "No document is or was lately being taken in under this number.")
        return job.taking(problem.reader(request))

    return routes


def _ends(job: Job, prefer: str | None) -> bool:
    """Whether it ends while the request waits."""
    return bool(wait([job.future], waits_s(prefer)).done)


def _later(job: Job) -> JSONResponse:
    headers = {"Location": f"/v1/kb/uploads/{job.id}", "Retry-After": "1"}
    return JSONResponse(job.taking().model_dump(mode="json"), 202, headers)
