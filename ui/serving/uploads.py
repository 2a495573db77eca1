"""Documents that come over the web: kept under the home, ingested in a child process, checked against the facts."""

import base64
import binascii
import re
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from ingest.apart import sync_apart
from ingest.claims import check
from ingest.convert import KINDS, SUPPORTED
from kb.base import BadDocument, BadInput, Frozen, IndexUnavailable
from kb.index.archive import Library
from kb.settings import settings

SUFFIXES = {"markdown": ".md", "text": ".txt", "html": ".html"}
_SHOWN_NAME = re.compile(r"[^\w.\- ]+")


CONTENT_MAX = 5_600_000
"""Characters of a file in base64: 4 MB of file."""
PARSERS, PARSER_WAIT_S = 2, 20.0
"""Files that may be parsed at once, each in a child of up to 512 MB, and how long one waits for its turn, there or to
be taken in."""
_parsers = threading.BoundedSemaphore(PARSERS)
_one_at_a_time = threading.BoundedSemaphore(1)


class Text(Frozen):
    """A document, as text or as the content of a file; a file of this server cannot be named."""

    name: str = Field(default="document", min_length=1, max_length=120)
    """What the document is called; with `content` its ending says what it is: .pdf, .docx, .pptx, .xlsx, .csv …"""
    text: str | None = Field(
        default=None, min_length=1, max_length=400_000, examples=["The GeForce RTX 3090 has 24 GB of memory."]
    )
    form: Literal["markdown", "text", "html"] = "markdown"
    """What the text is written in."""
    content: str | None = Field(default=None, min_length=1, max_length=CONTENT_MAX)
    """The bytes of a file in base64, instead of `text`."""

    @model_validator(mode="after")
    def _one_of_both(self) -> "Text":
        if (self.text is None) == (self.content is None):
            raise ValueError("give either text or content")
        return self

    @property
    def data(self) -> bytes:
        """The bytes of the file.

        Raises:
            BadInput: the content is no base64.
        """
        if self.content is None:
            return (self.text or "").encode()
        try:
            return base64.b64decode(self.content, validate=True)
        except binascii.Error:
            raise BadInput("content", "is not base64.") from None

    @property
    def suffix(self) -> str:
        """What the file's name ends in.

        Raises:
            BadInput: the name of a file ends in nothing that is read.
        """
        if self.content is None:
            return SUFFIXES[self.form]
        suffix = Path(self.name).suffix.lower()
        if suffix not in KINDS:
            raise BadInput("name", f"must end in what the file is: {SUPPORTED} are read.")
        return suffix


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
        IndexUnavailable: it could not be taken in, or others take too long; the document is not kept.
    """
    name = file_name(document)
    path = folder() / name
    with _alone():
        folder().mkdir(parents=True, exist_ok=True)
        former = path.read_bytes() if path.exists() else None
        _write(path, document.data)
        try:
            done = sync_apart([folder()], judge=path)
        except IndexUnavailable:
            _put_back(path, former)  # what could not be taken in now shall not be tried at every later upload
            raise
        if failure := next((one for one in done.report.failed if Path(one.path).name == name), None):
            _put_back(path, former)  # the library still holds what it held of it
            raise BadDocument(name, failure.reason)
    return Added(name=name, chunks=done.report.chunks, findings=judged(done.findings, path, name))


def has(name: str) -> bool:
    """Whether this is the name of an upload."""
    return name == Path(name).name and (folder() / name).is_file()


def remove(name: str) -> None:
    """Forget an upload; nothing where there is none.

    Raises:
        IndexUnavailable: others take too long.
    """
    with _alone():
        if has(name):
            (folder() / name).unlink()
            sync_apart([folder()])


def checked(document: Text) -> list[dict[str, Any]]:
    """The findings on a text that is not kept."""
    with tempfile.TemporaryDirectory(prefix="gpu-advisor-") as place:
        path = Path(place) / f"document{document.suffix}"
        path.write_bytes(document.data)
        try:
            with _turn():
                findings = [one.model_dump(mode="json") for one in check([path])]
                return judged(findings, path, document.name)
        except BadDocument as problem:
            raise BadDocument(document.name, problem.reason) from None


def _turn() -> AbstractContextManager[None]:
    """One of few places to parse in, so that many requests at once do not take the machine's memory."""
    return _waited(_parsers)


def _alone() -> AbstractContextManager[None]:
    """The library to oneself: two that take in would only wait for each other, each in a process of its own."""
    return _waited(_one_at_a_time)


@contextmanager
def _waited(place: threading.BoundedSemaphore) -> Iterator[None]:
    if not place.acquire(timeout=PARSER_WAIT_S):
        raise IndexUnavailable("too many documents are being read; try again in a moment.")
    try:
        yield
    finally:
        place.release()


def file_name(document: Text) -> str:
    """A file name out of what a person called the document.

    Raises:
        BadInput: nothing of it can stand in a file name.
    """
    suffix = document.suffix
    stem = Path(_SHOWN_NAME.sub("-", document.name.replace("\\", "/").rsplit("/", 1)[-1])).stem.strip(" .-")
    if not stem:
        raise BadInput("name", "holds nothing a file can be called.", "Use letters and digits.")
    return f"{stem[:80]}{suffix}"


def judged(findings: Iterable[dict[str, Any]], path: Path, name: str) -> list[dict[str, Any]]:
    """Findings with the document under the name it was given."""
    return [_renamed(finding, path, name) for finding in findings]


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


def _write(path: Path, content: bytes) -> None:
    new = path.with_name(f".{path.name}.new")  # hidden, so that a sync never sees half a file
    new.write_bytes(content)
    new.replace(path)


def _put_back(path: Path, former: bytes | None) -> None:
    """Have the file be what it was before the upload."""
    if former is None:
        path.unlink(missing_ok=True)
    else:
        _write(path, former)
