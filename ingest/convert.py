"""A file as text lines that remember where they stand in it; what cannot be read is refused with the reason."""

import codecs
import re
from pathlib import Path
from typing import Any, Literal, NamedTuple

import yaml

from ingest.html import convert_html
from kb.base import BadDocument, Frozen
from kb.lexicon import language_of

SIZE_MAX = 20_000_000
"""Bytes of one file; no guide is longer, and what is would be data."""
LINES_MAX = 400_000
KINDS: dict[str, Literal["markdown", "text", "html"]] = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "text",
    ".text": "text",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
}
SUPPORTED = "Markdown (.md, .markdown), plain text (.txt, .text) and HTML (.html, .htm, .xhtml)"
MAGIC = {
    b"%PDF": "a PDF",
    b"PK\x03\x04": "a ZIP archive or Office file",
    b"\xd0\xcf\x11\xe0": "an old Office file",
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
    """One line of text and its number in the source file, counted from 1."""

    number: int
    text: str


class Converted(Frozen):
    """A document as lines, and what it says about itself."""

    kind: Literal["markdown", "text", "html"]
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
    text = decode(_read(path), str(path))
    if kind == "html":
        page = convert_html(text, str(path))
        lines = tuple(Line(*line) for line in page["lines"])
        meta: dict[str, Any] = {"title": page["title"], "date": page["date"]}
    else:
        meta, lines = _front_matter(text)
    if not any(line.text.strip() for line in lines):
        raise BadDocument(str(path), "holds no text.")
    if len(lines) > LINES_MAX:
        raise BadDocument(str(path), f"has more than {LINES_MAX:,} lines.")
    return _describe(kind, meta, lines, path)


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


def _read(path: Path) -> bytes:
    try:
        if not path.is_file():
            raise BadDocument(str(path), "is not a regular file.")
        size = path.stat().st_size
        if size > SIZE_MAX:
            raise BadDocument(str(path), f"is {size:,} bytes; at most {SIZE_MAX:,} are read.")
        with path.open("rb") as file:
            return file.read(SIZE_MAX + 1)
    except OSError as problem:
        raise BadDocument(str(path), f"cannot be read: {problem.strerror or problem}.") from problem


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


def _describe(kind: str, meta: dict[str, Any], lines: tuple[Line, ...], path: Path) -> Converted:
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
