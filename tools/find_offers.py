"""Search the catalog of rental offers."""

from datetime import date
from decimal import Decimal
from typing import Literal

from pydantic import Field, model_validator

from kb.base import AmbiguousName, Frozen, Money, UnknownName
from kb.catalog import Provider, gpu_ids, gpus, offers, provider
from kb.records.offer import Offer
from tools.base import Step, ToolResult
from tools.named import cited
from tools.prices import STALE_AFTER_DAYS, age_days, is_stale, latest_day

Purchase = Literal["on_demand", "spot", "reserved"]
_PRICE_FIELDS: dict[Purchase, str] = {
    "on_demand": "on_demand_usd_per_hour", "spot": "spot_usd_per_hour", "reserved": "reserved_1y_usd_per_hour",
}  # fmt: skip
_DIGITS = Decimal("0.0001")


class OfferQuery(Frozen):
    """Filters; every one that is given must hold."""

    gpu: str | None = Field(default=None, max_length=200)
    """Id, vendor name or alias; an ambiguous name brings all its variants."""
    min_gpus: int | None = Field(default=None, ge=1, le=100_000)
    """Least GPUs in one instance."""
    max_gpus: int | None = Field(default=None, ge=1, le=100_000)
    provider: str | None = Field(default=None, max_length=100)
    """Cloud, in English or Chinese: AWS, Lambda, 阿里云 …"""
    region: str | None = Field(default=None, max_length=100)
    """Part of the region's name."""
    max_usd_per_hour: float | None = Field(default=None, gt=0, le=10**9)
    """For the whole instance."""
    max_usd_per_gpu_hour: float | None = Field(default=None, gt=0, le=10**9)
    min_memory_bytes_total: int | None = Field(default=None, gt=0, le=10**16)
    """Least GPU memory over the whole instance."""
    purchase: Purchase = "on_demand"
    sort: Literal["usd_per_gpu_hour", "usd_per_hour", "newest"] = "usd_per_gpu_hour"
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


class OfferRow(Frozen):
    """One offer with its price for one way of buying."""

    id: str
    provider: str
    instance: str
    gpu: str | None
    """Catalog id; null when the listing mixes several."""
    gpu_text: str
    gpu_count: Money
    """A fraction for a share of a card."""
    vcpus: int | None
    host_memory_bytes: int | None
    gpu_memory_bytes_total: int | None
    """Stated memory of all its GPUs."""
    region: str | None
    purchase: Purchase
    usd_per_hour: Money
    """For the whole instance."""
    usd_per_gpu_hour: Money
    listed_currency: str
    """Other than USD: the dollar figure was converted."""
    as_of: str | None
    """When the price was read; null = undated."""
    age_days: int | None
    stale: bool
    """Older than 30 days, or undated."""
    undated: bool
    source: str
    notes: str


class OfferSearch(ToolResult):
    """Offers that meet every filter."""

    offers: tuple[OfferRow, ...]
    """Cheapest first unless asked otherwise, cut to `limit`."""
    total: int
    """How many met the filters before the cut."""


def find_offers(request: OfferQuery) -> OfferSearch:
    """Find cloud offers that rent GPUs: by card, provider, region, size and price an hour.

    Prices are those somebody read on the date each row carries, on demand unless asked otherwise; rows older than
    30 days or undated are flagged. Nothing is fetched live.
    """
    cloud = provider(request.provider) if request.provider else None
    wanted = frozenset(gpu_ids(request.gpu)) if request.gpu else None
    rows = sorted(
        (
            _row(one, price, request)
            for one in _current(request)
            if (price := _price(one, request.purchase)) is not None and _matches(one, price, request, wanted, cloud)
        ),
        key=lambda one: _rank(one, request),
    )
    shown = tuple(rows[: request.limit])
    return OfferSearch(
        offers=shown,
        total=len(rows),
        derivation=_derivation(shown),
        assumptions=_assumptions(shown, request, wanted),
        warnings=_warnings(shown, request, cloud),
        sources=cited(one.source for one in shown),
    )


def _current(query: OfferQuery) -> tuple[Offer, ...]:
    """Offers without the older readings of one that was read again later."""
    if query.include_superseded:
        return offers()
    newest: dict[tuple[str, str, str, str | None], Offer] = {}
    for one in offers():
        key = (one.provider, one.instance, one.gpu_text, one.region)
        held = newest.get(key)
        if held is None or (one.as_of or "") > (held.as_of or ""):
            newest[key] = one
    return tuple(newest.values())


def _matches(
    one: Offer, price: Decimal, query: OfferQuery, wanted: frozenset[str] | None, cloud: Provider | None
) -> bool:
    memory = _memory(one)
    checks = (
        wanted is None or bool(wanted & _cards(one)),
        cloud is None or one.provider == cloud.name or one.provider.startswith(f"{cloud.name} "),
        query.region is None or query.region.casefold() in (one.region or "").casefold(),
        query.min_gpus is None or one.gpu_count >= query.min_gpus,
        query.max_gpus is None or one.gpu_count <= query.max_gpus,
        query.max_usd_per_hour is None or float(price) <= query.max_usd_per_hour,
        query.max_usd_per_gpu_hour is None or float(price / one.gpu_count) <= query.max_usd_per_gpu_hour,
        query.min_memory_bytes_total is None or (memory or 0) >= query.min_memory_bytes_total,
    )
    return all(checks)


def _price(one: Offer, purchase: Purchase) -> Decimal | None:
    price: Decimal | None = getattr(one, _PRICE_FIELDS[purchase])
    return price


def _cards(one: Offer) -> frozenset[str]:
    """Cards an offer may mean: a listing that mixes form factors means every card of its name."""
    if one.gpu is not None:
        return frozenset({one.gpu})
    try:
        return frozenset(gpu_ids(one.gpu_text.split(" (")[0]))
    except (UnknownName, AmbiguousName):
        return frozenset()


def _memory(one: Offer) -> int | None:
    cards = [gpus()[key].memory_bytes for key in _cards(one)]
    return int(min(cards) * one.gpu_count) if cards else None


def _row(one: Offer, price: Decimal, query: OfferQuery) -> OfferRow:
    shared = {name: getattr(one, name) for name in OfferRow.model_fields if name in Offer.model_fields}
    return OfferRow(
        **shared,
        gpu_memory_bytes_total=_memory(one),
        purchase=query.purchase,
        usd_per_hour=price,
        usd_per_gpu_hour=(price / one.gpu_count).quantize(_DIGITS),
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


def _assumptions(rows: tuple[OfferRow, ...], query: OfferQuery, wanted: frozenset[str] | None) -> tuple[str, ...]:
    said = []
    if wanted and len(wanted) > 1:
        names = ", ".join(sorted(gpus()[key].name for key in wanted))
        said.append(f"“{query.gpu}” fits several cards; offers of all are shown: {names}.")
    currencies = sorted({one.listed_currency for one in rows} - {"USD"})
    if currencies:
        said.append(f"Listed in {', '.join(currencies)} and converted at the rate in each row's notes.")
    return tuple(said)


def _warnings(rows: tuple[OfferRow, ...], query: OfferQuery, cloud: Provider | None) -> tuple[str, ...]:
    said = []
    if cloud and not rows and not any(one.provider.startswith(cloud.name) for one in offers()):
        said.append(f"No dated price of {cloud.name} is in the catalog; look at {cloud.url or 'its price page'}.")
    elif not rows:
        said.append("No offer in the catalog meets all the filters.")
    undated = sum(one.undated for one in rows)
    old = sum(one.stale and not one.undated for one in rows)
    if undated:
        said.append(f"{undated} of {len(rows)} prices are undated.")
    if old:
        said.append(f"{old} of {len(rows)} prices are older than {STALE_AFTER_DAYS} days; check before you rent.")
    return tuple(said)
