"""The text as it is read: normalised, lower case, with the way back to the original."""

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

from assistant.understanding import Span

READ_CHARACTERS_MAX = 20_000
"""What follows is not read; a question is a few lines, a pasted log a few thousand characters."""
_COMMA = {"，": ", ", "；": "; ", "：": ": ", "？": "? ", "！": "! "}
"""Full-width punctuation ends a number; NFKC alone would glue 「3090，128」 into one."""
_SENTENCE_END = re.compile(r"[。？?!！;；\n]|(?<=[^\d])\.(?=\s)|(?<=\d)\.(?=\s)")


def grammar(expression: str) -> re.Pattern[str]:
    """A pattern for lower-case text; ASCII classes, so that Han characters are no part of a Latin word."""
    return re.compile(expression, re.ASCII)


@dataclass(frozen=True)
class Text:
    """Normalised text (`plain`) with the original offset of every character."""

    original: str
    plain: str
    offsets: tuple[int, ...]

    @classmethod
    def of(cls, original: str) -> "Text":
        """Normalise character by character (NFKC, lower case), so that offsets survive."""
        plain: list[str] = []
        offsets: list[int] = []
        for index, character in enumerate(original[:READ_CHARACTERS_MAX]):
            folded = _fold(character)
            plain.append(folded)
            offsets.extend([index] * len(folded))
        return cls(original, "".join(plain), (*offsets, min(len(original), READ_CHARACTERS_MAX)))

    def span(self, slot: str, start: int, end: int) -> Span:
        """The piece of the original that [start, end) of the plain text came from."""
        first, last = self.offsets[start], self.offsets[max(start, end - 1)] + 1
        return Span(slot=slot, start=first, end=last, text=self.original[first:last])

    @cached_property
    def sentence_ends(self) -> tuple[int, ...]:
        """Where sentences end in `plain`."""
        return tuple(match.end() for match in _SENTENCE_END.finditer(self.plain))

    def sentence(self, position: int) -> int:
        """Number of the sentence that holds `position`."""
        return bisect_right(self.sentence_ends, position)


def _fold(character: str) -> str:
    if character.isascii():
        return character.lower()
    if character in _COMMA:
        return _COMMA[character]
    return unicodedata.normalize("NFKC", character).lower()


Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Found(Generic[Value]):
    """A value read from [start, end) of the plain text."""

    value: Value
    start: int
    end: int


def masked(plain: str, pieces: list[tuple[int, int, str]]) -> str:
    """`plain` with each [start, end) filled with its mark: same length, so offsets keep."""
    characters = list(plain)
    for start, end, mark in pieces:
        characters[start:end] = mark * (end - start)
    return "".join(characters)
