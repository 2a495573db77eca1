"""Parts as lines of a bill, in dollars, and the cheapest ones that go together."""

from collections.abc import Iterable
from decimal import Decimal
from functools import lru_cache

from kb.market.components import components, of_kind
from kb.market.rates import usd
from kb.records.component import Component, Kind
from kb.records.price import PriceReading
from kb.units import GIB
from tools.configuration import Item

CENT = Decimal("0.01")


def band(reading: PriceReading) -> tuple[Decimal, Decimal]:
    """(low, high) of a reading in dollars, to the cent."""
    return _dollars(reading.low, reading.currency), _dollars(reading.high, reading.currency)


def line(part: str, one: Component, count: int) -> Item:
    """`count` of a component as a line of the bill; without a price when nobody sells it alone."""
    return _line(part, one.id, count)


@lru_cache(maxsize=65536)
def _line(part: str, component_id: str, count: int) -> Item:
    one = components()[component_id]
    price = one.price
    return unpriced_line(part, _named(one), count) if price is None else priced_line(part, _named(one), price, count)


def priced_line(part: str, product: str, price: PriceReading, count: int = 1) -> Item:
    """A line at the middle of a reading, with its band, date and source."""
    low, high = band(price)
    unit = middle(low, high)
    return Item(
        part=part, product=product, count=count, unit_price=unit, subtotal=unit * count, source=price.source,
        price_date=price.observed_on, low=low * count, high=high * count,
    )  # fmt: skip


def unpriced_line(part: str, product: str, count: int = 1) -> Item:
    """A line nobody was read to sell."""
    return Item(part=part, product=product, count=count, unit_price=None, subtotal=None, source=None, price_date=None)


def middle(low: Decimal, high: Decimal) -> Decimal:
    """What to budget for a band: its middle, to the cent."""
    return ((low + high) / 2).quantize(CENT)


def cost(one: Component) -> Decimal:
    """What one is budgeted at.

    Raises:
        ValueError: nobody sells it alone.
    """
    return _cost(one.id)


@lru_cache(maxsize=4096)
def _cost(component_id: str) -> Decimal:
    price = components()[component_id].price
    if price is None:
        raise ValueError(f"{component_id} has no price")
    return middle(*band(price))


@lru_cache(maxsize=32)
def priced(kind: Kind) -> tuple[Component, ...]:
    """Components of one kind that have a price, cheapest first."""
    return tuple(sorted((one for one in of_kind(kind) if one.price), key=lambda one: (cost(one), one.id)))


def cheapest(found: Iterable[Component]) -> Component | None:
    """The cheapest of several."""
    return min(found, key=lambda one: (cost(one), one.id), default=None)


@lru_cache(maxsize=4096)
def memory_modules(board_id: str, channels: int, need_bytes: int) -> tuple[Component, int] | None:
    """The cheapest modules that give a board `need_bytes`, at least half its channels filled; null when none do."""
    board = components()[board_id]
    slots, sockets = board.memory_slots or 0, board.sockets or 1
    step = 2 * sockets
    best: tuple[Decimal, str, int] | None = None
    for module in priced("memory"):
        if (module.memory_type, module.module) != (board.memory_type, board.module) or not module.memory_bytes:
            continue
        least = max(-(-need_bytes // module.memory_bytes), min(channels * sockets // 2, slots))
        count = -(-least // step) * step
        if count <= slots:
            found = (cost(module) * count, module.id, count)
            best = found if best is None else min(best, found)
    return (components()[best[1]], best[2]) if best else None


@lru_cache(maxsize=256)
def supplies(need_w: int, most: int) -> tuple[Component, int] | None:
    """The cheapest one or more ATX supplies that deliver `need_w`."""
    found = [
        (cost(one) * count, one.id, count)
        for one in priced("psu")
        for count in range(1, most + 1)
        if "-atx-" in one.id and (one.supply_w or 0) * count >= need_w
    ]
    return (components()[min(found)[1]], min(found)[2]) if found else None


def round_memory(need_bytes: int) -> int:
    """Memory as it is bought: the next multiple of 32 GiB."""
    return -(-need_bytes // (32 * GIB)) * 32 * GIB


def _dollars(amount: Decimal, currency: str) -> Decimal:
    return usd(float(amount), currency).quantize(CENT) if currency != "USD" else amount


def _named(one: Component) -> str:
    return one.name if one.vendor == "any" else f"{one.vendor} {one.name}"
