"""A file as text lines that remember where they stand in it; what cannot be read is refused with the reason."""

import codecs
import os
import re
import stat
from pathlib import Path
from typing import Any, Literal, NamedTuple

import yaml

from ingest.bounded import extract
from kb.base import BadDocument, Frozen
from kb.index.index_words import language_of

SIZE_MAX = 20_000_000
"""Bytes of one text file; no guide is longer, and what is would be data."""
PACKED_SIZE_MAX = 50_000_000
"""Bytes of one PDF or Office file, which may hold pictures."""
LINES_MAX = 400_000
Kind = Literal["markdown", "text", "html", "pdf", "docx", "pptx", "xlsx", "csv"]
KINDS: dict[str, Kind] = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "text",
    ".text": "text",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".pdf": "pdf",
    ".docx": "docx",
    ".pptx": "pptx",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".csv": "csv",
    ".tsv": "csv",
}
PACKED = {"pdf": b"%PDF-", "docx": b"PK", "pptx": b"PK", "xlsx": b"PK"}
"""Kinds that are no text, and how their files begin."""
SUPPORTED = "Markdown, plain text, HTML, PDF, Word (.docx), PowerPoint (.pptx), Excel (.xlsx) and CSV"
MAGIC = {
    b"%PDF": "a PDF",
    b"PK\x03\x04": "a ZIP archive or Office file",
    b"\xd0\xcf\x11\xe0": "an old or encrypted Office file; save it anew, without a password",
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"\x1f\x8b": "a gzip archive",
    b"7z\xbc\xaf": "a 7z archive",
    b"\x7fELF": "a program",
}
CONTROL_SHARE_MAX = 0.002
"""Share of control characters above which bytes are no text."""
HAN_SHARE_MIN = 0.5
"""Share of Han and full-width signs among the non-ASCII characters of a text that is really GB18030."""
TITLE_MAX = 120
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ufffe\uffff]")
_NON_ASCII = re.compile(r"[^\x00-\x7f]")
_CHINESE = re.compile(r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef\u2014-\u2026·]")
_DATE = re.compile(r"(?<!\d)(20[0-3]\d)\s?[-./年]\s?(0?[1-9]|1[0-2])\s?(?:[-./月]\s?(3[01]|[12]\d|0?[1-9])(?!\d))?")
_HEADING = re.compile(r"#{1,6}\s+(.+?)\s*#*$")


class Line(NamedTuple):
    """One line of text and its number, counted from 1: in the source file, or in the text of one that has no lines."""

    number: int
    text: str
    page: int | None = None
    """Page, slide or sheet it stands on."""


class Converted(Frozen):
    """A document as lines, and what it says about itself."""

    kind: Kind
    title: str
    title_other: str | None = None
    language: str
    date: str | None = None
    keywords: tuple[str, ...] = ()
    lines: tuple[Line, ...]
    """The text without front matter, markup or boilerplate."""


def convert(path: Path) -> Converted:
    """Read one file.

    Raises:
        BadDocument: it is of no supported type, too large, damaged, or holds no text.
    """
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise BadDocument(str(path), f"{path.suffix or 'a file without a suffix'} is not supported: {SUPPORTED} are.")
    data = read_bytes(path, PACKED_SIZE_MAX if kind in PACKED else SIZE_MAX)
    meta: dict[str, Any]
    if kind in {"markdown", "text"}:
        meta, lines = _front_matter(decode(data, str(path)))
    else:
        found = extract(kind, _sound(data, kind, str(path)), str(path))
        lines = tuple(Line(number, _CONTROL.sub("\ufffd", text), page) for number, text, page in found.lines)
        meta = {"title": found.title, "date": found.date}
    if not any(line.text.strip() for line in lines):
        raise BadDocument(str(path), "holds no text.")
    if len(lines) > LINES_MAX:
        raise BadDocument(str(path), f"has more than {LINES_MAX:,} lines.")
    return _describe(kind, meta, lines, path)


def _sound(data: bytes, kind: str, name: str) -> bytes:
    """What a reader gets: a packed file that begins as its kind does, or text as UTF-8."""
    if kind not in PACKED:
        return decode(data, name).encode()
    if not data:
        raise BadDocument(name, "is empty.")
    # A PDF may begin with a few stray bytes.
    if PACKED[kind] not in (data[:1024] if kind == "pdf" else data[:2]):
        what = next((what for magic, what in MAGIC.items() if data.startswith(magic)), None)
        raise BadDocument(name, f"is {what}." if what else f"is no {kind.upper()} file, whatever its name says.")
    return data


def decode(data: bytes, name: str) -> str:
    """Bytes as text: UTF-8, UTF-16 with its mark, or GB18030 when the outcome looks like Chinese.

    Raises:
        BadDocument: they are something else.
    """
    if not data.strip():
        raise BadDocument(name, "is empty.")
    for magic, what in MAGIC.items():
        if data.startswith(magic):
            raise BadDocument(name, f"is {what}, whatever its name says; {SUPPORTED} are supported.")
    text = _decoded(data)
    if text is None:
        raise BadDocument(name, "is neither UTF-8 nor GB18030 text.")
    if "\x00" in text or len(_CONTROL.findall(text)) > CONTROL_SHARE_MAX * len(text):
        raise BadDocument(name, "is binary data, not text.")
    return _CONTROL.sub("\ufffd", text)


def read_bytes(path: Path, most: int) -> bytes:
    """The content of a regular file, which is opened without waiting: a pipe or a device would never end.

    Raises:
        BadDocument: it is no regular file, too large, or cannot be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(descriptor, "rb") as file:
            about = os.fstat(file.fileno())
            if not stat.S_ISREG(about.st_mode):
                raise BadDocument(str(path), "is not a regular file.")
            if about.st_size > most:
                raise BadDocument(str(path), f"is {about.st_size:,} bytes; at most {most:,} are read.")
            return file.read(most + 1)
    except (OSError, ValueError) as problem:
        raise BadDocument(str(path), f"cannot be read: {getattr(problem, 'strerror', None) or problem}.") from problem


def _decoded(data: bytes) -> str | None:
    try:
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return data.decode("utf-16")
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    try:
        text = data.decode("gb18030")
    except UnicodeDecodeError:
        return None
    foreign = len(_NON_ASCII.findall(text))
    return text if foreign and len(_CHINESE.findall(text)) >= HAN_SHARE_MIN * foreign else None


def _lines(text: str) -> list[Line]:
    """Lines as editors count them; `splitlines` would also cut at form feeds and other rare signs."""
    return [Line(number, line.rstrip("\r")) for number, line in enumerate(text.split("\n"), 1)]


def _front_matter(text: str) -> tuple[dict[str, Any], tuple[Line, ...]]:
    """YAML between two `---` at the very start, and the lines after it."""
    lines = _lines(text)
    if lines[0].text.strip() != "---":
        return {}, tuple(lines)
    end = next((i for i, line in enumerate(lines[1:500], 1) if line.text.strip() == "---"), None)
    if end is None:
        return {}, tuple(lines)
    try:
        meta = yaml.safe_load("\n".join(line.text for line in lines[1:end]))
    except yaml.YAMLError:
        return {}, tuple(lines)
    return (meta, tuple(lines[end + 1 :])) if isinstance(meta, dict) else ({}, tuple(lines))


def _describe(kind: Kind, meta: dict[str, Any], lines: tuple[Line, ...], path: Path) -> Converted:
    sample = "\n".join(line.text for line in lines[:2000])
    keywords = meta.get("keywords")
    return Converted.model_validate(
        {
            "kind": kind,
            "title": _title(meta, lines, path),
            "title_other": _string(meta.get("title_other")),
            "language": _string(meta.get("language")) or language_of(sample),
            "date": _string(meta.get("updated") or meta.get("date")) or _date(lines),
            "keywords": tuple(map(str, keywords)) if isinstance(keywords, list) else (),
            "lines": lines,
        }
    )


def _title(meta: dict[str, Any], lines: tuple[Line, ...], path: Path) -> str:
    if title := _string(meta.get("title")):
        return title[:TITLE_MAX]
    texts = [line.text.strip() for line in lines[:40] if line.text.strip()]
    for text in texts:
        if match := _HEADING.match(text):
            return match[1][:TITLE_MAX]
    first = texts[0] if texts else ""
    return first if 2 <= len(first) <= 60 and first[-1] not in "。.；;，,：:" and "|" not in first else path.stem


def _date(lines: tuple[Line, ...]) -> str | None:
    """A date in the first lines, where articles carry theirs."""
    for line in lines[:6]:
        if match := _DATE.search(line.text[:200]):
            year, month, day = match.groups()
            return f"{year}-{int(month):02}" + (f"-{int(day):02}" if day else "")
    return None


def _string(value: Any) -> str | None:
    text = "" if value is None else str(value).strip()
    return text or None
