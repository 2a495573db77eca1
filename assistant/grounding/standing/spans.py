"""Intervals that are told without their unit, or rounded: "4.66 each (3.06–7.08)", "29 streams (17–50)"."""

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
SLACK, TRIPLE = 1.0001, (0, 1, 2)
Pair = tuple[float, float]
Told = tuple[Quantity | None, Quantity, Quantity]
"""The figure in the middle, and both ends."""


class Spans:
    """Intervals of results by the digits of their ends."""

    def __init__(self) -> None:
        self._by_ends: dict[Pair, list[Told]] = {}
        self._around: list[tuple[Quantity, Quantity, Quantity]] = []

    def take(self, text: str, figures: Sequence[Figure]) -> None:
        """Keep every interval of a text of a result, with the figure before its bracket."""
        told = [one for one in figures if one.readings]
        for place, (low, high) in enumerate(pairwise(told)):
            if low.readings[0].kind != high.readings[0].kind or not DASH.fullmatch(text, low.end, high.start):
                continue
            before = told[place - 1] if place else None
            middle = before.readings[0] if before and OPENS.fullmatch(text, before.end, low.start) else None
            if middle is not None:
                self._around.append((middle, low.readings[0], high.readings[0]))
            if low.readings[0].kind == PLAIN:
                continue
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
            self._rounded(text, start, found, order[max(0, place - 1) : place + 2])
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

    def _rounded(self, text: str, start: int, found: list[Figure], places: Sequence[int]) -> None:
        """Read a figure and the interval in the bracket behind it as the one of a result that all three round."""
        if len(places) < len(TRIPLE):
            return
        told = [found[one] for one in places]
        middle, low, high = told
        if any(one.counts for one in told) or not DASH.fullmatch(text, low.end - start, high.start - start):
            return
        if not OPENS.fullmatch(text, middle.end - start, low.start - start):
            return
        held = [one for one in self._around if all(map(_rounds, told, one))]
        for place, name in zip(places, TRIPLE if held else (), strict=False):
            found[place] = replace(found[place], readings=_unique(one[name] for one in held))


def _rounds(figure: Figure, told: Quantity) -> bool:
    """Whether a figure is a result's in fewer digits, and of its kind where both have one."""
    for one in figure.readings:
        if one.kind == told.kind != PLAIN:
            return abs(one.values[0] - told.values[0]) <= one.tolerances[0] * SLACK
    said = DIGITS.search(figure.text.replace(",", ""))
    if said is None or PLAIN not in {told.kind, *(one.kind for one in figure.readings)}:
        return False
    return abs(float(said[0]) - _number(told.text)) <= 0.5 * 10.0 ** -len(said[0].partition(".")[2]) * SLACK


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
