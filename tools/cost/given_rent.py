"""Rents that the person gave: by the hour for the hours of use, by the month however much it is used."""

import math

from kb.lexicon import Rent
from kb.units import HOUR_S, HOURS_PER_MONTH
from tools.cost.result import Renting
from tools.cost.setting import Setting, exactly
from tools.power.energy import scaled
from tools.speed.result import Interval

HOURS = {"hour": 1.0, "day": 24.0, "month": HOURS_PER_MONTH, "year": 12 * HOURS_PER_MONTH}
LEAST = 1e-6
"""Months told in years come back with rounding errors: so much more than a month begins no other."""


def given_rents(setting: Setting, usual_hourly: float | None, lost: Interval) -> tuple[Renting, ...]:
    """Every rent given. `usual_hourly`: what all cards together are let for; `lost`: of spot hours."""
    return tuple(_renting(setting, one, usual_hourly, lost) for one in setting.given.rents)


def together(setting: Setting, one: Rent, usual_hourly: float | None) -> float:
    """The rent of everything, for the time it is told in: each card's or machine's, or all of it.

    Where that is not said, a rent by the month is a machine's, and one by the hour is what is nearer to the offers.
    """
    cards, nodes = setting.machine.gpus, setting.machine.nodes
    if one.of == "all":
        return one.amount
    if one.of in {"machine", "chassis"}:
        return one.amount * nodes
    if one.of == "card" or cards == 1:
        return one.amount * cards
    if one.per in {"month", "year"}:
        return one.amount * nodes
    hourly = one.amount / HOURS[one.per]
    each = usual_hourly is None or hourly < usual_hourly / math.sqrt(cards)
    return one.amount * (cards if each else 1)


def _renting(setting: Setting, one: Rent, usual_hourly: float | None, lost: Interval) -> Renting:
    amount = together(setting, one, usual_hourly)
    hourly = exactly(amount / HOURS[one.per])
    term = setting.request.term_s
    common = {
        "basis": "given", "hourly_cost": hourly, "gpu_hourly_cost": scaled(hourly, 1 / setting.machine.gpus),
        "term_s": term, "term_months": term / HOUR_S / HOURS_PER_MONTH if term else None, "offers": 0,
        "cheapest": None, "as_of": None, "stale": False,
    }  # fmt: skip
    if one.per in {"month", "year"}:
        monthly = exactly(amount / HOURS[one.per] * HOURS_PER_MONTH)
        return Renting.model_validate(common | {
            "purchase": "by_month", "useful_hourly_cost": scaled(monthly, 1 / setting.rented_hours),
            "monthly_cost": monthly, "total_cost": scaled(monthly, whole_months(setting.months)),
            "term_cost": scaled(monthly, whole_months(term / HOUR_S / HOURS_PER_MONTH)) if term else None,
        })  # fmt: skip
    useful = hourly
    if one.way == "spot":
        useful = Interval(value=hourly.value / (1 - lost.value), low=hourly.low / (1 - lost.low),
                          high=hourly.high / (1 - lost.high))  # fmt: skip
    monthly = scaled(useful, setting.rented_hours)
    return Renting.model_validate(common | {
        "purchase": one.way, "useful_hourly_cost": useful, "monthly_cost": monthly,
        "total_cost": scaled(monthly, setting.months), "term_cost": scaled(useful, term / HOUR_S) if term else None,
    })  # fmt: skip


def whole_months(months: float) -> int:
    """Months that are paid: what is begun is paid whole."""
    return math.ceil(months - LEAST)
