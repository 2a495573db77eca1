"""Pasted text as lines: what terminals, chats and loggers put around them is taken off, what stood where is kept."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from kb.artifacts.mask import masked_line, secrets_in, without_private_keys
from kb.artifacts.prefixes import unprefixed

READ_MAX = 1_000_000
"""Characters that are read; what follows is left as prose."""
_COLOURS = re.compile(
    r"\x1b\[[0-9;?]{0,20}[A-Za-z]|\x1b\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|\[\d{1,3}(?:;\d{1,3}){0,4}m"
)
_QUOTED = re.compile(r"\s{0,3}>(?:\s{0,2}>){0,8}\s?")
_FENCE = re.compile(r"\s{0,40}(?:`{3,}|~{3,})\s{0,3}([A-Za-z0-9_+.\-]{0,20})\s{0,20}$")
_WIDTHS: dict[int, int | str | None] = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_WIDTHS |= dict.fromkeys((0x3000, 0xA0, 0x2007, 0x202F), " ") | dict.fromkeys((0x200B, 0x200C, 0x200D, 0xFEFF))
_WIDTHS |= dict.fromkeys(map(ord, "│┃║┆┊"), "|") | dict.fromkeys(map(ord, "─━"), "-") | {ord("═"): "="}
_WIDTHS |= dict.fromkeys(map(ord, "┌┐└┘├┤┬┴┼╔╗╚╝╠╣╦╩╬╒╕╘╛╞╡╤╧╪╭╮╰╯┏┓┗┛┣┫┳┻╋"), "+")


@dataclass(frozen=True, slots=True)
class Line:
    """One line as pasted and as cleaned."""

    index: int
    start: int
    """Of the line in the text, in characters."""
    end: int
    """Without the line break."""
    raw: str
    text: str
    """Without quoting, colours, prompts, log prefixes and secrets; indented as pasted, plain ASCII for full-width."""
    of: str | None = None
    """Which rank, pod or process its prefix names."""
    logged: bool = False
    """Whether a logger's prefix was taken off."""
    prompt: bool = False
    """Whether a shell's prompt was taken off."""
    fence: int | None = None
    """Number of the Markdown fence it lies in; None outside."""
    edge: bool = False
    """Whether it is a fence's own line."""

    @property
    def number(self) -> int:
        """Of the line in the text, from 1."""
        return self.index + 1


class Sheet:
    """A text as lines, with a fast way to the lines that hold a word."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._kept: dict[str, Any] = {}
        self.languages: list[str] = []
        """What each fence says it holds ("yaml"), by the number of the fence; "" where it does not say."""
        self.lines: tuple[Line, ...] = tuple(self._fenced(_split(text[:READ_MAX])))

    def _fenced(self, lines: Iterator[Line]) -> Iterator[Line]:
        """Lines with the fences they lie in; an unclosed one reaches to the end."""
        inside: int | None = None
        for line in lines:
            edge = _FENCE.match(line.text) if line.text.lstrip()[:3] in ("```", "~~~") else None
            if edge is None:
                yield line if inside is None else replace(line, fence=inside)
                continue
            if inside is None:
                self.languages.append(edge[1].lower())
                inside = len(self.languages) - 1
                yield replace(line, fence=inside, edge=True)
            else:
                yield replace(line, fence=inside, edge=True)
                inside = None

    @cached_property
    def lowered(self) -> str:
        """All cleaned lines in lower case, one a line."""
        return "\n".join(line.text.lower() for line in self.lines)

    @cached_property
    def _starts(self) -> list[int]:
        starts, at = [], 0
        for line in self.lines:
            starts.append(at)
            at += len(line.text.lower()) + 1
        return starts

    def at(self, word: str) -> list[int]:
        """Indices of the lines that hold the lower-case word."""
        found: list[int] = []
        place = self.lowered.find(word)
        while place >= 0:
            index = bisect_right(self._starts, place) - 1
            found.append(index)
            after = self._starts[index + 1] if index + 1 < len(self._starts) else len(self.lowered)
            place = self.lowered.find(word, after)
        return found

    def kept(self, name: str, made: Callable[[], Any]) -> Any:
        """What several formats need of the whole text, made once."""
        if name not in self._kept:
            self._kept[name] = made()
        return self._kept[name]

    def at_any(self, words: Iterable[str]) -> list[int]:
        """Indices of the lines that hold one of the lower-case words, each once, in order."""
        return sorted({index for word in words for index in self.at(word)})

    def place(self, line: Line, column: int, end: int) -> tuple[int, int]:
        """(start, end) in the text of a part of a cleaned line; the whole line where cleaning moved it."""
        part = line.text[column:end]
        offset = line.raw.find(part) if part else -1
        return (line.start, line.end) if offset < 0 else (line.start + offset, line.start + offset + len(part))


def _split(text: str) -> Iterator[Line]:
    start = 0
    text = without_private_keys(text)
    words = secrets_in(text)
    plain = text if text.isascii() else text.translate(_WIDTHS)
    for index, (raw, line) in enumerate(zip(text.split("\n"), plain.split("\n"), strict=True)):
        yield _cleaned(index, start, raw, line, words)
        start += len(raw) + 1


def _cleaned(index: int, start: int, raw: str, text: str, words: tuple[str, ...]) -> Line:
    if "\r" in text:  # a progress bar paints over itself; what it showed last counts
        text = text.rstrip("\r").rsplit("\r", 1)[-1]
    if "[" in text:
        text = _COLOURS.sub("", text)
    if (quoted := _QUOTED.match(text)) is not None:
        text = text[quoted.end() :]
    stripped = unprefixed(text)
    text = stripped.text.rstrip()
    if words and any(word in lowered for lowered in (text.lower(),) for word in words):
        text = masked_line(text)
    return Line(index, start, start + len(raw), raw, text, stripped.of, stripped.logged, stripped.prompt)
