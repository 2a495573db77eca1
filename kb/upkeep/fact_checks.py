"""What of the catalog asks for a second look: rates out of their family, shapes that do not add up, lone prices."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from statistics import median
from typing import TypeVar

from kb.base import Frozen
from kb.catalog import gpus
from kb.configs.parameters import count_parameters
from kb.market.offers import bundled_offers
from kb.models import models
from kb.records.gpu import Gpu
from kb.records.model import Model
from kb.records.offer import Offer

RATES = ("fp16_flops", "bf16_flops", "fp8_flops", "int8_ops", "fp4_flops")
SLOW_CLOCKS = ("laptop", "module", "apu")
FAMILY_LEAST = 3
"""Rows that make a family one can be out of."""
OUT_OF_FAMILY = 1.67
"""Against the family's median: a headline that counts sparsity is 2, a halved accumulator 0.5."""
LONE_PRICE = 4.0
PARAMS_MOST_OFF = 0.005
ALONE = frozenset(
    {"derived-tensor-rates", "derived-tensor-ratio", "same-chip", "derived-definition", "measured-usable"}
)
"""Sources that are no reading of their own."""
SECOND_SOURCE = ("memory_bytes", "bandwidth_bytes_per_s", "fp16_flops", "tdp_w")
"""What people decide by, which two should have read."""


Row = TypeVar("Row")


class Finding(Frozen):
    """One row that asks for a look."""

    rule: str
    """`dense`, `second_source`, `shape` or `price`."""
    row: str
    """Id of the row."""
    said: str
    """What is odd, with figures."""


def findings() -> list[Finding]:
    """Every finding of every rule, by rule and row."""
    cards = tuple(gpus().values())
    found = [*out_of_family(cards), *read_once(cards), *shapes(models().values()), *lone_prices(bundled_offers())]
    return sorted(found, key=lambda one: (one.rule, one.row))


def out_of_family(cards: Iterable[Gpu]) -> Iterator[Finding]:
    """Tensor rates whose ratio to FP32 is far from that of cards of the same maker, generation, line and memory.

    A rate read with sparsity is twice its family's, one of a halved accumulator half of it. Parts of laptops and
    modules are left out: their FP32 is told at a base clock, their tensor rates at the highest.
    """
    whole = [
        card
        for card in cards
        if card.fp32_flops and card.market not in SLOW_CLOCKS and card.status not in ("export_variant", "modified")
    ]
    odd: dict[str, list[str]] = defaultdict(list)
    for field in RATES:
        stated = [card for card in whole if getattr(card, field)]
        for card, ratio, usual in _far(stated, _family, _ratio(field), OUT_OF_FAMILY):
            odd[card.id].append(f"{field} is {ratio:.1f} times FP32, its family's {usual:.1f}")
    for key, said in odd.items():
        yield Finding(rule="dense", row=key, said="; ".join(said))


def _ratio(field: str) -> Callable[[Gpu], float]:
    return lambda card: getattr(card, field) / (card.fp32_flops or 1)


def _family(card: Gpu) -> Hashable:
    stacked = (card.memory_type or "").startswith("HBM")
    return card.vendor, card.architecture, "GeForce" in card.name, stacked


def read_once(cards: Iterable[Gpu]) -> Iterator[Finding]:
    """Deciding figures of cards that one can buy which fewer than two sources vouch for."""
    for card in cards:
        once = [
            field
            for field in SECOND_SOURCE
            if getattr(card, field) is not None
            and sum(field in fields for source, fields in card.sources.items() if source not in ALONE) < 2
        ]
        if once and card.status == "available" and card.market != "laptop":
            yield Finding(rule="second_source", row=card.id, said=f"read by one: {', '.join(once)}")


def shapes(rows: Iterable[Model]) -> Iterator[Finding]:
    """Models whose stated size is not what their shape counts, unless a note tells why, and mixtures of one expert."""
    for row in rows:
        counted = count_parameters(row)
        if counted is not None and not row.components and not row.notes:
            off = counted / row.params - 1
            if abs(off) > PARAMS_MOST_OFF:
                said = f"{row.params / 1e9:.2f} B stated, {counted / 1e9:.2f} B counted ({off:+.1%})"
                yield Finding(rule="shape", row=row.id, said=said)
        if row.active_params is not None and row.active_params > row.params:
            yield Finding(rule="shape", row=row.id, said="a token visits more than there is")


def lone_prices(rows: Iterable[Offer]) -> Iterator[Finding]:
    """On-demand prices of a card that are far from what others ask for it."""
    priced = [row for row in rows if row.gpu and row.on_demand_usd_per_hour and row.gpu_count]
    for row, price, usual in _far(priced, lambda one: one.gpu, _of_one_card, LONE_PRICE):
        said = f"{price:.2f} $ a card and hour, others about {usual:.2f}"
        yield Finding(rule="price", row=row.id, said=said)


def _of_one_card(row: Offer) -> float:
    return float(row.on_demand_usd_per_hour or 0) / float(row.gpu_count or 1)


def _far(
    rows: Iterable[Row], family: Callable[[Row], Hashable], figure: Callable[[Row], float], most: float
) -> Iterator[tuple[Row, float, float]]:
    """Rows whose figure is more than `most` times, or less than a `most`th of, their family's median."""
    families: dict[Hashable, list[tuple[Row, float]]] = defaultdict(list)
    for row in rows:
        families[family(row)].append((row, figure(row)))
    for held in families.values():
        usual = median(value for _, value in held)
        if len(held) >= FAMILY_LEAST:
            yield from ((row, value, usual) for row, value in held if not 1 / most < value / usual < most)
