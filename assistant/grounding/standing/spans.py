"""Intervals that are told without their unit: "4.66 each (3.06–7.08)" is of the unit in which a result tells them."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from assistant.grounding.wording.figures import Figure
from assistant.grounding.wording.quantities import PLAIN, Quantity
from assistant.grounding.wording.statements import Statement

OPENS = re.compile(r"[^\d()（）|]{0,24}[(（][^\d()（）|]{0,8}")
"""Between a figure and its interval: " each (", " (range "."""
DASH = re.compile(r"\s?(?:–|—|-|~|～|到|至|to)\s?")
DIGITS = re.compile(r"\d+(?:\.\d+)?")
Pair = tuple[float, float]
Told = tuple[Quantity | None, Quantity, Quantity]
"""The figure in the middle, and both ends."""


class Spans:
    """Intervals of results by the digits of their ends."""

    def __init__(self) -> None:
        self._by_ends: dict[Pair, list[Told]] = {}

    def take(self, text: str, figures: Sequence[Figure]) -> None:
        """Keep every interval of a text of a result, with the figure before its bracket."""
        told = [one for one in figures if one.readings]
        for place, (low, high) in enumerate(pairwise(told)):
            if low.readings[0].kind == PLAIN or low.readings[0].kind != high.readings[0].kind:
                continue
            if not DASH.fullmatch(text, low.end, high.start):
                continue
            before = told[place - 1] if place else None
            middle = before.readings[0] if before and OPENS.fullmatch(text, before.end, low.start) else None
            ends = (_digits(low), _digits(high))
            self._by_ends.setdefault(ends, []).append((middle, low.readings[0], high.readings[0]))

    def read(self, statement: Statement, figures: Iterable[Figure]) -> list[Figure]:
        """The figures of a statement, those of bare intervals in the unit of the result that tells both ends.

        The figure before the bracket is read so too where the same text tells it with them.
        """
        found = list(figures)
        order = sorted((one for one in range(len(found)) if found[one].readings), key=lambda one: found[one].start)
        text, start = statement.text, statement.start
        for place, (first, second) in enumerate(pairwise(order)):
            low, high = found[first], found[second]
            if not (_bare(low) and _bare(high) and DASH.fullmatch(text, low.end - start, high.start - start)):
                continue
            told = self._by_ends.get((_digits(low), _digits(high)), ())
            if not told:
                continue
            found[first] = replace(low, readings=_unique(one[1] for one in told))
            found[second] = replace(high, readings=_unique(one[2] for one in told))
            if not place or not _bare(middle := found[order[place - 1]]):
                continue
            if OPENS.fullmatch(text, middle.end - start, low.start - start):
                same = _unique(one[0] for one in told if one[0] and _number(one[0].text) == _digits(middle))
                found[order[place - 1]] = replace(middle, readings=same or middle.readings)
        return found


def _bare(figure: Figure) -> bool:
    return figure.readings[0].kind == PLAIN and not figure.counts


def _digits(figure: Figure) -> float:
    return _number(figure.text)


def _number(text: str) -> float:
    match = DIGITS.search(text.replace(",", ""))
    return float(match[0]) if match else -1.0


def _unique(readings: Iterable[Quantity]) -> tuple[Quantity, ...]:
    """One reading of each kind and value."""
    return tuple({(one.kind, one.values): one for one in readings}.values())
