"""Every figure that something vouches for, by kind and value, and which of them a written one may be."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from assistant.grounding.standing.ranges import Ranges
from assistant.grounding.standing.vouched import PERSON, SLACK_RATIO, Vouched, same
from assistant.grounding.wording.figures import Figure
from assistant.grounding.wording.quantities import MONEY, PERCENT, PLAIN, TIME, Quantity

TERM = "term"
"""Numbers whose unit only a sum leaves out."""
UNITLESS = "unitless"
"""Numbers to which whoever told them gave no unit."""
NUMBER = re.compile(r"\d+(?:\.\d+)?")
SMALL_MAX = 10
"""Up to here a whole number is not taken for a result that is rounded to it."""
CENTS = re.compile(r"\d\.\d\d\Z")
BARE, BARE_MIN = "bare", 100
"""Money that a person said without a currency, and from which number on one is taken for money."""


class Held:
    """Vouched figures, found by what is written."""

    def __init__(self) -> None:
        self._by_kind: dict[str, list[Vouched]] = {}
        self._values: dict[str, list[float]] = {}
        self.home = "USD"
        """The currency of sums that a person tells without one."""
        self.lengths: set[float] = set()
        self.loads: set[float] = set()
        self.ranges = Ranges()

    def keep(self, one: Vouched) -> None:
        """Take one more."""
        self.lengths |= one.lengths
        self.loads |= one.loads
        self._by_kind.setdefault(one.kind, []).append(one)

    def of(self, kind: str) -> list[Vouched]:
        """All of a kind, in the order in which they were kept until they are sorted."""
        return self._by_kind.get(kind, [])

    def sort(self) -> None:
        """Have them found by value."""
        for kind, held in self._by_kind.items():
            held.sort(key=lambda one: one.value)
            self._values[kind] = [one.value for one in held]

    def rates(self, figure: Figure, currencies: Sequence[str]) -> bool:
        """Whether something tells a number, bare or as money, as what one unit of another currency comes to."""
        value, near = figure.readings[0].values[0], figure.readings[0].tolerances[0]
        return any(
            abs(one.value - value) <= near or (one.value and abs(1 / one.value - value) <= near)
            for code in {*currencies, *figure.readings[0].currencies}
            for one in self._by_kind.get(f"{MONEY}:{code}", ())
            if one.roles.get("rate")
        ) or (
            figure.readings[0].kind == PLAIN
            and any(value != int(value) and one.value == value for one in self._by_kind.get(UNITLESS, ()))
        )

    def alike(self, figure: Figure) -> Iterator[Vouched]:
        """Figures of the same kind and value: of a number of cards, or a whole one, exactly."""
        for reading in figure.readings:
            for kind in (*self._kinds(reading), *((TERM,) if figure.term and reading.kind == PLAIN else ())):
                held, values = self._by_kind.get(kind, []), self._values.get(kind, [])
                for value, tolerance in zip(reading.values, reading.tolerances, strict=True):
                    reach = max(tolerance * 1.0001, abs(value) * SLACK_RATIO)
                    for index in range(bisect_left(values, value - reach), bisect_right(values, value + reach)):
                        if same(figure, reading, value, tolerance, held[index]):
                            yield held[index]
            yield from (*self.ranges.near(reading), *self._said_bare(reading))
            yield from self._money_bare(reading, exact=figure.term and CENTS.search(reading.text) is not None)

    def _kinds(self, reading: Quantity) -> list[str]:
        if reading.kind == PLAIN and 0 < reading.values[0] < 1:
            return [PLAIN, PERCENT]  # a share of one told for a percentage
        if reading.kind != MONEY:
            return [reading.kind]
        bare = [f"{MONEY}:{BARE}"] if self.home in reading.currencies else []
        return [*(f"{MONEY}:{code}" for code in reading.currencies), *bare]

    def _money_bare(self, reading: Quantity, *, exact: bool) -> Iterator[Vouched]:
        """Sums of money whose currency stands once for several: "(1,508 − 1,191) / 1,191"; `exact`: told in cents."""
        if reading.kind != PLAIN or (reading.values[0] < BARE_MIN and not exact):
            return
        for kind, held in self._by_kind.items():
            if kind.startswith(MONEY):
                yield from (one for one in held if one.value == reading.values[0])

    def _said_bare(self, reading: Quantity) -> Iterator[Vouched]:
        """Numbers that the person, or a calculation, told without a unit, for a time or a share in the same digits."""
        if reading.kind == PLAIN and reading.values[0] > SMALL_MAX:
            told_so = [one for one in self._by_kind.get(UNITLESS, []) if one.source != PERSON]
            yield from (one for one in told_so if abs(one.value - reading.values[0]) <= reading.tolerances[0])
        digits = NUMBER.search(reading.text.replace(",", ""))
        told = float(digits[0]) if digits else -1.0
        if reading.kind == PLAIN or (reading.kind not in {TIME, PERCENT} and told == int(told)):  # 31.5 is told for GB
            return
        near = reading.tolerances[0] * told / reading.values[0] if reading.values[0] else 0.0
        for one in self._by_kind.get(UNITLESS, []):
            if one.value == told or (one.source != PERSON and abs(one.value - told) <= near * 1.0001):
                yield one
