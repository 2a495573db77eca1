"""Where owning and renting meet: hours a month over the years, months at the hours asked about, and the curves."""

from collections.abc import Sequence

from kb.market.tariffs import residual
from kb.units import HOURS_PER_MONTH
from tools.cost.own import total
from tools.cost.result import Against, BreakEven, CurvePoint, Open, Owning, Renting, TimePoint, Which
from tools.cost.setting import MONTHS_PER_YEAR, Setting
from tools.power.energy import scaled
from tools.speed.result import Interval

CURVE_POINTS = 11
TIME_POINTS = 13
MONTHS_MOST = 240


def break_even(setting: Setting, own: Owning, rent: Renting) -> BreakEven:
    """Owning has a fixed part F a month and the energy e of each hour; renting costs r an hour, or m a month.

    hours = F / (r − e);  months = price / (monthly rent − monthly running cost)
    """
    fixed, each = _fixed(own), _each(setting, own)
    hourly, flat = rent.useful_hourly_cost, rent.purchase == "by_month"
    hours = Open(
        value=_hours(fixed.value, hourly.value - each.value),
        low=_hours(fixed.low, hourly.high - each.low),
        high=_hours(fixed.high, hourly.low - each.high),
    )
    if flat:  # however much it is used
        hours = Open(value=None, low=None, high=None)
    price, running, paid = own.purchase_cost, own.running_monthly_cost, rent.monthly_cost
    months = Open(
        value=_over(price.value, paid.value - running.value),
        low=_over(price.low, paid.high - running.low),
        high=_over(price.high, paid.low - running.high),
    )
    cheaper = own.monthly_cost.value <= paid.value if flat else None
    saved = paid.value - running.value
    return BreakEven(
        purchase=rent.purchase, hours_per_month=hours,
        busy_ratio=hours.value / HOURS_PER_MONTH if hours.value is not None else None, months=months,
        months_resold=_resold(setting, own, rent),
        months_with_residual=_worn(own, rent),
        residual_ratio_even=1 - saved * setting.months / price.value if price.value >= 1 else None,
        reached=cheaper if cheaper is not None else hours.value is not None and hours.value <= setting.rented_hours,
        curve=tuple(
            CurvePoint(hours_per_month=at, own_cost=fixed.value + each.value * at,
                       rent_cost=paid.value if flat else hourly.value * at)
            for at in (HOURS_PER_MONTH * step / (CURVE_POINTS - 1) for step in range(CURVE_POINTS))
        ),
        timeline=tuple(
            TimePoint(months=at, own_cost=price.value + running.value * at, rent_cost=paid.value * at)
            for at in (setting.months * step / (TIME_POINTS - 1) for step in range(TIME_POINTS))
        ),
    )  # fmt: skip


def against(
    setting: Setting, own: Owning, rents: Sequence[tuple[Which, Renting]]
) -> tuple[Against, ...]:  # fmt: skip
    """Owning held against each of several rents, the cheapest month first."""
    found = []
    for which, rent in rents:
        met, paid = break_even(setting, own, rent), rent.monthly_cost.value
        left = met.months_with_residual
        found.append(
            Against(
                which=which, offer=rent.cheapest, purchase=rent.purchase, gpu_hourly_cost=rent.gpu_hourly_cost.value,
                monthly_cost=paid, hours_per_month=met.hours_per_month.value, months=left.value if left else None,
                term_cost=rent.term_cost.value if rent.term_cost else None,
                owning_saves_monthly=paid - own.monthly_cost.value, as_of=rent.as_of,
            )
        )  # fmt: skip
    return tuple(sorted(found, key=lambda one: one.monthly_cost))


def _resold(setting: Setting, own: Owning, rent: Renting) -> Open:
    """The first month at whose end owning, sold then, has cost no more: price · (1 − left) ≤ months · saved.

    What is left is the share given, whenever it is sold, else what is usual at that age.
    """
    price, running, paid, left = own.purchase_cost, own.running_monthly_cost, rent.monthly_cost, own.residual_ratio
    if left.low == left.high:
        return Open(
            value=_over(price.value * (1 - left.value), paid.value - running.value),
            low=_over(price.low * (1 - left.value), paid.high - running.low),
            high=_over(price.high * (1 - left.value), paid.low - running.high),
        )
    ends = (
        ("value", "value", price.value, paid.value - running.value),
        ("low", "high", price.low, paid.high - running.low),
        ("high", "low", price.high, paid.low - running.high),
    )
    return Open(**{name: _sold(share, cost, saved) for name, share, cost, saved in ends})


def _worn(own: Owning, rent: Renting) -> Open:
    """Months until the rent saved is what the machine loses over the years reckoned with, by the residual told.

    months = price · (1 − left at the end) / saved a month: within those years where owning is cheaper over them.
    """
    price, running, paid, left = own.purchase_cost, own.running_monthly_cost, rent.monthly_cost, own.residual_ratio
    return Open(
        value=_over(price.value * (1 - left.value), paid.value - running.value),
        low=_over(price.low * (1 - left.high), paid.high - running.low),
        high=_over(price.high * (1 - left.low), paid.low - running.high),
    )


def _sold(share: str, price: float, saved: float) -> float | None:
    """Whole months until a machine sold at the usual share of its age has cost no more than the rent saved."""
    for month in range(1, MONTHS_MOST + 1):
        if price * (1 - float(getattr(residual(month / MONTHS_PER_YEAR), share))) <= saved * month:
            return float(month)
    return None


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
