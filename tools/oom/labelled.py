"""Sizes of an error text by the words beside them: "want 3.1 GiB | total 24 GiB | free 2 GiB", in whatever wording."""

import re
from functools import lru_cache
from typing import NamedTuple

from kb.oom import oom_facts
from kb.units import GIB, KIB, MIB, TIB

UNITS = {"k": KIB, "m": MIB, "g": GIB, "t": TIB}
SIZE = re.compile(
    r"(?<![\w.])(?P<number>\d{1,15}(?:,\d{3}){0,4}(?:\.\d{1,6})?)\s?(?P<unit>[kmgt]i?b?|bytes?|b)(?![\w/])",
    re.IGNORECASE,
)
BEFORE_MAX, AFTER_MAX = 48, 28
"""Characters before and behind a size in which its word may stand."""
ENDS = re.compile(r"[;|。；，]|[,.)](?=\s)|\bbut\b|\band\b")
"""What ends the words of one size."""
GIVES = re.compile(r"[:=：]\s*\Z")
"""What says that words are of the size behind them."""


class _Size(NamedTuple):
    bytes: int
    start: int
    end: int


def labelled(text: str) -> dict[str, int]:
    """Field of `Quantities` → bytes, for every size of a folded text that a word beside it tells; of several, the last.

    A word that stands before the size counts, else one behind it, unless a colon gives that to the next size. PyTorch's
    convention holds for all: units are binary.
    """
    sizes = [_Size(_bytes(match), match.start(), match.end()) for match in SIZE.finditer(text)]
    found: dict[str, int] = {}
    taken = 0
    for place, size in enumerate(sizes):
        next_ = sizes[place + 1].start if place + 1 < len(sizes) else len(text)
        field = _told(_tail(text[max(taken, size.start - BEFORE_MAX) : size.start]), last=True)
        taken = size.end
        if field is None:
            behind = _head(text[size.end : min(next_, size.end + AFTER_MAX)])
            if size.end + len(behind) < next_ or not GIVES.search(behind):
                field = _told(behind, last=False)
                taken += len(behind)
        if field is not None:
            found[field] = size.bytes
    return found


def _tail(before: str) -> str:
    """What stands behind the last end of a clause."""
    ends = [match.end() for match in ENDS.finditer(before)]
    return before[ends[-1] :] if ends else before


def _head(behind: str) -> str:
    """What stands before the first end of a clause; the very text where it has none."""
    match = ENDS.search(behind)
    return behind[: match.start()] if match else behind


def _told(words: str, *, last: bool) -> str | None:
    """The field that words tell; of several the nearest to the size."""
    spots = [
        (match.start(), field) for field, pattern in _labels() for match in pattern.finditer(words)
    ]  # fmt: skip
    if not spots:
        return None
    return max(spots)[1] if last else min(spots)[1]


@lru_cache(maxsize=1)
def _labels() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((field, re.compile(words, re.IGNORECASE)) for field, words in oom_facts().labels.items())


def _bytes(match: re.Match[str]) -> int:
    return round(float(match["number"].replace(",", "")) * UNITS.get(match["unit"][0].lower(), 1))
