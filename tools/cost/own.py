"""Owning: purchase price, what is left of it, and what it costs to keep running."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from kb.base import BadInput
from kb.catalog import servers
from kb.power import Site
from kb.rates import convert, usd
from kb.tariffs import colocation, residual, tariff_facts
from tools.configure.bill import machines_alone
from tools.configure.market import CHINA
from tools.configure.purchases import host_memory
from tools.cost.request import CostRequest
from tools.cost.result import CostPart, Owning, PriceRead
from tools.power.draw import Draw
from tools.power.energy import interval, scaled, times
from tools.power.machine import Machine
from tools.power.result import Energy
from tools.prices import card_price, is_stale
from tools.speed.result import Interval

MONTHS_PER_YEAR = 12
NOTHING = Interval(value=0, low=0, high=0)


@dataclass(frozen=True, slots=True)
class Setting:
    """What owning and renting have in common."""

    request: CostRequest
    machine: Machine
    draw: Draw
    site: Site
    energy: Energy
    years: float
    hours: float
    """Hours a month it is switched on."""

    @property
    def months(self) -> float:
        """Months it is reckoned with."""
        return self.years * MONTHS_PER_YEAR


def exactly(value: float) -> Interval:
    """A figure without doubt."""
    return Interval(value=value, low=value, high=value)


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
    prices = tuple(_prices(setting))
    known = [scaled(one.unit_cost, one.count) for one in prices if one.unit_cost is not None]
    if not known:
        return None
    purchase, request = total(known), setting.request
    left = _left(request, setting.years)
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


def _prices(setting: Setting) -> Iterable[PriceRead]:
    request, machine = setting.request, setting.machine
    if request.purchase_price is not None:
        if request.machine_price is not None:
            raise BadInput("machine_price", "stands beside purchase_price.", "Give one of them.")
        yield PriceRead(what="as given", count=1, unit_cost=exactly(request.purchase_price), as_of=None, stale=False,
                        source=None)  # fmt: skip
        return
    whole = _systems(setting) if request.machine_price is None else None
    if whole is not None:
        yield whole
        return
    for gpu, count in machine.cards:
        price = card_price(gpu)
        cost = _card(setting, price.amount_usd, gpu.price_high_usd) if price else None
        yield PriceRead(
            what=gpu.name, count=count, unit_cost=cost,
            as_of=price.as_of if price else None, stale=is_stale(price.as_of if price else None, request.today),
            source=price.source if price else None,
        )  # fmt: skip
    if machine.kind == "integrated":
        return
    if request.machine_price is None:
        yield _machines(setting)
    else:
        yield PriceRead(what="machine", count=1, unit_cost=exactly(request.machine_price), as_of=None, stale=False,
                        source=None)  # fmt: skip


def _machines(setting: Setting) -> PriceRead:
    """The machines around the cards, put together from parts: for the hungriest card, if there are several kinds."""
    machine, request = setting.machine, setting.request
    gpu = max((gpu for gpu, _ in machine.cards), key=lambda gpu: (gpu.tdp_w or 0, gpu.id))
    cards = -(-machine.gpus // machine.nodes)
    memory = max(host_memory(gpu, cards), request.machine_memory_bytes or 0)
    found = machines_alone(gpu.id, cards, machine.nodes, memory, domestic=(request.country or "").upper() in CHINA)
    if found is None or found.host is None or found.amount is None:
        return PriceRead(what="machine", count=machine.nodes, unit_cost=None, as_of=None, stale=False, source=None)
    low, high = found.low or found.amount, found.high or found.amount
    each = Interval(value=float(found.amount), low=float(low), high=float(high))
    return PriceRead(
        what=f"machine ({found.host.name})", count=machine.nodes,
        unit_cost=_local(setting, scaled(each, 1 / machine.nodes)), as_of=found.as_of,
        stale=is_stale(found.as_of, request.today),
        source=next((item.source for item in found.items if item.source), None),
    )  # fmt: skip


def _card(setting: Setting, low: object, high: object) -> Interval:
    """Street prices from lowest to highest; the middle is budgeted."""
    least = float(str(low))
    most = max(least, float(str(high))) if high is not None else least
    return _local(setting, Interval(value=(least + most) / 2, low=least, high=most))


def _local(setting: Setting, usd: Interval) -> Interval:
    return scaled(usd, float(convert(1, "USD", setting.energy.currency)))


def _systems(setting: Setting) -> PriceRead | None:
    """Whole systems with these cards, when the cards come in no other way and somebody read a price."""
    machine = setting.machine
    if len(machine.cards) != 1 or not (machine.server or machine.on_board):
        return None
    gpu = machine.cards[0][0].id
    held = [machine.server] if machine.server else [one for one in servers().values() if one.takes(gpu) == 8]
    read = [(one, price) for one in held if (price := one.system_price(gpu)) is not None]
    read = [(one, price) for one, price in read if not one.discontinued] or read
    if not read or machine.gpus % (machine.nodes * read[0][0].takes(gpu)):
        return None
    lows, middles, highs = (
        [float(usd(getattr(price, end), price.currency)) for _, price in read] for end in ("low", "amount", "high")
    )
    oldest = min((price for _, price in read), key=lambda price: price.observed_on or "")
    return PriceRead(
        what=", ".join(one.name for one, _ in read[:3]), count=machine.nodes,
        unit_cost=_local(setting, Interval(value=median(middles), low=min(lows), high=max(highs))),
        as_of=oldest.observed_on, stale=is_stale(oldest.observed_on, setting.request.today), source=oldest.source,
    )  # fmt: skip


def _left(request: CostRequest, years: float) -> Interval:
    return exactly(request.residual_ratio) if request.residual_ratio is not None else interval(residual(years))


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
    energy, place, kilowatts = setting.energy, _place(setting), setting.draw.wall_max_w / 1000
    if place is None or not place[1]:
        yield CostPart(name="energy", monthly_cost=energy.monthly_cost, formula="kwh · tariff",
                       inputs={"kwh": energy.kwh_per_month.value, "tariff": energy.tariff_per_kwh.value})  # fmt: skip
    if place is not None:
        yield CostPart(name="colocation", monthly_cost=scaled(place[0], kilowatts), formula="kilowatts · price_per_kw",
                       inputs={"kilowatts": kilowatts, "price_per_kw": place[0].value})  # fmt: skip
    ratio = _maintenance(setting)
    yield CostPart(name="maintenance", monthly_cost=times(purchase, ratio, 1 / MONTHS_PER_YEAR),
                   formula="price · ratio / 12", inputs=price | {"ratio": ratio.value})  # fmt: skip
    if request.staff_per_month:
        yield CostPart(name="staff", monthly_cost=exactly(request.staff_per_month), formula="as given", inputs={})


def _maintenance(setting: Setting) -> Interval:
    given, facts = setting.request.maintenance_ratio_per_year, tariff_facts().ownership
    if given is not None:
        return exactly(given)
    desk = setting.machine.consumer
    return interval(facts.desktop_maintenance_ratio_per_year if desk else facts.maintenance_ratio_per_year)


def _place(setting: Setting) -> tuple[Interval, bool] | None:
    """Monthly price of a kilowatt in the data centre, and whether it includes the electricity."""
    given = setting.request.colocation_per_kw_month
    if given is not None:
        return exactly(given), False
    if setting.site != "colocation":
        return None
    country = setting.request.country
    row = colocation(country.upper() if country else None)
    each = Interval(value=row.value, low=row.low, high=row.high)
    return scaled(each, float(convert(1, row.currency, setting.energy.currency))), row.energy_included
