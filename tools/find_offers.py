"""Search the catalog of rental offers."""

from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from typing import Literal

from pydantic import Field, model_validator

from kb.base import Frozen
from kb.catalog import Provider, gpu_ids, gpus, provider
from kb.market.offers import current_offers, offers
from kb.market.rates import convert, rate
from kb.market.tariffs import countries_of
from kb.records.offer import Offer
from tools.base import Step, ToolResult
from tools.named import cited
from tools.offer_match import Interconnect, cards_of, instances, interconnect, memory_bytes, per_gpu
from tools.offer_row import Near, OfferRow, Purchase, Shape
from tools.prices import STALE_AFTER_DAYS, age_days, is_stale, latest_day

__all__ = ["OfferQuery", "OfferRow", "OfferSearch", "Purchase", "find_offers"]

_PRICE_FIELDS: dict[Purchase, str] = {
    "on_demand": "on_demand_usd_per_hour", "spot": "spot_usd_per_hour", "reserved": "reserved_1y_usd_per_hour",
    "reserved_3y": "reserved_3y_usd_per_hour",
}  # fmt: skip
_DIGITS = Decimal("0.0001")
NEAREST_MAX = 3
RELAXED = (
    "gpu", "instance", "provider", "country", "region", "min_gpus", "max_gpus", "min_memory_bytes_total",
    "min_network_bits_per_s", "interconnect", "max_usd_per_hour", "max_usd_per_gpu_hour", "max_per_hour",
)  # fmt: skip
"""Filters that are dropped one at a time when nothing meets them all."""


class OfferQuery(Frozen):
    """Filters; every one that is given must hold."""

    gpu: str | None = Field(default=None, max_length=200)
    """Id, vendor name or alias; an ambiguous name brings all its variants."""
    min_gpus: int | None = Field(default=None, ge=1, le=100_000)
    """Least GPUs in one instance."""
    max_gpus: int | None = Field(default=None, ge=1, le=100_000)
    instance: str | None = Field(default=None, max_length=100)
    """Instance type or its family: `p5.48xlarge`, `p4de`, `ecs.gn7i` …"""
    provider: str | None = Field(default=None, max_length=100)
    """Cloud, in English or Chinese: AWS, Lambda, 阿里云 …"""
    country: str | None = Field(default=None, pattern=r"^[A-Za-z]{2}$")
    """Where the machine stands (ISO 3166): US, CN, DE …; EU is any of its countries."""
    region: str | None = Field(default=None, max_length=100)
    """Part of the region's name."""
    max_usd_per_hour: float | None = Field(default=None, gt=0, le=10**9)
    """For the whole instance."""
    max_usd_per_gpu_hour: float | None = Field(default=None, gt=0, le=10**9)
    max_per_hour: float | None = Field(default=None, gt=0, le=10**12)
    """For the whole instance, in `currency`."""
    currency: str = Field(default="USD", max_length=20)
    """Currency of `max_per_hour` and of the prices shown beside dollars: CNY, EUR, 人民币 …"""
    min_memory_bytes_total: int | None = Field(default=None, gt=0, le=10**16)
    """Least GPU memory over the whole instance."""
    interconnect: Interconnect | None = None
    """nvlink: all GPUs of an instance joined by NVLink or its like; pcie: several GPUs without."""
    min_network_bits_per_s: int | None = Field(default=None, gt=0, le=10**15)
    """Least network between instances."""
    purchase: Purchase = "on_demand"
    sort: Literal["usd_per_gpu_hour", "usd_per_hour", "newest"] = "usd_per_gpu_hour"
    """By price of one GPU, of the whole instance, or by date."""
    include_superseded: bool = False
    """Also show older readings of an offer that was read again later."""
    limit: int = Field(default=20, ge=1, le=1000)
    today: date | None = None
    """Day by which the age of prices is judged; null = today."""

    @model_validator(mode="after")
    def _order_bounds(self) -> "OfferQuery":
        if self.min_gpus and self.max_gpus and self.min_gpus > self.max_gpus:
            raise ValueError("max_gpus must not be below min_gpus")
        return self


class OfferSearch(ToolResult):
    """Offers that meet every filter."""

    offers: tuple[OfferRow, ...]
    """Cheapest first unless asked otherwise, cut to `limit`."""
    total: int
    """How many met the filters before the cut."""
    unpriced: tuple[Shape, ...] = ()
    """Instance types that meet the filters but whose price nobody read; empty when a bound on the price is asked."""
    nearest: tuple[Near, ...] = ()
    """When none met them all: what each filter shuts out, cheapest first."""


def find_offers(request: OfferQuery) -> OfferSearch:
    """Find cloud offers that rent GPUs: by card, instance, provider, country, size, links and price an hour.

    Prices are those somebody read on the date each row carries, on demand unless asked otherwise; rows older than
    30 days or undated are flagged. `gpu-advisor prices refresh` brings newer ones; this fetches nothing itself.

    Raises:
        UnknownName: no such card, instance, provider or currency; carries the closest names.
    """
    query = request.model_copy(update={"currency": rate(request.currency).currency})
    cloud = provider(query.provider) if query.provider else None
    rows = _found(query)
    shown = tuple(rows[: query.limit])
    shapes = tuple(_unpriced_shapes(query))[: query.limit]
    near = () if rows or shapes else _nearest(query)
    return OfferSearch(
        offers=shown,
        total=len(rows),
        unpriced=shapes,
        nearest=near,
        derivation=_derivation(shown),
        assumptions=_assumptions(shown, query),
        warnings=_warnings(shown, shapes, near, cloud, query),
        sources=cited(
            [*(one.source for one in (*shown, *(one.offer for one in near))), *(one.source for one in shapes)]
        ),
    )


def _found(query: OfferQuery) -> list[OfferRow]:
    """Every offer that meets the query, in its order."""
    held = offers() if query.include_superseded else current_offers()
    matches = _filter(query, held)
    priced = ((one, _price(one, query.purchase)) for one in held)
    rows = [_row(one, price, query) for one, price in priced if price is not None and matches(one, price)]
    return sorted(rows, key=lambda one: _rank(one, query))


def _unpriced_shapes(query: OfferQuery) -> Iterator[Shape]:
    """Instance types without a price for this way of buying, each once, in the order of the catalog."""
    if query.max_usd_per_hour or query.max_usd_per_gpu_hour or query.max_per_hour:
        return
    matches, seen = _filter(query, current_offers()), set()
    for one in current_offers():
        never = all(getattr(one, field) is None for field in _PRICE_FIELDS.values())
        if never and (one.provider, one.instance) not in seen and matches(one, Decimal(0)):
            seen.add((one.provider, one.instance))
            yield Shape(**{name: getattr(one, name) for name in Shape.model_fields})


def _filter(query: OfferQuery, held: tuple[Offer, ...]) -> Callable[[Offer, Decimal], bool]:
    """The filters that are given, as one question."""
    cloud = provider(query.provider).name if query.provider else None
    wanted = frozenset(gpu_ids(query.gpu)) if query.gpu else None
    named = instances(query.instance, held) if query.instance else None
    most = convert(query.max_per_hour, query.currency, "USD") if query.max_per_hour else None

    def matches(one: Offer, price: Decimal) -> bool:
        checks = (
            wanted is None or bool(wanted & cards_of(one)),
            named is None or one.instance in named,
            cloud is None or one.provider == cloud or one.provider.startswith(f"{cloud} "),
            query.country is None or _stands_in(one, query.country.upper()),
            query.region is None or query.region.casefold() in (one.region or "").casefold(),
            query.min_gpus is None or one.gpu_count >= query.min_gpus,
            query.max_gpus is None or one.gpu_count <= query.max_gpus,
            query.interconnect is None or interconnect(one) == query.interconnect,
            query.min_network_bits_per_s is None or (one.network_bits_per_s or 0) >= query.min_network_bits_per_s,
            query.max_usd_per_hour is None or float(price) <= query.max_usd_per_hour,
            query.max_usd_per_gpu_hour is None or float(per_gpu(price, one)) <= query.max_usd_per_gpu_hour,
            most is None or price <= most,
            query.min_memory_bytes_total is None or (memory_bytes(one) or 0) >= query.min_memory_bytes_total,
        )
        return all(checks)

    return matches


def _stands_in(one: Offer, place: str) -> bool:
    """Whether an offer's machines are in a country, or in one of a union's ("EU"), of which regions name it as well."""
    within = countries_of(place)
    return one.country == place or one.country in within or bool(within and place in (one.region or "").split("/"))


def _nearest(query: OfferQuery) -> tuple[Near, ...]:
    """What each filter shuts out by itself, the cheapest first; with none that does, another way of buying."""
    near = []
    for name in RELAXED:
        if getattr(query, name) is not None:
            near += _without(query.model_copy(update={name: None}), name)
    if not near and query.purchase != "on_demand":
        near += _without(query.model_copy(update={"purchase": "on_demand"}), "purchase")
    return tuple(sorted(near, key=lambda one: (one.offer.usd_per_gpu_hour, one.without))[:NEAREST_MAX])


def _without(relaxed: OfferQuery, name: str) -> list[Near]:
    rows = _found(relaxed)
    return [Near(without=name, total=len(rows), offer=rows[0])] if rows else []


def _price(one: Offer, purchase: Purchase) -> Decimal | None:
    price: Decimal | None = getattr(one, _PRICE_FIELDS[purchase])
    return price


def _row(one: Offer, price: Decimal, query: OfferQuery) -> OfferRow:
    shared = {name: getattr(one, name) for name in OfferRow.model_fields if name in Offer.model_fields}
    return OfferRow(
        **shared,
        gpu_memory_bytes_total=memory_bytes(one),
        interconnect=interconnect(one),
        purchase=query.purchase,
        usd_per_hour=price,
        usd_per_gpu_hour=per_gpu(price, one).quantize(_DIGITS),
        currency=query.currency,
        per_hour=price if query.currency == "USD" else convert(price, "USD", query.currency).quantize(_DIGITS),
        age_days=age_days(one.as_of, query.today),
        stale=is_stale(one.as_of, query.today),
        undated=one.as_of is None,
    )


def _rank(one: OfferRow, query: OfferQuery) -> tuple[float, float, str]:
    if query.sort == "newest":
        day = latest_day(one.as_of).toordinal() if one.as_of else 0
        return -day, float(one.usd_per_gpu_hour), one.id
    figure = one.usd_per_hour if query.sort == "usd_per_hour" else one.usd_per_gpu_hour
    return float(figure), float(one.usd_per_hour), one.id


def _derivation(rows: tuple[OfferRow, ...]) -> tuple[Step, ...]:
    return tuple(
        Step(
            label=f"{one.provider} {one.instance}, {one.gpu_text}",
            formula="price of the instance / GPUs",
            inputs={"usd_per_hour": float(one.usd_per_hour), "gpus": float(one.gpu_count)},
            value=float(one.usd_per_gpu_hour),
            unit="usd_per_gpu_hour",
            source=one.source,
        )
        for one in rows[:5]
    )


def _assumptions(rows: tuple[OfferRow, ...], query: OfferQuery) -> tuple[str, ...]:
    said = []
    wanted = gpu_ids(query.gpu) if query.gpu else ()
    if len(wanted) > 1:
        names = ", ".join(sorted(gpus()[key].name for key in wanted))
        said.append(f"“{query.gpu}” fits several cards; offers of all are shown: {names}.")
    listed = sorted({one.listed_currency for one in rows} - {"USD"})
    said += [f"Listed in {currency} and converted at {_at(currency)}." for currency in listed]
    if query.currency != "USD" and query.currency not in listed:
        said.append(f"Amounts in {query.currency} are dollars converted at {_at(query.currency)}.")
    return tuple(said)


def _at(currency: str) -> str:
    found = rate(currency)
    return f"{found.per_usd} {currency} a dollar ({found.as_of})"


def _warnings(
    rows: tuple[OfferRow, ...],
    shapes: tuple[Shape, ...],
    near: tuple[Near, ...],
    cloud: Provider | None,
    query: OfferQuery,
) -> tuple[str, ...]:
    said = []
    if query.instance and not rows and (unpriced := _unpriced(query)):
        return (f"No price of {', '.join(unpriced)} is in the catalog.",)
    if shapes and not rows:
        types = ", ".join(
            f"{one.provider} {one.instance} ({float(one.gpu_count):g} × {one.gpu_text})" for one in shapes[:3]
        )
        said.append(f"Instance types that meet the filters, without a price read: {types}.")
    elif cloud and not rows and not any(_priced(one, cloud) for one in current_offers()):
        said.append(f"No dated price of {cloud.name} is in the catalog; look at {cloud.url or 'its price page'}.")
    elif not rows:
        said.append("No offer in the catalog meets all the filters." + "".join(map(_shut_out, near)))
    undated = sum(one.undated for one in rows)
    old = sum(one.stale and not one.undated for one in rows)
    if undated:
        said.append(f"{undated} of {len(rows)} prices are undated.")
    if old:
        said.append(
            f"{old} of {len(rows)} prices are older than {STALE_AFTER_DAYS} days; check before you rent, or run "
            "`gpu-advisor prices refresh`."
        )
    return tuple(said)


def _unpriced(query: OfferQuery) -> list[str]:
    """The instance types that are meant, when nobody read a price of any of them for this way of buying."""
    held = current_offers()
    named = instances(query.instance or "", held)
    priced = any(one.instance in named and _price(one, query.purchase) is not None for one in held)
    return [] if priced else sorted(named)


def _priced(one: Offer, cloud: Provider) -> bool:
    prices = (_price(one, purchase) for purchase in _PRICE_FIELDS)
    return one.provider.startswith(cloud.name) and any(price is not None for price in prices)


def _shut_out(near: Near) -> str:
    one = near.offer
    place = " ".join(filter(None, (one.provider, one.instance, one.region)))
    cards = f"{float(one.gpu_count):g} × {one.gpu_text}"
    return f" Without {near.without}: {near.total}, from {place} ({cards}, ${float(one.usd_per_hour):,.2f} an hour)."
