"""Where a value stands on an axis, and the ticks a person expects there."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

DECADE_STEPS = (1, 2, 5)
MOST_TICKS = 6


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis from `low` to `high`, drawn from `start` to `end`; logarithmic where the values span more than a few."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    @classmethod
    def over(cls, values: Sequence[float], start: float, end: float, *, logarithmic: bool = False) -> "Scale":
        """The axis that holds these values with a little air."""
        low, high = min(values), max(values)
        if logarithmic:
            return cls(low / 1.15, high * 1.15, start, end, True)
        return cls(0.0, (high or 1.0) * 1.05, start, end)

    def place(self, value: float) -> float:
        """The coordinate of a value."""
        if self.logarithmic:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 1)

    def ticks(self) -> list[float]:
        """Round values within the axis, few enough to be read."""
        if self.logarithmic:
            first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
            every = [step * 10.0**power for power in range(first, last + 1) for step in DECADE_STEPS]
            inside = [value for value in every if self.low <= value <= self.high]
            return (
                inside if len(inside) <= MOST_TICKS else [v for v in inside if math.log10(v) % 1 < 1e-9] or inside[:1]
            )
        rough = (self.high - self.low) / MOST_TICKS
        unit = 10.0 ** math.floor(math.log10(rough))
        step = next(size * unit for size in (1, 2, 2.5, 5, 10) if size * unit >= rough)
        return [index * step for index in range(math.floor(self.high / step) + 1)]
