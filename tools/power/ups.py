"""Uninterruptible supplies: which product carries a load, and how many of it."""

from decimal import Decimal
from functools import lru_cache

from kb.market.components import components, of_kind
from kb.market.rates import usd
from kb.records.component import Component
from tools.power.result import UpsPlan

MARGIN = 1.1
"""A UPS is chosen for a tenth more than the machine draws at most."""
OVERSIZED = 4
"""A product that carries more than so many times the load is made for something else."""


@lru_cache(maxsize=4096)
def ups_for(watts: int) -> tuple[Component, int]:
    """(product, number) for a machine: the cheapest that carries it alone, else so many of the largest."""
    sold = [one for one in of_kind("ups") if one.supply_w and one.price is not None]
    need = watts * MARGIN
    alone = [one for one in sold if (one.supply_w or 0) >= need]
    if alone:
        return min(alone, key=lambda one: (_cost(one), one.id)), 1
    largest = max(sold, key=lambda one: one.supply_w or 0)
    return largest, -(-int(need) // (largest.supply_w or 1))


def ups_plan(node_w: float, nodes: int, minutes: float) -> UpsPlan | None:
    """A UPS for each of `nodes` machines; null where the smallest product is far too large."""
    one, each = ups_for(int(node_w))
    if (one.supply_w or 0) > OVERSIZED * node_w:
        return None
    price = one.price
    return UpsPlan(
        product=one.name,
        count=each * nodes,
        each_w=one.supply_w or 0,
        battery_wh=node_w * minutes / 60,
        price_usd=_cost(one) * each * nodes,
        price_date=price.observed_on if price else None,
        source=price.source if price else None,
    )


def _cost(one: Component) -> Decimal:
    price = components()[one.id].price
    if price is None:
        raise ValueError(f"nobody sells {one.id} alone")
    low, high = (usd(float(amount), price.currency) for amount in (price.low, price.high))
    return ((low + high) / 2).quantize(Decimal("0.01"))
