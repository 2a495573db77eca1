"""How old a price is, and what one card costs: what every tool that shows money shares."""

import calendar
from datetime import date
from decimal import Decimal
from typing import Literal

from kb import clock
from kb.base import Frozen, Money
from kb.records.gpu import Gpu

STALE_AFTER_DAYS = 30
"""Prices older than this are flagged in every answer (the contract's rule)."""


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


def card_price(gpu: Gpu) -> CardPrice | None:
    """The street price of a card, else its launch price; null when the catalog has neither."""
    if gpu.price_low_usd is not None:
        return CardPrice(amount_usd=gpu.price_low_usd, kind="street", as_of=gpu.price_as_of, source=gpu.price_source)
    if gpu.msrp_usd is not None:
        source = next((key for key, fields in gpu.sources.items() if "msrp_usd" in fields), None)
        return CardPrice(amount_usd=gpu.msrp_usd, kind="list", as_of=str(gpu.year) if gpu.year else None, source=source)
    return None


def latest_day(as_of: str) -> date:
    """The last day a price date can mean: "2026-10" is 31 October, "2025" the end of the year."""
    year, month, day = ([int(part) for part in as_of.split("-")] + [0, 0])[:3]
    month = month or 12
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
