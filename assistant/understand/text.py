"""The text as it is read: normalised, lower case, with the way back to the original."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

from assistant.understanding import Span
from kb.lexicon.text import SIMPLIFIED, fold, grammar

__all__ = ["SIMPLIFIED", "Found", "Text", "grammar", "masked"]

READ_CHARACTERS_MAX = 20_000
"""What follows is not read; a question is a few lines, a pasted log a few thousand characters."""
LONGEST_STEP = 12
"""Characters of the original that are left out inside a name; a longer way is another place."""
_SENTENCE_END = re.compile(r"[。？?!！;；\n]|(?<=[^\d])\.(?=\s)|(?<=\d)\.(?=\s)")


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
            folded = "," if _groups_digits(original, index) else fold(character)
            if folded.isspace():
                folded = _blank(folded, plain)
            if folded:
                plain.append(folded)
            offsets.extend([index] * len(folded))
        return cls(original, "".join(plain), (*offsets, min(len(original), READ_CHARACTERS_MAX)))

    def without(self, rule: re.Pattern[str]) -> "Text":
        """The text less what `rule` matches; offsets still lead to what was written."""
        bounds = [0, *(place for match in rule.finditer(self.plain) for place in match.span()), len(self.plain)]
        if len(bounds) == 2:
            return self
        kept = list(zip(bounds[::2], bounds[1::2], strict=True))
        plain = "".join(self.plain[start:end] for start, end in kept)
        offsets = tuple(offset for start, end in kept for offset in self.offsets[start:end])
        return Text(self.original, plain, (*offsets, self.offsets[-1]))

    def replaced(self, pieces: Sequence[tuple[int, int, str]]) -> "Text":
        """The text with each [start, end) of `pieces`, which are in order, put in other words."""
        if not pieces:
            return self
        plain: list[str] = []
        offsets: list[int] = []
        done = 0
        for start, end, words in pieces:
            plain += [self.plain[done:start], words]
            offsets += self.offsets[done:start]
            offsets += [self.offsets[min(start + index, end - 1)] for index in range(len(words))]
            done = end
        return Text(self.original, "".join([*plain, self.plain[done:]]), (*offsets, *self.offsets[done:]))

    def span(self, slot: str, start: int, end: int) -> Span:
        """The piece of the original that [start, end) of the plain text came from."""
        start = self._after_leap(start, max(start, end - 1))
        first, last = self.offsets[start], self.offsets[max(start, end - 1)] + 1
        return Span(slot=slot, start=first, end=last, text=self.original[first:last])

    def _after_leap(self, start: int, last: int) -> int:
        """Where the piece that ends at `last` begins to stand together: what corrects a word is said far from it."""
        steps = ((place, self.offsets[place] - self.offsets[place - 1]) for place in range(last, start, -1))
        return next((place for place, step in steps if not 0 <= step <= LONGEST_STEP), start)

    @property
    def simplified(self) -> str:
        """What was written, in simplified characters: one for one, so places keep."""
        return self.original.translate(SIMPLIFIED)

    @cached_property
    def sentence_ends(self) -> tuple[int, ...]:
        """Where sentences end in `plain`."""
        return tuple(match.end() for match in _SENTENCE_END.finditer(self.plain))

    def sentence(self, position: int) -> int:
        """Number of the sentence that holds `position`."""
        return bisect_right(self.sentence_ends, position)


def _groups_digits(original: str, index: int) -> bool:
    """Whether a full-width comma stands between full-width digits, as in 「３，５００」: an amount, not a list."""
    around = original[index - 1 : index] + original[index + 1 : index + 4]
    if original[index] != "，" or len(around) != 4 or "０" <= original[index + 4 : index + 5] <= "９":
        return False
    return all("０" <= digit <= "９" for digit in around)


def _blank(folded: str, before: list[str]) -> str:
    """One space for any run of blanks; a line break inside a list is no more than a space."""
    last = before[-1][-1:] if before else ""
    if "\n" in folded:
        return "\n" if last not in {",", "、"} else " "
    return "" if last == " " else " "


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
