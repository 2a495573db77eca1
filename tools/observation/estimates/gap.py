"""What is to be explained: the distance from what is expected to what was seen."""

import math
from dataclasses import dataclass

from tools.observation.result import Range

TOO_FAR = 0.45
"""Logarithm of how far a cause may overshoot what was seen before it counts half."""


@dataclass(frozen=True, slots=True)
class Gap:
    """The figure to be explained, from what is expected to what was seen (or thought)."""

    name: str
    seen: float
    expected: Range
    at_least: bool = False
    """Whether what was seen is the least it can have been: memory that ran out."""

    @property
    def size(self) -> float:
        """Logarithm of seen over expected."""
        return math.log(max(self.seen, 1e-12) / max(self.expected.value, 1e-12))

    def share(self, under: Range) -> float:
        """How much of the gap the figure `under` a cause explains: ln(under / expected) / ln(seen / expected)."""
        if abs(self.size) < 1e-6:
            return 0.0
        return math.log(max(under.value, 1e-12) / max(self.expected.value, 1e-12)) / self.size

    def fits(self, under: Range) -> float:
        """0 to 1: how well the cause alone gives what was seen; 1 within its interval."""
        if under.low <= self.seen <= under.high or (self.at_least and under.low > self.seen):
            return 1.0
        share = self.share(under)
        if share <= 1.0:
            return max(share, 0.0)
        return 1 / (1 + (math.log(max(under.value, 1e-12) / max(self.seen, 1e-12)) / TOO_FAR) ** 2)
