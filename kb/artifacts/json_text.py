"""JSON documents within a text: found by their braces, read with the slips people make, each key with its line."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kb.artifacts.artifact import Block, Spot
from kb.artifacts.sheet import Line, Sheet

_STRING = re.compile(r'"(?:[^"\\\n]|\\.){0,20000}"')
_COMMENT = re.compile(r"(?<![:\"'\w])//[^\n]*|(?m:^\s*#[^\n]*$)|\s#\s[^\n]*$", re.MULTILINE)
_TRAILING = re.compile(r",(\s*[}\]])")
_ELLIPSIS = re.compile(r"(?m)^\s*\.{3}\s*,?\s*$|,\s*\.{3}")
_PYTHON = {"True": "true", "False": "false", "None": "null"}
_BRACKET = re.compile(r"[{}\[\]]")
_KEY = re.compile(r'["\']([^"\'\n]{1,200})["\']\s*:')
LINES_MAX = 60_000
DEPTH_MAX = 60


@dataclass(frozen=True, slots=True)
class Document:
    """A JSON object or list and where it lies."""

    spot: Spot
    value: Any
    loose: bool
    """Whether it had slips: comments, trailing commas, Python's words, a missing end."""


def documents(sheet: Sheet) -> Sequence[Document]:
    """Every outermost JSON object or list of objects in the text; linear in the text."""
    return sheet.kept("json", lambda: tuple(_documents(sheet)))


def _documents(sheet: Sheet) -> Iterator[Document]:
    index, lines = 0, sheet.lines
    while index < min(len(lines), LINES_MAX):
        text = lines[index].text.lstrip()
        if not text.startswith(("{", "[{")) and text.rstrip() != "[":
            index += 1
            continue
        last = _end(lines, index)
        if last is None:
            index += 1
            continue
        read = loads("\n".join(line.text for line in lines[index : last + 1]))
        if read is not None and isinstance(read[0], dict | list) and read[0]:
            yield Document(Spot(index, last), *read)
        index = last + 1


def _end(lines: tuple[Line, ...], first: int) -> int | None:
    """Index of the line in which what opens in the first one closes; of the last line where it never does and all of
    it looks like JSON; None where it is none."""
    depth = 0
    for index in range(first, min(len(lines), first + LINES_MAX)):
        line = lines[index]
        if line.edge:
            return index - 1 if depth > 0 and index > first else None
        bare = _STRING.sub('""', line.text)
        for sign in _BRACKET.findall(bare):
            depth += 1 if sign in "{[" else -1
            if depth == 0:
                return index
        if depth > DEPTH_MAX:
            return None
    return len(lines) - 1 if depth > 0 else None


def loads(text: str) -> tuple[Any, bool] | None:
    """(value, whether it had slips) of a JSON text; None where it is none."""
    for loose, words in ((False, text), (True, None)):
        try:
            return json.loads(_mended(text) if words is None else words), loose
        except (ValueError, RecursionError):
            continue
    return None


def _mended(text: str) -> str:
    """The text without comments, trailing commas and Python's words, closed where its end is missing."""
    pieces: list[str] = []
    place = 0
    for match in _STRING.finditer(text):
        pieces += [_outside(text[place : match.start()]), match[0]]
        place = match.end()
    pieces.append(_outside(text[place:]))
    joined = _TRAILING.sub(r"\1", "".join(pieces))
    return joined + _closing(joined)


def _outside(text: str) -> str:
    text = _ELLIPSIS.sub("", _COMMENT.sub("", text))
    text = re.sub(r"'([^'\"\n]{0,400})'", r'"\1"', text)
    return re.sub(r"\b(True|False|None)\b", lambda match: _PYTHON[match[1]], text)


def _closing(text: str) -> str:
    stack: list[str] = []
    for sign in _STRING.sub('""', text):
        if sign in "{[":
            stack.append("}" if sign == "{" else "]")
        elif sign in "}]" and stack:
            stack.pop()
    return "".join(reversed(stack))


def lines_of_keys(block: Block) -> dict[str, Line]:
    """Key → the first line that holds it."""
    found: dict[str, Line] = {}
    for line in block.lines:
        for match in _KEY.finditer(line.text):
            found.setdefault(match[1], line)
    return found
