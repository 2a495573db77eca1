"""A load that grows: when one more machine is needed, and what owning and renting cost over the horizon."""

import math
from collections.abc import Iterator

from kb.base import BadInput
from kb.market.tariffs import residual
from tools.cost.given_rent import whole_months
from tools.cost.result import Growth, GrowthStep, Owning, Renting
from tools.cost.setting import MONTHS_PER_YEAR, Setting
from tools.power.energy import scaled
from tools.speed.result import Interval

MONTHS_MOST = 240
STEPS_MOST = 10
LEAST = 1e-9


def growth_of(setting: Setting, busy: float | None, own: Owning | None, rent: Renting | None) -> Growth | None:
    """What the growth given comes to; null where none is given. `busy`: today's load over what one machine does.

        load(month) = busy · (1 + growth) ^ month;  machines = ⌈load⌉

    Raises:
        BadInput: a growth without today's load.
    """
    growth = setting.given.growth
    if growth is None:
        return None
    if busy is None:
        remedy = 'Give duty as a share of what the machine can do ("55 %"), or model and tokens_per_month.'
        raise BadInput("growth", "says not from what load.", remedy)
    counts = [machines(busy, growth, month) for month in range(max(1, whole_months(setting.months)))]
    steps = tuple(_steps(busy, growth))
    return Growth(
        monthly_ratio=growth, steps=steps[:STEPS_MOST],
        next_machine_months=steps[1].from_months if len(steps) > 1 else None, machines_at_end=counts[-1],
        own_total_cost=_owned(setting, own, counts) if own else None,
        rent_total_cost=_rented(setting, rent, busy, growth, counts) if rent else None,
    )  # fmt: skip


def machines(busy: float, growth: float, month: float) -> int:
    """Machines that the load of a month takes; those bought before a load shrank stay."""
    return max(1, math.ceil(busy * math.pow(1 + max(0.0, growth), month) - LEAST))


def _steps(busy: float, growth: float) -> Iterator[GrowthStep]:
    now = machines(busy, growth, 0)
    yield GrowthStep(from_months=0, machines=now, load_ratio=busy)
    while growth > 0 and now < 10**6:
        month = math.log(now / busy) / math.log1p(growth)
        if month > MONTHS_MOST:
            return
        now += 1
        yield GrowthStep(from_months=month, machines=now, load_ratio=float(now - 1))
        if now > STEPS_MOST + machines(busy, growth, 0):
            return


def _owned(setting: Setting, own: Owning, counts: list[int]) -> Interval:
    """Every machine from the month it is needed: its price less what it fetches at its age, and its running."""
    every, bought = [], 0
    for month, count in enumerate(counts):
        left = len(counts) - month
        every += [left] * max(0, count - bought)
        bought = max(bought, count)
    return Interval(
        **{name: sum(_one(setting, own, name, left) for left in every) for name in ("value", "low", "high")}
    )


def _one(setting: Setting, own: Owning, name: str, months: int) -> float:
    """One machine for so many months. The share given for the end of the horizon stands for every age."""
    share = own.residual_ratio.value
    if own.residual_ratio.low != own.residual_ratio.high:
        of = {"value": "value", "low": "high", "high": "low"}[name]
        share = float(getattr(residual(months / MONTHS_PER_YEAR), of))
    price, running = float(getattr(own.purchase_cost, name)), float(getattr(own.running_monthly_cost, name))
    return price * (1 - share) + running * months


def _rented(setting: Setting, rent: Renting, busy: float, growth: float, counts: list[int]) -> Interval:
    """By the hour what the load takes, by the month whole machines."""
    if rent.purchase == "by_month":
        return scaled(rent.monthly_cost, sum(counts))
    load = sum(busy * (1 + growth) ** month for month in range(len(counts)))
    return scaled(rent.useful_hourly_cost, setting.hours * load)
