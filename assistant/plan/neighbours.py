"""The cards next to one that was put forward: the next smaller, which does not hold the work, and the next larger."""

from assistant.plan.market import left_out, recent, sold_alone
from kb.catalog import gpu, gpus
from kb.records.gpu import Gpu
from tools.configuration import Configuration
from tools.prices import CardPrice, card_price

LARGER_RATIO = 1.2
"""Times the usable memory from which a card is of the next size."""
_SOLD = {"consumer", "workstation", "data_center"}
_UNSOLD = {"announced", "modified"}


def around(best: Configuration) -> tuple[str, ...]:
    """The next smaller card and the next larger one of the same maker, as far as there are any with a price of late."""
    own = gpu(best.gpu)
    others = [one for one in gpus().values() if one.vendor == own.vendor and one.id != own.id and _sold(one)]
    below = [one for one in others if one.usable_bytes < best.memory.needed_bytes_per_gpu]
    above = [one for one in others if one.usable_bytes >= LARGER_RATIO * own.usable_bytes]
    smaller = max(below, key=lambda one: (_size(one), -_price(one), one.id), default=None)
    larger = min(above, key=lambda one: (_size(one), _price(one), one.id), default=None)
    return tuple(one.id for one in (smaller, larger) if one is not None)


def _sold(one: Gpu) -> bool:
    current = one.market in _SOLD and one.status not in _UNSOLD and not left_out(one)
    return current and sold_alone(one) and _paid(one) is not None


def _paid(one: Gpu) -> CardPrice | None:
    """Its street price, where one was read of late."""
    found = card_price(one)
    return found if found and found.kind == "street" and recent(found) else None


def _price(one: Gpu) -> float:
    paid = _paid(one)
    return float(paid.amount_usd) if paid else float("inf")


def _size(one: Gpu) -> int:
    """The memory on its label."""
    return one.memory_bytes
