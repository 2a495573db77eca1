"""Where owning and renting meet: hours a month over the years, months at the hours asked about, and the curves."""

from kb.units import HOURS_PER_MONTH
from tools.cost.own import Setting, total
from tools.cost.result import BreakEven, CurvePoint, Open, Owning, Renting, TimePoint
from tools.power.energy import scaled
from tools.speed.result import Interval

CURVE_POINTS = 11
TIME_POINTS = 13


def break_even(setting: Setting, own: Owning, rent: Renting) -> BreakEven:
    """Owning has a fixed part F a month and the energy e of each hour; renting costs r an hour.

    hours = F / (r − e);  months = price / (monthly rent − monthly running cost)
    """
    fixed, each = _fixed(own), _each(setting, own)
    hourly = rent.useful_hourly_cost
    hours = Open(
        value=_hours(fixed.value, hourly.value - each.value),
        low=_hours(fixed.low, hourly.high - each.low),
        high=_hours(fixed.high, hourly.low - each.high),
    )
    price, running, paid = own.purchase_cost, own.running_monthly_cost, rent.monthly_cost
    months = Open(
        value=_over(price.value, paid.value - running.value),
        low=_over(price.low, paid.high - running.low),
        high=_over(price.high, paid.low - running.high),
    )
    return BreakEven(
        purchase=rent.purchase, hours_per_month=hours,
        busy_ratio=hours.value / HOURS_PER_MONTH if hours.value is not None else None, months=months,
        reached=hours.value is not None and hours.value <= setting.hours,
        curve=tuple(
            CurvePoint(hours_per_month=at, own_cost=fixed.value + each.value * at, rent_cost=hourly.value * at)
            for at in (HOURS_PER_MONTH * step / (CURVE_POINTS - 1) for step in range(CURVE_POINTS))
        ),
        timeline=tuple(
            TimePoint(months=at, own_cost=price.value + running.value * at, rent_cost=paid.value * at)
            for at in (setting.months * step / (TIME_POINTS - 1) for step in range(TIME_POINTS))
        ),
    )  # fmt: skip


def _fixed(own: Owning) -> Interval:
    """What a month costs however much it is used."""
    return total(part.monthly_cost for part in own.parts if part.name != "energy")


def _each(setting: Setting, own: Owning) -> Interval:
    """Energy of one hour switched on."""
    return scaled(total(part.monthly_cost for part in own.parts if part.name == "energy"), 1 / setting.hours)


def _over(fixed: float, saved: float) -> float | None:
    return fixed / saved if saved > 0 else None


def _hours(fixed: float, saved: float) -> float | None:
    """Null when a month has too few hours."""
    found = _over(fixed, saved)
    return found if found is not None and found <= HOURS_PER_MONTH else None
