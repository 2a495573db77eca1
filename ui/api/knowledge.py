"""`/v1/kb`: search the documents, and check what a text claims against the facts."""

import tempfile
from pathlib import Path
from typing import Any, Literal

from fastapi import APIRouter
from pydantic import Field

from kb.base import Frozen
from kb.records.passage import Passage

SUFFIXES = {"markdown": ".md", "text": ".txt", "html": ".html"}


class Query(Frozen):
    """What to look for."""

    query: str = Field(min_length=1, max_length=2000, examples=["NVLink between two 3090"])
    top: int = Field(default=5, ge=1, le=50)


class Text(Frozen):
    """A document's text; a file of this server cannot be named."""

    name: str = Field(default="document", min_length=1, max_length=120)
    """What findings call the document."""
    text: str = Field(min_length=1, max_length=400_000)
    form: Literal["markdown", "text", "html"] = "markdown"


class Findings(Frozen):
    """What holds, what does not, and what contradicts."""

    findings: list[dict[str, Any]]


def router() -> APIRouter:
    """Search and check."""
    routes = APIRouter(prefix="/v1/kb", tags=["documents"])

    @routes.post("/search", summary="Passages for a query, best first")
    def search(body: Query) -> list[Passage]:
        from kb.search import search

        return search(body.query, top=body.top)

    @routes.post("/check", summary="Claims of a text that disagree with the facts or with each other")
    def check(body: Text) -> Findings:
        return Findings(findings=checked(body))

    return routes


def checked(body: Text) -> list[dict[str, Any]]:
    """The findings on a text, under the name it was given."""
    from ingest.claims import check

    with tempfile.TemporaryDirectory(prefix="gpu-advisor-") as folder:
        path = Path(folder) / f"document{SUFFIXES[body.form]}"
        path.write_text(body.text, encoding="utf-8")
        found = [finding.model_dump(mode="json") for finding in check([path])]
    return [_renamed(finding, path, body.name) for finding in found]


def _renamed(value: Any, path: Path, name: str) -> Any:
    if isinstance(value, dict):
        return {key: _renamed(part, path, name) for key, part in value.items()}
    if isinstance(value, list):
        return [_renamed(part, path, name) for part in value]
    return name if isinstance(value, str) and value in {str(path), path.name} else value
