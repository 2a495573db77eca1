"""Energy of a month and what it costs, at the tariff of a country and the PUE of a site."""

from dataclasses import dataclass

from kb.machines.power import Ranged, Site, power_facts
from kb.market.rates import convert, rate
from kb.market.tariffs import WORLD, Customer, Tariff, tariff
from kb.units import HOURS_PER_MONTH
from tools.power.draw import Draw
from tools.power.request import UseFields
from tools.power.result import Energy
from tools.speed.result import Interval

HOURS_PER_DAY = 24
DAY_OF_MONTH = HOURS_PER_DAY / HOURS_PER_MONTH


@dataclass(frozen=True, slots=True)
class Price:
    """What a kilowatt-hour costs in one currency."""

    per_kwh: Interval
    currency: str
    row: Tariff | None
    """Null for a price that was given."""


def site_of(use: UseFields, *, consumer: bool) -> Site:
    """Where it stands when that is not said."""
    return use.site or ("home" if consumer else "server_room")


def pue_of(use: UseFields, site: Site) -> Ranged:
    """The PUE given, or the usual one of the site."""
    if use.pue is not None:
        return Ranged(value=use.pue, low=use.pue, high=use.pue, source="")
    return power_facts().pue[site]


def price_of(use: UseFields, site: Site) -> Price:
    """The price given, or the usual one of the country.

    Raises:
        UnknownName: no such currency.
    """
    currency = rate(use.currency).currency
    if use.tariff_per_kwh is not None:
        given = use.tariff_per_kwh
        return Price(Interval(value=given, low=given, high=given), currency, None)
    customer: Customer = use.customer or ("residential" if site == "home" else "business")
    row = tariff(use.country.upper() if use.country else None, customer)
    low, value, high = (float(convert(each, row.currency, currency)) for each in (row.low, row.value, row.high))
    return Price(Interval(value=value, low=low, high=high), currency, row)


def energy_of(use: UseFields, draw: Draw, site: Site, years: float | None = None) -> Energy:
    """Kilowatt-hours and money of a month of 730 hours, and of `years` in all where they are given.

    average_w / 1000 · pue · 730 · hours_per_day / 24
    """
    price, pue, average = price_of(use, site), pue_of(use, site), draw.average_w(use.utilisation)
    hours = HOURS_PER_MONTH * use.hours_per_day / HOURS_PER_DAY
    kwh = times(average, interval(pue), hours / 1000)
    monthly = times(kwh, price.per_kwh)
    return Energy(
        average_w=average, pue=interval(pue), kwh_per_month=kwh, tariff_per_kwh=price.per_kwh,
        tariff_country=price.row.country if price.row else None, tariff_as_of=price.row.as_of if price.row else None,
        monthly_cost=monthly, yearly_cost=scaled(monthly, 12), kwh_per_year=scaled(kwh, 12),
        daily_cost=scaled(monthly, DAY_OF_MONTH), kwh_per_day=scaled(kwh, DAY_OF_MONTH), currency=price.currency,
        term_years=years, term_cost=scaled(monthly, 12 * years) if years else None,
    )  # fmt: skip


def interval(ranged: Ranged) -> Interval:
    """A fact's range as an interval."""
    return Interval(value=ranged.value, low=ranged.low, high=ranged.high)


def times(one: Interval, other: Interval, factor: float = 1.0) -> Interval:
    """The product of two non-negative intervals."""
    return Interval(
        value=one.value * other.value * factor, low=one.low * other.low * factor, high=one.high * other.high * factor
    )


def scaled(one: Interval, factor: float) -> Interval:
    """An interval times a non-negative factor."""
    return Interval(value=one.value * factor, low=one.low * factor, high=one.high * factor)


def is_world(energy: Energy) -> bool:
    """Whether no price of the country was known."""
    return energy.tariff_country == WORLD
