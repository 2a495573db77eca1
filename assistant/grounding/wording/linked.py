"""Bare numbers whose unit stands with another: terms of a sum, members of a list."""

import re
from collections.abc import Sequence
from itertools import pairwise

from assistant.grounding.wording.quantities import PLAIN, Quantity, quantities

LISTED = re.compile(
    r"\s?(?:(?P<comma>[,，])|、|or|and|或者?|和|还是|還是|vs\.?|versus|against|compared (?:with|to)|rather than"
    r"|instead of|对|對|比|→|/)\s?"
)
"""Between figures of a list that share the unit of its last: "16 or 24 GiB", 「16、24 GiB」."""
ADDED = re.compile(r"[^\d.。;；|\n=≈＝×*÷]{0,40}?(?:\s[-–]\s|[+＋−])[^\d。;；|\n×*÷]{0,40}")
EQUALS = re.compile(r"[^\d.。;；|\n×*÷]{0,24}[=≈＝]\s?(?:about|约|~)?\s?")
"""Between terms of a sum that share the unit at its end: "weights 2.1 + optimizer 4.2 = 6.3 GiB"."""
BESIDE = re.compile(r"[^\d.。;；|\n=≈＝×*÷+＋−/–—~～]{0,40}")
CLOSED = re.compile(r"\s?(?:[,，;；)）。]|\.(?!\d)|\Z)")
"""Behind a number to which no word of its own belongs."""
AMOUNT = re.compile(r"(?P<sign>[^\d]*)[\d.,]+\s?(?P<unit>.*)")


def in_unit_of(bare: Quantity, other: Quantity) -> tuple[Quantity, ...]:
    """A bare number in the unit of another."""
    told = AMOUNT.fullmatch(other.text)
    return tuple(quantities(f"{told['sign']}{bare.text} {told['unit']}")) if told else ()


def in_sum(text: str, found: Sequence[Quantity], place: int) -> tuple[Quantity, ...]:
    """A bare term of a sum in the unit at its end: the 2.1 of "weights 2.1 + optimizer 4.2 = 6.3 GiB"."""
    before = text[found[place - 1].end : found[place].start] if place else ""
    behind = text[found[place].end : found[place + 1].start] if place + 1 < len(found) else ""
    if not (ADDED.fullmatch(before) or ADDED.fullmatch(behind)):
        return ()
    unit: Quantity | None = None
    for here, after in pairwise(found[place:]):
        ends = EQUALS.fullmatch(text, here.end, after.start) is not None
        if not ends and not ADDED.fullmatch(text, here.end, after.start):
            break
        unit = after if after.kind != PLAIN and (ends or unit is None) else unit
        if ends:
            break
    return in_unit_of(found[place], unit) if unit is not None else ()


def in_list(text: str, found: Sequence[Quantity], place: int) -> tuple[Quantity, ...]:
    """A bare member of a list in the unit of its last: the 16 of "16, 24 or 32 GiB"."""
    for here, after in pairwise(found[place:]):
        match = LISTED.fullmatch(text, here.end, after.start)
        if match is None:
            return ()
        if after.kind != PLAIN:
            return in_unit_of(found[place], after) if match["comma"] is None else ()
    return ()


def in_unit_before(text: str, found: Sequence[Quantity], place: int) -> tuple[Quantity, ...]:
    """A number with no word of its own in the unit of the last before it: the 38 of "31–46 s, about 38"."""
    if not CLOSED.match(text, found[place].end):
        return ()
    for index in range(place - 1, -1, -1):
        if not BESIDE.fullmatch(text, found[index].end, found[index + 1].start):
            return ()
        if found[index].kind != PLAIN and not found[index].borrowed:
            return in_unit_of(found[place], found[index])
    return ()
