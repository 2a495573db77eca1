"""What a figure is of: the name of its sentence, or of the heads of its cell, that it is tied to."""

import re
from collections.abc import Callable, Sequence

from assistant.grounding.wording.cues import says
from assistant.grounding.wording.mentions import Dimension, Product, ids_of
from assistant.grounding.wording.quantities import BYTES, PLAIN, UNITS, Quantity, quantities
from assistant.grounding.wording.statements import Statement

ON = re.compile(
    r"\s?(?:on|for|of|with|per|in|from|at|by|to)\s(?:the\s|an?\s|one\s|two\s|your\s|\d+\s?[×x*]\s?)*\Z", re.I
)
"""What ties a figure to the name behind it: "15 tokens/s on a 3090"."""
_UNIT = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))
BESIDE = re.compile(rf"(?:\s?(?:,|and|、|和|/)\s?\d[\d.,]*\s?(?:{_UNIT})(?![A-Za-z]))+")
"""Further figures with their units right behind one."""
REACH_AFTER = 26
APART = re.compile(r"[,，;；。]|\s(?:and|but|while|vs\.?|against|or)\s|而|但|和|、|与|对比?")
AGAINST = re.compile(
    r"\s(?:against|versus|vs\.?|compared (?:with|to)|while|whereas|than)\s|对比|對比|相比|而(?!且|是)", re.I
)
"""Between the sides of a comparison."""
PAIRED = re.compile(r"(?<=[\dSsWB%])\s?[对對]\s?(?=\d)")
ABOUT = re.compile(r"[\s*]*(?:about|around|roughly|约|大约)?[\s*~≈$¥€£\d.,–—-]*", re.I)
"""All that stands before a figure of what an earlier sentence named: "About $9,200, against $11,908 for 4090s"."""
CLOSING = re.compile(r"[)）]")
BEGIN, BEGIN_ZH = 12, 5
"""Characters at the beginning of a sentence that tell of what it speaks."""
JOINED = re.compile(r"[;；。]|[,，]\s?(?:and|but|so|while|plus|而|但|所以|再加|另加|加上|再)")
"""Between a figure and a name that another clause speaks of: "it needs 69 GiB, and your 5090 has 31"."""
TITLE_END = re.compile(r"(?:\s(?:in|on|with|at)\s[^:：;；。|]{1,60})?[\s*_`)）]{0,4}[:：][\s*_]*|[\s*_]*\s[–—-]\s")
"""What stands between a name and what is said of it."""
PART_END = re.compile(r"[:：;；]\s|[；：;]|(?<=[一-鿿]):|:(?=[一-鿿])|\s[–—-]\s|——")
RISES = re.compile(
    r"(?:(?:ris|go|grow|climb|improv|increas|drop|fall|rais)\w*(?:\s\w+)?\sfrom|从|由)\s?(?:about|约|[~≈])?\s?\Z", re.I
)
RISEN = re.compile(r"\s?(?:to\s|[升提降增涨变跌]\S{0,3}[到至为])", re.I)
"""Around the first figure of a change: "rises only from 936 GB/s to 1,008 GB/s"."""
COMPARED = re.compile(
    r"(?:\b(?:than|unlike|instead of|rather than|compared (?:with|to)|over)\s(?:the\s|an?\s|your\s|with\s)?"
    r"|\b(?:below|above)\s(?:the\s|an?\s|your\s)?|比[上次报報之前那的]{1,6}\s?|(?:比|较|較|不如|不像|低于|高于|不及)起?\s?)\Z",
    re.I,
)
"""Before a name that something is compared with, of which nothing is said: 「比 FP8 还大:664 GiB」."""
OF_THE_COMPARED = re.compile(
    r"(?:(?:\s[a-z]+){0,2}['’]s?|\s?的)?\s?[(（]?(?:about|only|at|with|has|is|of|约|只有|是|为)?\s?[~≈$¥€£]?\s?\Z", re.I
)
"""Between the name of what is compared with and a figure of its own: "than the 3090's 936 GB/s"."""
RESPECTIVELY = re.compile(r"分别|分別|\brespectively\b", re.I)
"""What says that each figure is of one of the names of its sentence."""
NOTED, ONLY = (
    re.compile(r"[(（][^)）]*\Z"),
    re.compile(r"[(（]\s?(?:(?:on|for|with|per|in)\s)?(?:(?:the|an?|your|\d+\s?[×x])\s?)*\Z", re.I),
)
"""A note in brackets before a name, and one that begins with the name: "63 GiB (RTX 3090)"."""


def owner(
    dimension: Dimension, text: str, quantity: Quantity, named: Sequence[Product], around: Sequence[Product]
) -> frozenset[str]:
    """What a figure is of: the name that a preposition ties it to, else the last before it, else the next."""
    if (rise := RISES.search(text, max(0, quantity.start - 24), quantity.start)) and RISEN.match(text, quantity.end):
        named = [one for one in named if one.start > rise.start()]  # what was before is of another
    here = [one for one in named if one.dimension == dimension and not _aside(text, quantity, one)]
    if not here:
        return ids_of(around, dimension)
    start, end = _part(text, quantity)
    if (both := _in_order(text, quantity, here)) is not None:
        return both
    if _goes_on(text, quantity, here):
        return frozenset()
    if RESPECTIVELY.search(text) and quantity.end <= here[-1].start:
        return frozenset().union(*(one.ids for one in here))
    start, end = _side(text, quantity, here, start, end)
    after = next((one for one in here if quantity.end <= one.start < end), None)
    before = next((one for one in reversed(here) if start <= one.start and one.end <= quantity.start), None)
    if before is None and (titled := _title(text, start, here)) is not None:
        before = titled
    earlier = next((one for one in reversed(here) if one.end <= start), None)
    if after is not None and _tied(quantity, text[quantity.end : after.start]):
        return after.ids
    if before is None and after is None and len(here) == 1 < len([one for one in named if one.dimension == dimension]):
        return here[0].ids  # all others are only compared with
    if before is None and (after is None or earlier is not None):
        either = (*((after,) if after else ()), *((earlier,) if earlier and after else ()))
        return frozenset().union(*(one.ids for one in either))
    if before is None:
        joined = after is None or JOINED.search(text[quantity.end : after.start])
        return after.ids if after is not None and not joined else frozenset()
    if (
        after is not None
        and _new_clause(text[before.end : quantity.start])
        and not APART.search(text[quantity.end : after.start])
    ):
        return before.ids | after.ids
    return _listed(text, here, before)


def _aside(text: str, quantity: Quantity, name: Product) -> bool:
    """Whether a name stands aside of what is said: something is compared with it, or a later note speaks of it."""
    if name.end <= quantity.start:
        between = text[name.end : quantity.start]
        return COMPARED.search(text, 0, name.start) is not None and OF_THE_COMPARED.match(between) is None
    if COMPARED.search(text, quantity.end, name.start):
        return True
    note = NOTED.search(text, quantity.end, name.start)
    if note is None:
        return False
    closed = CLOSING.search(text, name.end)
    inside = text[name.end : closed.start()] if closed else ""
    if any(one.kind == quantity.kind for one in quantities(inside)):
        return True  # the name has a figure of its own: "1.6 TB/s (the H200: 4.8 TB/s)"
    return ONLY.match(text[note.start() : name.start]) is None


def _side(text: str, quantity: Quantity, here: Sequence[Product], start: int, end: int) -> tuple[int, int]:
    """The side of a comparison that a figure stands on, where both name a product: "24 GB against 16 on a T4"."""
    for match in AGAINST.finditer(text, start, end):
        sides = ((start, match.start()), (match.end(), end))
        if all(any(one <= name.start < other for name in here) for one, other in sides):
            return sides[0] if quantity.start < match.start() else sides[1]
    return start, end


def _in_order(text: str, quantity: Quantity, here: Sequence[Product]) -> frozenset[str] | None:
    """Either of the two names before a bracket that holds two figures and no name: "A … B (180 W against 350 W)"."""
    opened = max(text.rfind(one, 0, quantity.start) for one in "(（")
    closed = CLOSING.search(text, quantity.end)
    if opened < 0 or closed is None or CLOSING.search(text, opened, quantity.start):
        return None
    against = AGAINST.search(text, opened, closed.start()) or PAIRED.search(text, opened, closed.start())
    if not against or any(opened < one.start < closed.start() for one in here):
        return None
    before = [one for one in here if one.end <= opened][-2:]
    if len(before) == 1 and quantity.start > against.start():
        return frozenset()  # of what the question compares with: "the A10 has more (125 against 71.2 TFLOPS)"
    return before[0].ids | before[1].ids if len(before) == 2 else None


def _goes_on(text: str, quantity: Quantity, here: Sequence[Product]) -> bool:
    """Whether a figure is of what an earlier sentence named: "They cost $2,414, against $2,977 for the 4090"."""
    against = AGAINST.search(text, quantity.end)
    if against is None or any(one.start < against.start() for one in here):
        return False
    begins = text[: BEGIN_ZH if text[:1] > "一" else BEGIN]
    return says("going_on", begins) or ABOUT.fullmatch(text, 0, quantity.start) is not None


def _tied(quantity: Quantity, between: str) -> bool:
    """Whether a preposition ties a figure to the name behind it, with no other part of the sentence between.

    Figures of other kinds that are told beside it are passed over: "56.3 TFLOPS and 960 GB/s on the RTX 5080".
    """
    beside = BESIDE.match(between)
    if beside is not None and all(one.kind != quantity.kind for one in quantities(beside[0])):
        between = between[beside.end() :]
    return len(between) <= REACH_AFTER and ON.search(between) is not None and APART.search(between) is None


def _title(text: str, start: int, here: Sequence[Product]) -> Product | None:
    """The name that a part is headed by: the card of "RTX 4090: 24 GB"."""
    last = next((one for one in reversed(here) if one.end <= start), None)
    return last if last is not None and TITLE_END.fullmatch(text, last.end, start) else None


def _part(text: str, quantity: Quantity) -> tuple[int, int]:
    """The part of a sentence that a figure stands in, between colons, semicolons and dashes."""
    starts = [match.end() for match in PART_END.finditer(text, 0, quantity.start)]
    stop = PART_END.search(text, quantity.end)
    return (starts[-1] if starts else 0), (stop.start() if stop else len(text))


def _new_clause(between: str) -> bool:
    return APART.search(between) is not None


def _listed(text: str, here: Sequence[Product], last: Product) -> frozenset[str]:
    """The name, and those that stand in a list before it: in "3090 and 4090: both 24 GB" the figure is of both."""
    ids, place = last.ids, list(here).index(last)
    while place and re.fullmatch(
        r"\s?(?:,|，|、|/|→|and|or|和|与|或|或者|vs\.?|versus|against|对|對)\s?(?:the\s|an?\s)?",
        text[here[place - 1].end : here[place].start],
    ):
        place -= 1
        ids = ids | here[place].ids
    return ids


def around_of(statement: Statement, named: Callable[[str], tuple[Product, ...]]) -> tuple[Product, ...]:
    """What the heads of a cell name, else the rest of its row, else the head of the first column."""
    if statement.kind != "cell":
        return ()
    told = [*named(statement.row), *named(statement.column)]
    beside = " | ".join(one for one in statement.beside.split(" | ") if not _measures(one))
    for other in (beside, statement.corner):
        known = {one.dimension for one in told}
        told += [one for one in named(other) if one.dimension not in known]
    return tuple(told)


def _measures(cell: str) -> bool:
    """Whether a cell tells a figure of its own, and with it of what that is."""
    return any(one.kind not in {PLAIN, BYTES} for one in quantities(cell))


def run_of(
    text: str, quantity: Quantity, runs: Sequence[Product], around: Sequence[Product]
) -> dict[str, frozenset[str]]:
    """How what a figure is of is run: by each dimension that its sentence, or the heads of its cell, name."""
    near = [one for one in runs if one.end <= quantity.start or not APART.search(text[quantity.end : one.start])]
    said = {one.dimension for one in runs}
    around = [one for one in around if one.dimension not in said]  # a cell speaks for itself
    dimensions = {one.dimension for one in (*near, *around)}
    return {one: owner(one, text, quantity, near, around) for one in sorted(dimensions)}
