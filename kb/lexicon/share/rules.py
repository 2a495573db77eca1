"""Shares and growth as people write them: 45 % · 0.25 · 三成 · 5 % a month · doubles every year · 每月涨10%."""

import re
from functools import lru_cache

from kb.base import BadInput
from kb.lexicon.count.rules import numbers
from kb.lexicon.text import grammar, plain
from kb.lexicon.words import any_of, meaning, vocabulary

MOST = 100.0
"""Per cent from which a share is none; what grows may grow by more."""
GROWTH_MOST = 10.0
"""A month: eleven times as much as the month before."""


def read_share(text: str, field: str = "share", *, signed: bool = False) -> float:
    """The share of a whole that `text` says, 0 to 1; of a range, its upper end. A bare number above 1 is per cent.

    `signed` takes only what says that it is a share, no bare number.

    Raises:
        BadInput: there is none, several, or one of more than the whole.
    """
    found = _shares(plain(text), signed=signed)
    if len(found) != 1 or not 0 <= found[0] <= 1:
        raise BadInput(field, f"“{text[:60]}” is no share of a whole.", 'Give 0 to 100 per cent, e.g. "45 %", "0.45".')
    return found[0]


def read_growth(text: str, field: str = "growth") -> float:
    """By which part of itself something grows in a month; of a range, its upper end.

        (1 + share) ^ (1 / months) − 1

    Raises:
        BadInput: there is no share, or no time in which it grows by so much.
    """
    words = plain(text)
    times = [meaning("share", "times", one[0]) for one in _word("times").finditer(words)]
    found = [one - 1 for one in times] or _shares(words, signed=True)
    spans = [meaning("share", "months", one[0]) for one in _word("months").finditer(words)]
    if len(found) != 1 or len(set(spans)) != 1:
        lacking = "says no time in which it grows" if len(found) == 1 and not spans else "is no growth"
        raise BadInput(field, f"“{text[:60]}” {lacking}.", 'Give e.g. "5 % a month", "doubles every year".')
    monthly = float((1 + found[0]) ** (1 / spans[0]) - 1)
    if not -1 < monthly <= GROWTH_MOST:
        raise BadInput(field, f"“{text[:60]}” is no growth of a load.", "Give at most 1000 % a month.")
    return monthly


def _shares(words: str, *, signed: bool) -> list[float]:
    """Every share of the text, as a part of 1."""
    found = []
    for one in numbers(words, letters="", articles=False, loose=True):
        if scale := _behind().match(words, one.end):
            found.append(one.value * meaning("share", "behind", scale["sign"]))
        elif before := _before().search(words[: one.start]):
            found.append(one.value * meaning("share", "before", before["sign"]))
        elif not signed and len(re.findall(r"\d", words[: one.start] + words[one.end :])) == 0:
            found.append(one.value / 100 if 1 < one.value <= MOST else one.value)
    return found


@lru_cache(maxsize=1)
def _behind() -> re.Pattern[str]:
    return grammar(rf" ?(?P<sign>{any_of(vocabulary('share', 'behind'))})")


@lru_cache(maxsize=1)
def _before() -> re.Pattern[str]:
    return grammar(rf"(?P<sign>{any_of(vocabulary('share', 'before'))}) ?$")


@lru_cache(maxsize=4)
def _word(kind: str) -> re.Pattern[str]:
    return grammar(any_of(vocabulary("share", kind)))
