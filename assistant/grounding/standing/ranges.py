"""Estimates that a result tells as a range, "25–49 tokens/s": their ends are ends, and their middle may be told."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import sqrt

from assistant.grounding.standing.vouched import Vouched
from assistant.grounding.wording.figures import Figure
from assistant.grounding.wording.quantities import PACE, TIME, Quantity

RANGE = re.compile(r"\s*~?[\d.,]+–[\d.,]+\s?[^\d–]*")
"""A leaf that is a range and nothing else."""
ESTIMATED = frozenset({PACE, TIME})
MIDDLE_RATIO, END_RATIO = 0.04, 0.03
"""How far a middle, or an end, may lie off in the digits that people say: 25–49 is told as 25–50."""


def is_range(text: str, told: Sequence[Figure]) -> bool:
    """Whether a leaf of a result is the range of one estimate."""
    kinds = [one.readings[0].kind for one in told if one.readings]
    return len(kinds) == 2 and kinds[1] in ESTIMATED and RANGE.fullmatch(text) is not None


class Ranges:
    """Ranges of results, and which figures tell something of them without being their ends letter by letter."""

    def __init__(self) -> None:
        self._held: dict[str, list[tuple[float, float, Vouched]]] = {}

    def take(self, low: Vouched, high: Vouched) -> None:
        """Keep one range: its ends rounded, and what "about" may be said of, from geometric to arithmetic mean."""
        least, most = sqrt(low.value * high.value), (low.value + high.value) / 2
        middle = replace(low, value=most, roles={**low.roles, "end": "middle"})
        held = self._held.setdefault(low.kind, [])
        held.append((least * (1 - MIDDLE_RATIO), most * (1 + MIDDLE_RATIO), middle))
        held += [(one.value * (1 - END_RATIO), one.value * (1 + END_RATIO), one) for one in (low, high)]

    def near(self, reading: Quantity) -> Iterator[Vouched]:
        """What may vouch for a figure besides the figures themselves."""
        for least, most, one in self._held.get(reading.kind, ()):
            if any(least <= value <= most for value in reading.values):
                yield one
