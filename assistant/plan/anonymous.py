"""Cards known only by their memory: "a 24 GB card", 「一张 24G 的卡」."""

import re

from kb.base import Frozen
from kb.units import GIB

_AMOUNT = re.compile(r"(?<![\d.])(\d{1,3})\s?(?:G|GB|GiB)(?![A-Za-z])", re.I)
_COUNTS = {
    "一": 1,
    "单": 1,
    "两": 2,
    "双": 2,
    "二": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "八": 8,
    "one": 1,
    "single": 1,
    "two": 2,
    "dual": 2,
    "four": 4,
    "eight": 8,
}
_COUNT = re.compile(
    r"(?:(\d{1,3})|([一单两双二三四五六八]))\s?(?:张|块|片|卡)|(\d{1,3})\s?[x×*]\s?\d"
    r"|\b(one|single|two|dual|four|eight)\b",
    re.I,
)
LEAST_GIB, MOST_GIB = 2, 512
"""Amounts outside this are no card's memory."""


class AnonymousCard(Frozen):
    """Some number of a card of which only the memory is known."""

    memory_bytes: int
    count: int


def anonymous_card(text: str) -> AnonymousCard | None:
    """The first amount of memory in the text that a card could have, and how many such cards."""
    amount = next((int(m[1]) for m in _AMOUNT.finditer(text) if LEAST_GIB <= int(m[1]) <= MOST_GIB), None)
    if amount is None:
        return None
    return AnonymousCard(memory_bytes=amount * GIB, count=_count(text))


def _count(text: str) -> int:
    match = _COUNT.search(text)
    if match is None:
        return 1
    digits = match[1] or match[3]
    return int(digits) if digits else _COUNTS[(match[2] or match[4]).lower()]
