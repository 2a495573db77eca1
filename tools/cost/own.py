"""Owning: purchase price, what is left of it, and what it costs to keep running."""

from collections.abc import Iterable

from kb.base import BadInput
from kb.market.tariffs import residual, tariff_facts
from tools.cost.place import place_of
from tools.cost.prices import prices_of
from tools.cost.result import CostPart, Owning
from tools.cost.setting import MONTHS_PER_YEAR, Setting, exactly
from tools.power.energy import interval, scaled, times
from tools.speed.result import Interval


def total(parts: Iterable[Interval]) -> Interval:
    """The sum of intervals, end by end."""
    rows = list(parts)
    return Interval(value=sum(one.value for one in rows), low=sum(one.low for one in rows),
                    high=sum(one.high for one in rows))  # fmt: skip


def _resale(purchase: Interval, left: Interval) -> Interval:
    """What the purchase fetches at the end."""
    return Interval(value=purchase.value * left.value, low=purchase.low * left.low, high=purchase.high * left.high)


def owning(setting: Setting) -> Owning | None:
    """What owning costs a month and over the years; null when nothing is known of the price.

    depreciation = price · (1 − residual) / months;  financing = price · (1 + residual) / 2 · interest / 12
    maintenance = price · ratio / 12;  colocation = wall_max / 1000 · price_per_kW
    """
    prices = tuple(prices_of(setting))
    known = [scaled(one.unit_cost, one.count) for one in prices if one.unit_cost is not None]
    if not known:
        return None
    purchase = total(known)
    left = _left(setting, purchase)
    months = setting.months
    parts = tuple(
        part.model_copy(update={"total_cost": scaled(part.monthly_cost, months)})
        for part in _parts(setting, purchase, left)
    )
    monthly = total(part.monthly_cost for part in parts)
    running = total(part.monthly_cost for part in parts if part.name not in {"depreciation", "financing"})
    hourly = scaled(monthly, 1 / setting.hours)
    return Owning(
        purchase_cost=purchase, prices=prices, complete=all(one.unit_cost is not None for one in prices),
        residual_ratio=left, resale_cost=_resale(purchase, left), parts=parts, monthly_cost=monthly,
        total_cost=scaled(monthly, setting.months),
        running_monthly_cost=running, hourly_cost=hourly, gpu_hourly_cost=scaled(hourly, 1 / setting.machine.gpus),
    )  # fmt: skip


def _left(setting: Setting, purchase: Interval) -> Interval:
    """Share of the price left at the end: as given, else usual by then.

    Raises:
        BadInput: it would fetch more than was paid.
    """
    amount = setting.given.residual_amount
    if amount is not None:
        if not 0 <= amount <= purchase.value:
            raise BadInput("residual", "is more than is paid for everything.", "Give at most the price.")
        return exactly(amount / purchase.value) if purchase.value else exactly(0)
    ratio = setting.request.residual_ratio
    return exactly(ratio) if ratio is not None else interval(residual(setting.years))


def _parts(setting: Setting, purchase: Interval, left: Interval) -> Iterable[CostPart]:
    request, months, price = setting.request, setting.months, {"price": purchase.value}
    lost = Interval(value=1 - left.value, low=1 - left.high, high=1 - left.low)
    yield CostPart(name="depreciation", monthly_cost=times(purchase, lost, 1 / months),
                   formula="price · (1 − residual) / months",
                   inputs=price | {"residual": left.value, "months": months})  # fmt: skip
    if request.interest_ratio_per_year:
        bound, interest = scaled(total([exactly(1), left]), 0.5), request.interest_ratio_per_year
        yield CostPart(name="financing", monthly_cost=times(purchase, bound, interest / MONTHS_PER_YEAR),
                       formula="price · (1 + residual) / 2 · interest / 12",
                       inputs=price | {"residual": left.value, "interest": interest})  # fmt: skip
    energy, place = setting.energy, place_of(setting)
    if place is None or not place.with_energy:
        yield CostPart(name="energy", monthly_cost=energy.monthly_cost, formula="kwh · tariff",
                       inputs={"kwh": energy.kwh_per_month.value, "tariff": energy.tariff_per_kwh.value})  # fmt: skip
    if place is not None:
        symbols = dict(zip(place.formula.split(" · "), (place.many, place.each.value), strict=True))
        yield CostPart(name="colocation", monthly_cost=scaled(place.each, place.many), formula=place.formula,
                       inputs=symbols)  # fmt: skip
    support = setting.given.support
    if support is not None and support.per_month is not None:
        yield CostPart(name="support", monthly_cost=exactly(support.per_month), formula="as given", inputs={})
    else:
        ratio = _maintenance(setting) if support is None else exactly(support.ratio or 0.0)
        yield CostPart(name="maintenance" if support is None else "support", formula="price · ratio / 12",
                       monthly_cost=times(purchase, ratio, 1 / MONTHS_PER_YEAR),
                       inputs=price | {"ratio": ratio.value})  # fmt: skip
    if request.staff_per_month:
        yield CostPart(name="staff", monthly_cost=exactly(request.staff_per_month), formula="as given", inputs={})


def _maintenance(setting: Setting) -> Interval:
    given, facts = setting.request.maintenance_ratio_per_year, tariff_facts().ownership
    if given is not None:
        return exactly(given)
    desk = setting.machine.consumer
    return interval(facts.desktop_maintenance_ratio_per_year if desk else facts.maintenance_ratio_per_year)
