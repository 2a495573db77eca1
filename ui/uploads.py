"""Documents that come over the web: kept under the home, ingested like any other, checked against the facts."""

import re
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from ingest.claims import check
from ingest.sync import SyncReport, sync
from kb.archive import Library
from kb.base import BadDocument, BadInput, Frozen
from kb.settings import settings

SUFFIXES = {"markdown": ".md", "text": ".txt", "html": ".html"}
_SHOWN_NAME = re.compile(r"[^\w.\- ]+")
_one_at_a_time = threading.Lock()


class Text(Frozen):
    """A document's text; a file of this server cannot be named."""

    name: str = Field(default="document", min_length=1, max_length=120)
    """What the document is called."""
    text: str = Field(min_length=1, max_length=400_000)
    form: Literal["markdown", "text", "html"] = "markdown"


class Held(Frozen):
    """A document of the library."""

    name: str
    title: str
    language: str
    date: str | None
    kind: Literal["bundled", "ingested", "uploaded"]
    """Bundled with the advisor, ingested on the command line, or uploaded here; only the last can be removed here."""


class Added(Frozen):
    """What became of an upload."""

    name: str
    chunks: int
    """Passages in the whole library afterwards."""
    findings: list[dict[str, Any]]
    """What the document claims, judged."""


def folder() -> Path:
    """Where uploads are kept."""
    return settings().home / "uploads"


def held() -> list[Held]:
    """Every document, by name; paths of this machine are not told."""
    return [
        Held(
            name=name if document.trust == "bundled" else Path(name).name,
            title=document.title,
            language=document.language,
            date=document.date,
            kind=_kind(document.trust, Path(document.path)),
        )
        for name, document in Library().documents().items()
    ]


def add(document: Text) -> Added:
    """Keep a document and ingest it; one of the same name is replaced.

    Raises:
        BadDocument: nothing in it can be read; the library is as before.
    """
    name = file_name(document)
    path = folder() / name
    with _one_at_a_time:
        folder().mkdir(parents=True, exist_ok=True)
        former = path.read_bytes() if path.exists() else None
        _write(path, document.text.encode())
        report = _synced()
        if failure := next((one for one in report.failed if Path(one.path).name == name), None):
            _restore(path, former)
            raise BadDocument(name, failure.reason)
    return Added(name=name, chunks=report.chunks, findings=judged(check([path]), path, name))


def remove(name: str) -> bool:
    """Forget an upload; says whether there was one."""
    path = folder() / name
    with _one_at_a_time:
        if name != Path(name).name or not path.is_file():
            return False
        path.unlink()
        _synced()
    return True


def checked(document: Text) -> list[dict[str, Any]]:
    """The findings on a text that is not kept."""
    with tempfile.TemporaryDirectory(prefix="gpu-advisor-") as place:
        path = Path(place) / f"document{SUFFIXES[document.form]}"
        path.write_text(document.text, encoding="utf-8")
        try:
            return judged(check([path]), path, document.name)
        except BadDocument as problem:
            raise BadDocument(document.name, problem.reason) from None


def file_name(document: Text) -> str:
    """A file name out of what a person called the document.

    Raises:
        BadInput: nothing of it can stand in a file name.
    """
    suffix = SUFFIXES[document.form]
    stem = Path(_SHOWN_NAME.sub("-", document.name.replace("\\", "/").rsplit("/", 1)[-1])).stem.strip(" .-")
    if not stem:
        raise BadInput("name", "holds nothing a file can be called.", "Use letters and digits.")
    return f"{stem[:80]}{suffix}"


def judged(findings: Sequence[Frozen], path: Path, name: str) -> list[dict[str, Any]]:
    """Findings as JSON, with the document under the name it was given."""
    return [_renamed(finding.model_dump(mode="json"), path, name) for finding in findings]


def _renamed(value: Any, path: Path, name: str) -> Any:
    if isinstance(value, dict):
        return {key: _renamed(part, path, name) for key, part in value.items()}
    if isinstance(value, list):
        return [_renamed(part, path, name) for part in value]
    return name if isinstance(value, str) and value in {str(path), path.name} else value


def _kind(trust: str, path: Path) -> Literal["bundled", "ingested", "uploaded"]:
    if trust == "bundled":
        return "bundled"
    return "uploaded" if path.is_relative_to(folder().resolve()) else "ingested"


def _synced() -> SyncReport:
    return sync([folder()])


def _write(path: Path, content: bytes) -> None:
    new = path.with_name(f".{path.name}.new")  # hidden, so that a sync never sees half a file
    new.write_bytes(content)
    new.replace(path)


def _restore(path: Path, former: bytes | None) -> None:
    if former is None:
        path.unlink()
    else:
        _write(path, former)
    _synced()
