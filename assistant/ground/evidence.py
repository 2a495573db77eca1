"""What an answer's numbers may rest on: tool requests and results, cited passages, the asker's own words."""

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from assistant.answer import Citation, ToolCallRecord
from assistant.compose.arithmetic import ROWS
from assistant.grounding.wording.cards import counted_cards
from assistant.grounding.wording.quantities import (
    BYTES,
    FLOPS,
    MONEY,
    PACE,
    PERCENT,
    PLAIN,
    POWER,
    RATE,
    TIME,
    Quantity,
    quantities,
)

SUFFIXES = (
    ("_bytes_per_s", RATE), ("_per_s", PLAIN), ("_bytes", BYTES),
    ("_bytes_per_gpu", BYTES), ("_flops", FLOPS), ("_ops", FLOPS), ("_usd", MONEY),
    ("_cost", MONEY), ("_per_kwh", MONEY),
    ("_usd_per_hour", MONEY), ("_usd_per_gpu_hour", MONEY), ("_price", MONEY), ("_w", POWER), ("_s", TIME),
    ("_ratio", PERCENT),
)  # fmt: skip
NAMED = {
    "bytes": BYTES, "amount": MONEY, "price": MONEY, "subtotal": MONEY, "usd": MONEY, "usd_per_hour": MONEY,
    "usd_per_gpu_hour": MONEY, "per_hour": MONEY, "s": TIME, "w": POWER, "watts": POWER, "usd_per_gib": MONEY,
    "usd_per_tb_s": MONEY, "usd_per_tflops": MONEY, "usd_per_token_per_s": MONEY,
}  # fmt: skip
INHERITING = {"value", "low", "high", "median"}
"""Keys that say nothing of the unit: `{"time_s": {"value": …}}` takes it from the parent."""
COUNTS = ("gpus", "gpu_count", "count", "nodes")
NUMBERS = (*COUNTS, "owned_count", "gpus_needed", "min_gpus", "cards", "instance_gpus")
"""Keys of the number of the card that stands beside them."""
RANKS = ("tensor_parallel", "pipeline_parallel", "data_parallel")
"""Keys whose product is the number of cards that a request is laid out on."""
_OWN_KIND = {BYTES, RATE, FLOPS, MONEY, POWER, PACE}
"""Kinds whose unit is said wherever there is one: a bare number is none of them."""
QUOTED_ONLY_WHEN_CITED = {"search_guidance"}
"""A passage vouches for a number only when the answer cites it."""
LONGEST_STRING = 600
AT_ONCE = 32
"""Texts that are read before it is asked again whether they hold what is looked for."""


class Evidence:
    """Numbers by kind, and the texts they came from."""

    def __init__(self) -> None:
        self._values: dict[str, list[float]] = {}
        """By kind; money by currency too: "money:USD", and "money:" where none was said."""
        self._counts: dict[str, set[int]] = {}
        """Numbers of each card that are spoken of, by its id."""
        self._texts: dict[str, None] = {}
        """Each text once: sources and notes recur in every row of a result."""
        self._unread: list[str] = []
        """Texts of results whose numbers nobody has looked for: nearly all that an answer tells stand in fields."""
        self._sorted = False

    @classmethod
    def of(
        cls, records: Iterable[ToolCallRecord], words: Sequence[str] = (), citations: Iterable[Citation] = ()
    ) -> "Evidence":
        """Gather from this turn's tool calls, what the asker wrote, and the quotes the answer cites."""
        evidence = cls()
        for record in records:
            evidence._walk(record.request, PLAIN)
            if record.tool not in QUOTED_ONLY_WHEN_CITED:
                evidence._walk(record.result, PLAIN)
        for text in words:
            evidence._read(text, at_once=True)
            evidence._count_cards(text)
        for citation in citations:
            evidence._read(f"{citation.quote} · {citation.date or ''}", at_once=True)
            evidence._count_cards(citation.quote)
        return evidence

    def tells(self, readings: Sequence[Quantity]) -> bool:
        """Whether a number of some field, of the asker's words or of a quote rounds to one of these readings."""
        return any(map(self._found, readings))

    def tells_on_reading(self, readings: Sequence[Quantity]) -> bool:
        """The same, in the texts of results: as many of them are read as it takes, and none a second time."""
        while self._unread:
            some, self._unread = self._unread[-AT_ONCE:], self._unread[:-AT_ONCE]
            for text in some:
                self._take_apart(text)
            if self.tells(readings):
                return True
        return False

    def _found(self, quantity: Quantity) -> bool:
        """Whether some number of the same kind that was gathered so far rounds to it."""
        if not self._sorted:
            for values in self._values.values():
                values.sort()
            self._sorted = True
        kinds: tuple[str, ...] = (quantity.kind,) if quantity.kind in _OWN_KIND else (quantity.kind, PLAIN, PACE)
        if quantity.kind == MONEY:
            kinds = tuple(f"{MONEY}:{code}" for code in (*quantity.currencies, ""))
        return any(
            self._near(kind, value, tolerance)
            for kind in kinds
            for value, tolerance in zip(quantity.values, quantity.tolerances, strict=True)
        )

    def holds_cards(self, cards: Iterable[str], count: int) -> bool:
        """Whether so many of one of these cards are spoken of: one, as said, or what lies between two such numbers."""
        for key in cards:
            known = self._counts.get(key, set())
            if count == 1 or count in known or any(abs(one - other) == count for one in known for other in known):
                return True
        return False

    def knows(self, cards: Iterable[str]) -> bool:
        """Whether any number of one of these cards is spoken of."""
        return any(key in self._counts for key in cards)

    def mentions(self, text: str) -> bool:
        """Whether a gathered text holds this very string (dates, versions)."""
        return any(text in gathered for gathered in self._texts)

    def _near(self, kind: str, value: float, tolerance: float) -> bool:
        values = self._values.get(kind, [])
        slack = tolerance * 1.0001
        index = bisect_left(values, value - slack)
        return index < len(values) and values[index] <= value + slack

    def _add(self, kind: str, value: float) -> None:
        self._values.setdefault(kind, []).append(value)

    def _read(self, text: str, *, at_once: bool = False) -> None:
        """Note a text; its numbers are read when one is looked for that no field holds, or `at_once`."""
        if text not in self._texts:
            self._texts[text] = None
            if not at_once:
                self._unread.append(text)
                return
        if at_once:
            self._take_apart(text)

    def _take_apart(self, text: str) -> None:
        for quantity in quantities(text):
            for kind in [f"{MONEY}:{code}" for code in quantity.currencies] or [quantity.kind]:
                for value in quantity.values:
                    self._add(kind, value)
                    self._sorted = False

    def _count_cards(self, text: str) -> None:
        """Numbers of cards in a text: "2×3090", 「两张 4090」."""
        for counted in counted_cards(text):
            for key in counted.cards:
                self._counts.setdefault(key, set()).add(counted.count)

    def _walk(self, value: Any, kind: str, copies: int = 1, currency: str = "") -> None:
        """Gather from a value of JSON; what holds others is taken apart, the rest told by `_take`."""
        if isinstance(value, dict):
            if isinstance(said := value.get("currency"), str):
                currency = said
            if isinstance(value.get("gpu"), str):
                self._note_cards(value)
            self._note_together(value)
            if isinstance(parts := value.get("parts"), list):
                self._add_rows(parts)
            for name in COUNTS:
                if name in value and isinstance(said := value[name], int) and said > 1:
                    copies = said
                    break
            own = _kind_of_unit(value["unit"]) if "unit" in value and "formula" in value else None
            if isinstance(measure := value.get("measure"), str) and "speed" in value:
                self._take(value["speed"], _kind_of_name(measure), copies, currency)
            for key, inner in value.items():
                if inner is None:
                    continue
                if type(inner) is str:  # most of a result is text, whose kind is told by itself
                    if inner not in self._texts and len(inner) <= LONGEST_STRING:
                        self._read(inner)
                    continue
                named, in_usd = _told_by(key)
                inner_kind = own if own and key == "value" else named or kind
                taken = self._walk if isinstance(inner, dict | list) else self._take
                taken(inner, inner_kind, copies, "USD" if in_usd else currency)
        elif isinstance(value, list | tuple):
            for inner in value:
                (self._walk if isinstance(inner, dict | list | tuple) else self._take)(inner, kind, copies, currency)

    def _take(self, value: Any, kind: str, copies: int, currency: str) -> None:
        """A number or a text."""
        if isinstance(value, str):
            if len(value) <= LONGEST_STRING:
                self._read(value)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            kind = f"{MONEY}:{currency}" if kind == MONEY else kind
            self._add(kind, float(value))
            if kind == PERCENT:
                self._add(PERCENT, float(value) * 100)
            if copies > 1 and (kind in {BYTES, POWER} or kind.startswith(MONEY)):
                self._add(kind, float(value) * copies)

    def _note_together(self, row: Mapping[str, Any]) -> None:
        """How many of the card of a row reach the memory that was asked for."""
        if isinstance(row.get("together_count"), int) and isinstance(row.get("id"), str):
            self._counts.setdefault(row["id"], set()).add(row["together_count"])

    def _note_cards(self, value: Mapping[str, Any]) -> None:
        """How many of which card a row of a result, or a request, speaks of."""
        counts = self._counts.setdefault(value["gpu"], set())
        ranks = [one for key in RANKS if isinstance(one := value.get(key), int)]
        counts.update({math.prod(ranks)} if ranks else ())
        for key in NUMBERS:
            if (said := value.get(key)) is not None:
                found = [said.get(name) for name in INHERITING] if isinstance(said, Mapping) else [said]
                counts.update(round(one) for one in found if isinstance(one, int | float) and not isinstance(one, bool))

    def _add_rows(self, parts: list[Any]) -> None:
        """The sums of parts that the memory table shows as one row."""
        for _, names in ROWS:
            self._add(BYTES, float(sum(part["bytes"] for part in parts if part["name"] in names)))


@lru_cache(maxsize=4096)
def _told_by(key: str) -> tuple[str | None, bool]:
    """What a key says of what it holds: the kind, null where that is its parent's; and whether it is in dollars."""
    return None if key in INHERITING else _kind_of_name(key), "usd" in key


@lru_cache(maxsize=4096)
def _kind_of_name(key: str) -> str:
    if key in NAMED:
        return NAMED[key]
    if "tokens_per_s" in key:
        return PACE
    return next((kind for suffix, kind in SUFFIXES if key.endswith(suffix)), PLAIN)


def _kind_of_unit(unit: str) -> str | None:
    lowered = str(unit).lower()
    if lowered.startswith("usd") or lowered in {"cny", "eur"}:
        return MONEY
    return {
        "bytes": BYTES, "bytes_per_s": RATE, "bytes/s": RATE, "flops": FLOPS, "flop/s": FLOPS, "s": TIME, "w": POWER,
        "tokens/s": PACE, "tokens_per_s": PACE, "ratio": PERCENT, "%": PERCENT,
    }.get(lowered)  # fmt: skip
