"""The bill of materials of a purchase: cards, machines, network, racks, each line priced or said to be unpriced."""

from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from kb import clock
from kb.catalog import gpus
from kb.records.gpu import Gpu
from tools.configuration import Item, Network
from tools.configure.bills.bridges import bridge_items
from tools.configure.bills.cluster import network_for, network_items, rack_items, ups_items
from tools.configure.bills.host import Host, hosts
from tools.configure.bills.parts import middle, unpriced_line
from tools.configure.market.suitable import reads_files, scales_out
from tools.prices import card_price, price_band

UNDATED_PART = 10
"""So many times the undated lines must be more than the whole, or the whole counts as undated."""


@dataclass(frozen=True, slots=True, eq=False)
class Bill:
    """What one purchase takes."""

    items: tuple[Item, ...]
    host: Host | None
    """Null when nobody sells a machine for the cards alone (modules, computers of their own)."""
    machines: int
    network: Network | None
    power_w: int | None
    """Full draw of cards and machines; null when the draw of the card is not known."""
    own_host: bool = False
    """Whether the cards go into a computer that the asker has."""

    @property
    def complete(self) -> bool:
        """Whether every line has a price, and every part a line."""
        return not self.own_host and all(item.subtotal is not None for item in self.items)

    @property
    def amount(self) -> Decimal | None:
        """The priced lines together; null when the cards have no price, for the rest says little then."""
        if any(item.part == "gpu" and item.subtotal is None for item in self.items):
            return None
        known = [item.subtotal for item in self.items if item.subtotal is not None]
        return sum(known, Decimal(0)) if known or not self.items else None

    @property
    def low(self) -> Decimal | None:
        """The same at the lowest prices read."""
        return self._end("low")

    @property
    def high(self) -> Decimal | None:
        """The same at the highest prices read."""
        return self._end("high")

    @property
    def as_of(self) -> str | None:
        """The oldest date among the prices; null when more than a tenth of the money is undated."""
        priced = [(item.subtotal, item.price_date) for item in self.items if item.subtotal is not None]
        undated = sum((amount for amount, date in priced if not date), Decimal(0))
        if undated * UNDATED_PART > sum((amount for amount, _ in priced), Decimal(0)):
            return None
        return min((date for _, date in priced if date), default=None)

    def _end(self, end: str) -> Decimal | None:
        if self.amount is None:
            return None
        return sum((getattr(item, end) or item.subtotal or Decimal(0) for item in self.items), Decimal(0))


@lru_cache(maxsize=65536)
def bill(
    gpu_id: str, cards: int, machines: int, owned: int, memory_bytes: int, *, domestic: bool,
    card_usd: Decimal | None = None,
) -> Bill:  # fmt: skip
    """The cheapest bill for `machines` of `cards` cards each, less `owned` cards, with host memory for each.

    `card_usd`: what the person pays for a card; null = the catalog's price.

    Cards one has stay in the machine they are in when they suffice; further ones of the same kind are put beside
    them, so only cards are bought. Beyond one machine a network is added, for rack servers racks and power.
    """
    gpu = gpus()[gpu_id]
    count = cards * machines
    if owned:
        missing = max(count - owned, 0)
        return Bill(tuple(card_lines(gpu, missing, card_usd)), None, machines, None, (gpu.tdp_w or 0) * count or None)
    found = hosts(gpu_id, cards, memory_bytes, domestic=domestic)
    if not found:
        items = (*card_lines(gpu, count, card_usd), *(_times(item, machines) for item in bridge_items(gpu_id, cards)))
        alone = gpu.market in {"module", "apu"}
        host = () if alone else (unpriced_line("host", "machine with enough slots and power", machines),)
        return Bill((*items, *host), None, machines, None, gpu.tdp_w)
    return _bill(gpu, min(found, key=lambda host: _rank(gpu, host, machines, card_usd)), machines, card_usd)


@lru_cache(maxsize=4096)
def machines_alone(gpu_id: str, cards: int, machines: int, memory_bytes: int, *, domestic: bool) -> Bill | None:
    """The cheapest machines for cards counted elsewhere, with network and racks; null when nobody prices one.

    Of machines that all lack the price of some part (a frame for four wide cards), the sum of the rest.
    """
    gpu = gpus()[gpu_id]
    every = [host for host in hosts(gpu_id, cards, memory_bytes, domestic=domestic) if not host.with_cards]
    found = [host for host in every if host.amount is not None] or [host for host in every if host.known]
    if not found:
        return None
    host = min(found, key=lambda host: _rank(gpu, host, machines))
    items = (*(_times(item, machines) for item in host.items), *_around(gpu, host, machines))
    return Bill(items, host, machines, network_for(machines, cards, linked=scales_out(gpu)), host.draw_w * machines)


@lru_cache(maxsize=4096)
def cards_alone(gpu_id: str, cards: int, card_usd: Decimal | None = None) -> Bill:
    """Cards for a computer that the asker has; of whole computers so many, which a cable joins."""
    gpu = gpus()[gpu_id]
    if reads_files(gpu):
        one = bill(gpu_id, 1, 1, 0, 0, domestic=False, card_usd=card_usd)
        watts = one.power_w * cards if one.power_w else None
        return Bill(tuple(_times(item, cards) for item in one.items), None, cards, None, watts)
    items = (*card_lines(gpu, cards, card_usd), *bridge_items(gpu_id, cards))
    return Bill(items, None, 1, None, (gpu.tdp_w or 0) * cards or None, own_host=True)


def _rank(gpu: Gpu, host: Host, machines: int, card_usd: Decimal | None = None) -> tuple[bool, Decimal, str]:
    """Complete bills first, then cheap ones."""
    bridges = [_times(item, machines) for item in bridge_items(gpu.id, host.cards)]
    cards = [] if host.with_cards else [*card_lines(gpu, host.cards * machines, card_usd), *bridges]
    lines = [*_around(gpu, host, machines), *cards]
    known = sum((item.subtotal for item in lines if item.subtotal is not None), Decimal(0))
    whole = host.amount is not None and all(item.subtotal is not None for item in lines)
    return not whole, known + host.known * machines, host.name


def _around(gpu: Gpu, host: Host, machines: int) -> tuple[Item, ...]:
    """Network, racks and uninterruptible supplies."""
    network = network_for(machines, host.cards, linked=scales_out(gpu))
    lines = network_items(network, machines, with_network=host.with_network)
    if host.rack_units == 0:
        return lines
    watts = _machine_w(gpu, host)
    if host.rack_units is None:
        return (*lines, unpriced_line("rack", "rack, of a height that was not read", 1), *ups_items(machines, watts))
    return (*lines, *rack_items(machines, host.rack_units, watts), *ups_items(machines, watts))


def _machine_w(gpu: Gpu, host: Host) -> int:
    return host.draw_w + (gpu.tdp_w or 0) * host.cards


def _bill(gpu: Gpu, host: Host, machines: int, card_usd: Decimal | None) -> Bill:
    cards = [] if host.with_cards else card_lines(gpu, host.cards * machines, card_usd)
    inside = (*host.items, *(() if host.with_cards else bridge_items(gpu.id, host.cards)))
    items = (*cards, *(_times(item, machines) for item in inside), *_around(gpu, host, machines))
    network = network_for(machines, host.cards, linked=scales_out(gpu))
    return Bill(items, host, machines, network, _machine_w(gpu, host) * machines if gpu.tdp_w else None)


def given_machines(gpu: Gpu, cards: int, machines: int, each_usd: Decimal) -> Bill:
    """Machines with their cards at a price of the person's own, with the network between several."""
    network = network_for(machines, cards, linked=scales_out(gpu))
    whole = given_line("system", f"machine with {cards} × {gpu.name}, at your price", machines, each_usd)
    items = (whole, *network_items(network, machines, with_network=False))
    return Bill(items, None, machines, network, (gpu.tdp_w or 0) * cards * machines or None)


def given_line(part: str, product: str, count: int, each_usd: Decimal) -> Item:
    """A line at a price of the person's own, which is as new as the question."""
    total = each_usd * count
    return Item(
        part=part, product=product, count=count, unit_price=each_usd, subtotal=total, source=None,
        price_date=clock.today().isoformat(), low=total, high=total, given=True,
    )  # fmt: skip


def card_lines(gpu: Gpu, count: int, card_usd: Decimal | None = None) -> list[Item]:
    """The cards as one line; nothing for none. `card_usd`: at a price of the person's own."""
    if card_usd is not None and count:
        line = given_line("gpu", gpu.name, count, card_usd)
        return [line.model_copy(update={"condition": condition(gpu)})]
    return [_card_line(gpu.id, count)] if count else []


@lru_cache(maxsize=16384)
def _card_line(gpu_id: str, count: int) -> Item:
    gpu = gpus()[gpu_id]
    price = card_price(gpu)
    if price is None:
        return unpriced_line("gpu", gpu.name, count)
    low, high = price_band(gpu) or (price.amount_usd, price.amount_usd)
    unit = middle(low, high)
    return Item.model_validate(
        {
            "part": "gpu", "product": gpu.name, "count": count, "unit_price": unit, "subtotal": unit * count,
            "source": price.source, "price_date": price.as_of, "low": low * count, "high": high * count,
            "condition": condition(gpu),
        }
    )  # fmt: skip


def condition(gpu: Gpu) -> str:
    """`used` for what nobody makes any more."""
    return "used" if gpu.status in {"discontinued", "modified"} else "new"


def _times(item: Item, machines: int) -> Item:
    if machines == 1:
        return item
    return item.model_copy(
        update={
            "count": item.count * machines,
            **{
                field: value * machines
                for field in ("subtotal", "low", "high")
                if (value := getattr(item, field)) is not None
            },
        }
    )
