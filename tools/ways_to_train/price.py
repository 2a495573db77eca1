"""What a run costs: the person's own rent, else the catalog's offers on demand."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from functools import lru_cache
from statistics import median
from typing import NamedTuple

from kb.base import AdvisorError
from kb.lexicon import Money
from kb.records.gpu import Gpu
from kb.units import DAY_S, HOUR_S, HOURS_PER_MONTH
from tools.find_offers import OfferQuery, OfferRow, find_offers
from tools.speed.interval import times
from tools.ways_to_train.result import TrainingPrice
from tools.ways_to_train.search import Timed

EVERY_OFFER = 1000
_HOURS = {"hour": 1, "day": DAY_S // HOUR_S, "month": HOURS_PER_MONTH, "year": 12 * HOURS_PER_MONTH}


class Rent(NamedTuple):
    """What one card costs an hour."""

    per_gpu_hour: Decimal
    currency: str
    basis: str
    as_of: str | None = None
    cheapest: str | None = None
    cheapest_per_gpu_hour: Decimal | None = None
    stale: bool = False
    source: str | None = None


def given_rent(rents: Sequence[Money] | None, per_machine: int) -> tuple[Rent | None, str | None]:
    """The person's rent of one card an hour, and what was assumed in reading it."""
    if not rents:
        return None, None
    own = rents[0]
    hours = _HOURS.get(own.per or "hour")
    if hours is None:
        return None, f"A rent per {own.per} says nothing about cards: it is left out."
    each = Decimal(own.amount) / hours / (per_machine if own.each == "machine" else 1)
    said = None
    if own.each is None and per_machine > 1:
        said = f"The rent of {float(own.amount):g} {own.currency} is read as that of one card."
    if own.per is None:
        said = f"{said} And as by the hour." if said else "The rent is read as by the hour."
    return Rent(each, own.currency, "given"), said


def price_of(one: Timed, rent: Rent | None, today: date | None) -> TrainingPrice | None:
    """The price of the run, and of an hour of all its cards."""
    gpu = one.plan.group.gpu
    found = rent or (offered(gpu, today) if gpu is not None and not one.plan.group.unlike else None)
    if found is None:
        return None
    hourly = found.per_gpu_hour * one.plan.count
    least = found.cheapest_per_gpu_hour
    hours = one.pace.hours if one.pace else None
    run = times(hours, float(found.per_gpu_hour)) if hours else None
    return TrainingPrice(
        run_cost=run, hourly_cost=hourly.quantize(Decimal("0.0001")), currency=found.currency,
        basis="given" if found.basis == "given" else "offers", as_of=found.as_of, cheapest=found.cheapest,
        cheapest_hourly_cost=None if least is None else (least * one.plan.count).quantize(Decimal("0.0001")),
        stale=found.stale,
    )  # fmt: skip


@lru_cache(maxsize=128)
def _rows(gpu: str, today: date | None) -> tuple[OfferRow, ...]:
    try:
        rows = find_offers(OfferQuery(gpu=gpu, limit=EVERY_OFFER, today=today)).offers
    except AdvisorError:
        return ()
    own = [row for row in rows if row.gpu == gpu and row.gpu_count == int(row.gpu_count)]
    return tuple([row for row in own if not row.undated] or own)


def offered(gpu: Gpu, today: date | None) -> Rent | None:
    """The median of the catalog's offers of this card on demand, for one card an hour; null = nobody lets it."""
    rows = _rows(gpu.id, today)
    if not rows:
        return None
    middle = median(row.usd_per_gpu_hour for row in rows)
    newest = max((row.as_of for row in rows if row.as_of), default=None)
    least = rows[0]
    return Rent(
        Decimal(middle), "USD", "offers", newest, least.provider, Decimal(least.usd_per_gpu_hour),
        all(row.stale for row in rows), least.source,
    )  # fmt: skip
