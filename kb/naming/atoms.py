"""A text as atoms: runs of letters, runs of digits, single Han characters; and how far two words are apart.

`a10` never matches inside `a100`, while `RTX4090`, `rtx 4090` and `RTX-4090` are the same two atoms.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

ATOM = re.compile(
    r"(?<=\d)x(?=[a-z]{1,7}\d)"  # 8xh100
    r"|(?<=\d)b(?=a\d|q\d|int\d|fp\d|awq|gptq|instruct|chat)"  # 30ba3b, 7bq4
    r"|[a-z]{3,}(?=v\d)|[a-z]+|\d{1,20}(?:[._]\d{1,9}){0,3}|[\u4e00-\u9fff]|\+"
)
GAP = re.compile(r"[\s\-_‐‑–·•:/()（）\[\]]{0,3}|\.")
"""What may stand between two atoms of one name."""
TIGHT = re.compile(r"[-_‐‑–]{0,1}")
GIGABYTES = {"gb", "gib"}
DIGITS = frozenset("0123456789")
WRONG_LETTER = 6
"""Shortest run in which one letter may be another; in shorter ones it makes another word (flex, flux)."""


@dataclass(frozen=True, slots=True)
class Atom:
    """One atom of a text, and where it stands."""

    text: str
    start: int
    end: int


def normalise(text: str) -> str:
    """Lower case, compatibility forms folded (full width → half width), same length where that is possible."""
    folded = text
    if not text.isascii():
        for character in set(text):
            if (plain := _fold(character)) != character:
                folded = folded.replace(character, plain)
    lower = folded.lower()
    return lower if len(lower) == len(folded) else folded


@lru_cache(maxsize=4096)
def _fold(character: str) -> str:
    if character.isascii():
        return character
    folded = unicodedata.normalize("NFKC", character)
    return folded if len(folded) == 1 else character


@lru_cache(maxsize=65_536)
def atoms_of(name: str) -> tuple[str, ...]:
    """The atoms of a name: `Qwen2.5-72B` → qwen, 2.5, 72, b."""
    return tuple([word for word, _, _ in _words(normalise(name))])


def atoms_in(text: str) -> Iterator[Atom]:
    """The atoms of a folded text with their places."""
    return (Atom(word, start, end) for word, start, end in _words(text))


def _words(text: str) -> Iterator[tuple[str, int, int]]:
    """Each atom, where it begins and where it ends; a size in "GB" or "GiB" is one in "G"."""
    numbered = -1
    for match in ATOM.finditer(text):
        word = match[0]
        start, end = match.span()
        if word in GIGABYTES and numbered == start:
            word = "g"
        numbered = end if word[0] in DIGITS else -1
        yield (word.replace("_", ".") if "_" in word else word), start, end


def joined(text: str, left: Atom, right: Atom) -> bool:
    """Whether nothing but what may stand inside a name separates the two."""
    return left.end == right.start or GAP.fullmatch(text, left.end, right.start) is not None


def one_less(word: str) -> set[str]:
    """The word with each of its letters left out in turn."""
    return {word[:place] + word[place + 1 :] for place in range(len(word))}


def one_slip(word: str, other: str) -> bool:
    """One letter more, less, other, or two swapped."""
    if abs(len(word) - len(other)) == 1:
        longer, shorter = (word, other) if len(word) > len(other) else (other, word)
        return shorter in one_less(longer)
    if len(word) != len(other):
        return False
    wrong = [place for place, (a, b) in enumerate(zip(word, other, strict=True)) if a != b]
    if len(wrong) == 1:
        return len(word) >= WRONG_LETTER
    return (
        len(wrong) == 2
        and wrong[1] == wrong[0] + 1
        and word[wrong[0]] == other[wrong[1]]
        and (word[wrong[1]] == other[wrong[0]])
    )
