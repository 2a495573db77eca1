"""What can be ordered or rented, as rows of the generated catalog page: servers, parts, offers."""

from collections.abc import Iterable

from kb.catalog import servers
from kb.market.components import components
from kb.market.offers import bundled_offers
from kb.records.component import Component
from kb.records.offer import Offer
from kb.records.price import PriceReading
from kb.records.server import Server, ServerPrice

SERVERS = ("id", "name", "takes", "height", "power", "cooling", "prices", "sources")
PARTS = ("id", "name", "kind", "price", "sources")
OFFERS = ("provider", "instance", "GPUs", "region", "on demand", "spot", "reserved", "date", "source")


def server_rows() -> list[tuple[str, ...]]:
    """One row a server, those that can no longer be ordered marked."""
    return [_server(one) for one in servers().values()]


def part_rows() -> list[tuple[str, ...]]:
    """One row a part, with the price that is used."""
    return [_part(one) for one in components().values()]


def offer_rows() -> list[tuple[str, ...]]:
    """One row an offer of the catalog; what was fetched live is not part of it."""
    return [_offer(one) for one in bundled_offers()]


def sources_used() -> set[str]:
    """Every source that the rows name."""
    named: set[str] = {one.source for one in bundled_offers()}
    for server in servers().values():
        named |= {*server.sources, *(one.source for one in server.prices)}
    for part in components().values():
        named |= {*part.sources, *(one.source for one in part.prices)}
    return named


def _server(one: Server) -> tuple[str, ...]:
    height = f"{one.rack_units}U" if one.rack_units else "tower" if one.tower else ""
    return (
        f"`{one.id}`",
        f"{one.vendor} {one.name}" + (" (discontinued)" if one.discontinued else ""),
        ", ".join(f"{one.takes(gpu)} × `{gpu}`" for gpu in one.gpus),
        height,
        f"{one.psu_w:,} W" if one.psu_w else "",
        one.cooling or "",
        "; ".join(map(_filled, one.prices)),
        _joined((*one.sources, *(price.source for price in one.prices))),
    )


def _part(one: Component) -> tuple[str, ...]:
    price = _price(one.price) if one.price else ""
    named = (*one.sources, *((one.price.source,) if one.price else ()))
    return (
        f"`{one.id}`",
        one.name if one.vendor == "any" else f"{one.vendor} {one.name}",
        one.kind,
        price,
        _joined(named),
    )


def _offer(one: Offer) -> tuple[str, ...]:
    prices = (one.on_demand_usd_per_hour, one.spot_usd_per_hour, one.reserved_1y_usd_per_hour)
    return (
        one.provider,
        one.instance,
        f"{float(one.gpu_count):g} × {one.gpu_text}",
        one.region or "",
        *(f"${float(price):,.2f}" if price is not None else "" for price in prices),
        one.as_of or "undated",
        one.source,
    )


def _filled(price: ServerPrice) -> str:
    what = f"{price.gpus} × `{price.gpu}`" if price.includes_gpus else "without GPUs"
    return f"{what}: {_price(price)}"


def _price(price: PriceReading) -> str:
    low, high = (f"{float(amount):,.0f}" for amount in (price.low, price.high))
    amount = low if low == high else f"{low}–{high}"
    return f"{amount} {price.currency}, {price.basis}, {price.observed_on or 'undated'}"


def _joined(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(names))
