"""Intervals around a figure: "5.12 h (3.01–9.73)" is told of one thing, from low to high."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from assistant.grounding.standing.evidence import Evidence
from assistant.grounding.wording.figures import Figure
from assistant.grounding.wording.quantities import BYTES, FLOPS, MONEY, PACE, PERCENT, PLAIN, POWER, RATE, TIME
from assistant.grounding.wording.statements import Statement

OPENS = re.compile(r"[^\d()（）|]{0,8}[(（][^\d()（）|]{0,8}")
FAR = re.compile(r"[^()（）|;；。]{0,60}[(（][^\d()（）|]{0,8}")
"""The same, with a condition between: " a month with the 320 W limit ("."""
DASH = re.compile(r"(?:\s?(?:–|—|~|～|到|至|to)\s?|-)[$¥€£]?")
EQUALS = re.compile(r"\s?[=≈]")
FROM = re.compile(
    r"(?:(?:drop|fall|shrink|halv|cut|go|reduc|lower|rais|ris|grow|chang)\w*(?:\s\w+)?\sfrom|从|由)\s?(?:about|约|[~≈])?\s?[$¥€£]?\Z",
    re.I,
)
"""Before what is no interval: "halves from 8.6 to 4.3 GiB"."""
AT = re.compile(r"\s(?:at|for|with|@)\s\Z")
"""Between a figure and the length it holds for."""
CLOSES = re.compile(r"[^\d()（）|]{0,8}[)）]")
KINDS = frozenset({BYTES, RATE, FLOPS, MONEY, TIME, POWER, PERCENT, PACE})
"""Kinds that are told with an interval."""


def torn(statement: Statement, looked: Sequence[Figure], evidence: Evidence) -> Iterator[tuple[Figure, str]]:
    """Ends of intervals that run from high to low, or that no text tells together with the figure they stand behind."""
    text, start = statement.text, statement.start
    told = sorted((one for one in looked if one.readings), key=lambda one: one.start)
    for place, (low, high) in enumerate(pairwise(told)):
        if low.readings[0].kind not in KINDS or not DASH.fullmatch(text, low.end - start, high.start - start):
            continue
        if EQUALS.match(text, high.end - start) or FROM.search(text, 0, low.start - start):
            continue  # a difference, or a change
        if _above(low, high):
            yield low, "the interval runs from high to low"
        middle = _middle(text, start, _of_kind(text, start, told[:place], low))
        opens = OPENS if place and middle is told[place - 1] else FAR
        if middle is None or not opens.fullmatch(text, middle.end - start, low.start - start):
            continue
        if middle.counts or not CLOSES.match(text, high.end - start):  # "with 4 cards (0.26–0.7 s)"
            continue
        if _above(low, middle) or _above(middle, high):
            yield low, "the figure lies outside its interval"
        held = [evidence.leaves(one) for one in (middle, low, high)]
        if all(held) and not frozenset.intersection(*held):
            yield low, f"no result holds this interval around {middle.text}"


def _middle(text: str, start: int, before: Sequence[Figure]) -> Figure | None:
    """The figure that a bracket behind it is the interval of: the 130 of "130 tokens/s at 512 (51–220)"."""
    if len(before) > 1 and before[-1].readings[0].kind == PLAIN and AT.search(text, 0, before[-1].start - start):
        return before[-2] if AT.fullmatch(text, before[-2].end - start, before[-1].start - start) else before[-1]
    return before[-1] if before else None


def _of_kind(text: str, start: int, before: Sequence[Figure], low: Figure) -> Sequence[Figure]:
    """These up to the last of the interval's kind, where the one behind it is a condition: "€184 at 320 W (€173–…)"."""
    kinds = {one.kind for one in low.readings}
    for place in range(len(before) - 1, max(-1, len(before) - 3), -1):
        one = before[place]
        if kinds & {each.kind for each in one.readings} or one.readings[0].kind == PLAIN:
            return before[: place + 1]
    return before


def _above(one: Figure, other: Figure) -> bool:
    """Whether a figure is more than another of its kind in every way of reading them."""
    pairs = [
        (mine - near, theirs + far)
        for reading in one.readings
        for also in other.readings
        if reading.kind == also.kind
        for mine, near in zip(reading.values, reading.tolerances, strict=True)
        for theirs, far in zip(also.values, also.tolerances, strict=True)
    ]
    return bool(pairs) and all(mine > theirs for mine, theirs in pairs)
