"""What electricity, a place in a data centre and ownership cost, by country, with source and date."""

from functools import lru_cache
from typing import Literal

from pydantic import Field, model_validator

from kb.base import Frozen
from kb.catalog import FACTS, load_yaml
from kb.machines.power import Ranged
from kb.market.rates import usd
from kb.records.source import Source

Customer = Literal["residential", "business"]
WORLD = "WORLD"


class Tariff(Frozen):
    """Price of one kilowatt-hour for a kind of customer in a country."""

    country: str
    customer: Customer
    value: float = Field(gt=0)
    """Typical price in `currency`."""
    low: float = Field(gt=0)
    high: float = Field(gt=0)
    currency: str
    as_of: str
    sources: tuple[str, ...]
    note: str = ""
    members: tuple[str, ...] = ()
    """Countries without a row of their own that take this one."""

    @model_validator(mode="after")
    def _in_order(self) -> "Tariff":
        if not self.low <= self.value <= self.high:
            raise ValueError("low ≤ value ≤ high must hold")
        return self


class Colocation(Frozen):
    """Price of one kilowatt in somebody's data centre for a month."""

    country: str
    value: float = Field(gt=0)
    low: float = Field(gt=0)
    high: float = Field(gt=0)
    currency: str
    energy_included: bool
    as_of: str
    sources: tuple[str, ...]
    note: str = ""


class Residual(Ranged):
    """Share of the purchase price that hardware still fetches after some years."""

    years: float


class Years(Frozen):
    """How long hardware is usually reckoned with."""

    value: float
    source: str


class Ownership(Frozen):
    """What owning costs beside purchase and energy."""

    years: Years
    maintenance_ratio_per_year: Ranged
    desktop_maintenance_ratio_per_year: Ranged
    residual: tuple[Residual, ...]
    spot_lost_ratio: Ranged
    """Share of spot hours lost to interruptions and the work repeated after them."""
    spot_discount: Ranged


class TariffFacts(Frozen):
    """Everything in `tariffs.yaml`."""

    tariffs: tuple[Tariff, ...]
    colocation: tuple[Colocation, ...]
    ownership: Ownership
    unions: dict[str, tuple[str, ...]]
    """Unions that are asked for as one place → their countries."""
    sources: dict[str, Source]


@lru_cache(maxsize=1)
def tariff_facts() -> TariffFacts:
    """The facts, loaded once."""
    rows = load_yaml(FACTS / "tariffs.yaml")
    rows["sources"] = {key: {"id": key, **row} for key, row in rows["sources"].items()}
    return TariffFacts.model_validate(rows)


@lru_cache(maxsize=8)
def countries_of(union: str) -> frozenset[str]:
    """The countries of a union that is asked for as one ("EU"); empty of a single country."""
    return frozenset(tariff_facts().unions.get(union, ()))


def tariff(country: str | None, customer: Customer) -> Tariff:
    """The price of electricity in a country; the world's where none is known (its `country` says so)."""
    rows = [row for row in tariff_facts().tariffs if row.customer == customer]
    for match in (lambda row: row.country == country, lambda row: country in row.members):
        found = next(filter(match, rows), None)
        if found is not None:
            return found
    return next(row for row in rows if row.country == WORLD)


@lru_cache(maxsize=1)
def dearest_tariff_usd() -> float:
    """The highest price of a kilowatt-hour of all rows, in dollars."""
    return max(float(usd(row.high, row.currency)) for row in tariff_facts().tariffs)


def colocation(country: str | None) -> Colocation:
    """The price of a place in a data centre; the world's where none is known for the country."""
    rows = tariff_facts().colocation
    return next((row for row in rows if row.country == country), rows[0])


def residual(years: float) -> Ranged:
    """Share of the price left after `years`: straight between the years read, all of it at the start."""
    rows = tariff_facts().ownership.residual
    before = Residual(years=0, value=1, low=1, high=1, source=rows[0].source)
    for row in rows:
        if years <= row.years:
            at = (years - before.years) / (row.years - before.years)
            low, value, high = (
                getattr(before, name) + (getattr(row, name) - getattr(before, name)) * at
                for name in ("low", "value", "high")
            )
            return Ranged(value=value, low=low, high=high, source=row.source)
        before = row
    faded = before.value * before.years / years
    return Ranged(value=faded, low=0, high=before.high, source=before.source)
