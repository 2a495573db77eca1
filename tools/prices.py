"""How old a price is, and what one card costs: what every tool that shows money shares."""

import calendar
from datetime import date
from decimal import Decimal
from typing import Literal

from kb import clock
from kb.base import Frozen, Money
from kb.catalog import gpus
from kb.records.gpu import Gpu

STALE_AFTER_DAYS = 30
"""Prices older than this are flagged in every answer (the contract's rule)."""

MONEY_OF = {"CN": "CNY"}
"""Countries whose people are told prices in their own money where they did not say in which."""


class CardPrice(Frozen):
    """What one card costs, by the best price the catalog has."""

    amount_usd: Money
    """The lower end of the street price, or the launch list price where no street price was read."""
    kind: Literal["street", "list"]
    """street: somebody asked it; list: the vendor's launch price."""
    as_of: str | None
    """When it was read (ISO date, month or year); null = undated."""
    source: str | None
    """Source id."""
    read_of: str | None = None
    """Catalog id of the lesser card whose newer price stands for an older one of this; null = its own price."""


def card_price(gpu: Gpu) -> CardPrice | None:
    """The street price of a card, else its launch price; null when the catalog has neither.

    Of a card no longer made, an older price below a newer one of a card that does nothing better is a market gone by,
    and the newer one is taken in its place.
    """
    if gpu.price_low_usd is not None:
        own = CardPrice(amount_usd=gpu.price_low_usd, kind="street", as_of=gpu.price_as_of, source=gpu.price_source)
        return _raised(gpu, own) if gpu.status == "discontinued" else own
    if gpu.msrp_usd is not None:
        source = next((key for key, fields in gpu.sources.items() if "msrp_usd" in fields), None)
        return CardPrice(amount_usd=gpu.msrp_usd, kind="list", as_of=str(gpu.year) if gpu.year else None, source=source)
    return None


def highest_price(gpu: Gpu) -> Decimal | None:
    """The upper end of the street price, USD, never below what is taken for the lower; null where none was read."""
    price = card_price(gpu)
    if gpu.price_high_usd is None or price is None:
        return gpu.price_high_usd
    return max(gpu.price_high_usd, price.amount_usd)


def price_band(gpu: Gpu) -> tuple[Decimal, Decimal] | None:
    """Lowest and highest price of a card, USD: what every tool that prices one starts from; null where none is known.

    The middle is budgeted, in a bill as in a cost.
    """
    price = card_price(gpu)
    if price is None:
        return None
    return price.amount_usd, highest_price(gpu) or price.amount_usd


def middle_price(gpu: Gpu) -> Decimal | None:
    """What is budgeted for one card, USD: the middle of its band; null where no price is known."""
    band = price_band(gpu)
    return None if band is None else (band[0] + band[1]) / 2


def _raised(gpu: Gpu, own: CardPrice) -> CardPrice:
    """The price, no lower than the highest read later of a lesser card that is as much second-hand."""
    lesser = [
        one for one in gpus().values()
        if one.status == "discontinued" and one.price_low_usd is not None and one.price_as_of is not None
        and one.price_low_usd > own.amount_usd and one.id != gpu.id
        and (own.as_of is None or latest_day(one.price_as_of) > latest_day(own.as_of)) and _no_better(one, gpu)
    ]  # fmt: skip
    if not lesser:
        return own
    best = max(lesser, key=lambda one: (one.price_low_usd or 0, one.id))
    return CardPrice(
        amount_usd=best.price_low_usd or own.amount_usd, kind="street", as_of=best.price_as_of,
        source=best.price_source, read_of=best.id,
    )  # fmt: skip


def _no_better(one: Gpu, other: Gpu) -> bool:
    """Whether a card of the same make, form and generation is in nothing better than the other."""
    alike = ("vendor", "market", "architecture", "form_factor")
    figures = ("memory_bytes", "bandwidth_bytes_per_s", "fp16_flops", "fp32_flops")
    return all(getattr(one, field) == getattr(other, field) for field in alike) and all(
        (getattr(one, field) or 0) <= (getattr(other, field) or 0) for field in figures
    )


def latest_day(as_of: str) -> date:
    """The day a price date is taken for: "2026-10" is 31 October.

    A bare year is its first day: what says no more may be as old as that, and must not pass for the newest of its year.
    """
    year, month, day = ([int(part) for part in as_of.split("-")] + [0, 0])[:3]
    if not month:
        return date(year, 1, 1)
    return date(year, month, day or calendar.monthrange(year, month)[1])


def age_days(as_of: str | None, today: date | None = None) -> int | None:
    """Days since a price was read, never negative; null when it is undated."""
    if as_of is None:
        return None
    return max(0, ((today or clock.today()) - latest_day(as_of)).days)


def is_stale(as_of: str | None, today: date | None = None) -> bool:
    """Whether a price is undated or older than `STALE_AFTER_DAYS`."""
    age = age_days(as_of, today)
    return age is None or age > STALE_AFTER_DAYS


def per_unit(amount: Money | Decimal, quantity: float | None) -> float | None:
    """Dollars for one unit of something, to four digits; null when the quantity is unknown or nothing."""
    return float(f"{float(amount) / quantity:.4g}") if quantity else None
