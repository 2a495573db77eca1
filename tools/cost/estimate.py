"""`estimate_cost`: one request in; owning, renting, where they meet, and what the work costs out."""

from collections.abc import Iterable, Sequence

from kb.base import BadInput
from kb.machines.power import power_facts
from kb.market.rates import rate
from kb.market.tariffs import colocation, tariff_facts
from kb.records.source import Source
from kb.units import HOURS_PER_MONTH
from tools.base import Scalar, Step
from tools.cost.break_even import against, break_even
from tools.cost.given import Given, read_given
from tools.cost.growth import growth_of
from tools.cost.own import owning
from tools.cost.rent import renting, several
from tools.cost.request import CostRequest
from tools.cost.result import BreakEven, CostEstimate, Owning, Renting, VolumeCost
from tools.cost.setting import Setting
from tools.cost.work import asks_for_job, asks_for_run, asks_for_tokens, job_cost, run_cost, token_cost, volume_cost
from tools.find_offers import OfferRow
from tools.named import cited, vouching
from tools.power.draw import draw_of
from tools.power.energy import HOURS_PER_DAY, energy_of, is_world, site_of
from tools.power.machine import machine_of
from tools.power.plan import tariff_assumption
from tools.prices import is_stale

SECONDS_PER_HOUR = 3600


def estimate_cost(request: CostRequest) -> CostEstimate:
    """Estimate what hardware costs to own and to rent: total cost of ownership with the whole machine's energy, rent on
    demand, spot and reserved, where owning and renting meet, a million tokens, a training run.

    Name a card and how many (or a server), hours a day and years; give your own prices, rents, tariff, hosting,
    residual, horizon, duty, support and growth in your own words. Add a model for the cost of its tokens,
    tokens_per_month for a month's traffic beside a provider's price, a data set for the cost of a training run, and
    hours of speech, pictures or texts for the cost of getting through them once.
    """
    request, given = read_given(request)
    setting = _setting(request, given)
    own = owning(setting) if request.acquisition != "rent" else None
    rent, offers = renting(setting) if request.acquisition != "buy" else ((), ())
    on_demand = next((one for one in rent if one.purchase == "on_demand"), rent[0] if given.rents and rent else None)
    met = break_even(setting, own, on_demand) if own and on_demand else None
    single = len(setting.machine.cards) == 1
    tokens = token_cost(setting, own, on_demand) if single and asks_for_tokens(request) else None
    run = run_cost(setting, own, rent) if single and asks_for_run(request) else None
    run = job_cost(setting, own, rent) if single and asks_for_job(request) else run
    if own is None and not rent:
        raise BadInput("purchase_price", "no price of these cards is known.", "Give purchase_price or rent_per_hour.")
    volume = volume_cost(setting, tokens, own, on_demand)
    return CostEstimate(
        gpu=setting.machine.cards[0][0].id, gpu_count=setting.machine.gpus, nodes=setting.machine.nodes,
        currency=setting.energy.currency, years=setting.years,
        hours_per_month=setting.hours, monthly_time_s=setting.hours * SECONDS_PER_HOUR,
        utilisation=request.utilisation, given=given.rows, energy=setting.energy, own=own, rent=rent,
        break_even=met, against=against(setting, own, several(setting)) if own and rent else (), tokens=tokens,
        run=run, volume=volume, growth=growth_of(setting, _busy(given, volume), own, on_demand),
        derivation=tuple(_derivation(setting, own, rent, met)),
        assumptions=tuple(_assumptions(setting, own, rent)), warnings=tuple(_warnings(setting, own, rent, offers)),
        sources=_sources(setting, own, rent, offers),
    )  # fmt: skip


def _busy(given: Given, volume: VolumeCost | None) -> float | None:
    """Today's load over what one machine does: the tokens of a month, else the share of the time given."""
    if volume is not None:
        return volume.busy_ratio * volume.copies
    return given.duty.share if given.duty is not None else None


def _setting(request: CostRequest, given: Given) -> Setting:
    machine = machine_of(request)
    draw = draw_of(machine)
    site = site_of(request, consumer=machine.consumer)
    return Setting(
        request=request, machine=machine, draw=draw, site=site, energy=energy_of(request, draw, site),
        years=request.years or tariff_facts().ownership.years.value,
        hours=HOURS_PER_MONTH * request.hours_per_day / HOURS_PER_DAY, given=given,
    )  # fmt: skip


def _derivation(setting: Setting, own: Owning | None, rent: Sequence[Renting], met: BreakEven | None) -> Iterable[Step]:
    energy, currency = setting.energy, setting.energy.currency.lower()
    yield _step("Average draw", "idle + (sustained − idle) · utilisation", energy.average_w.value, "w",
                power_facts().idle.source, idle=setting.draw.idle_w, sustained=setting.draw.sustained_w.value,
                utilisation=setting.request.utilisation)  # fmt: skip
    yield _step("Energy a month", "average / 1000 · pue · hours", energy.kwh_per_month.value, "kwh", None,
                average=energy.average_w.value, pue=energy.pue.value, hours=setting.hours)  # fmt: skip
    if own is not None:
        yield from _owned(setting, own, currency)
    for one in rent:
        lost = 1 - one.hourly_cost.value / one.useful_hourly_cost.value
        yield _step(f"Rent a month, {one.purchase.replace('_', ' ')}", "hourly / (1 − lost) · hours",
                    one.monthly_cost.value, currency, None, hourly=one.hourly_cost.value, lost=lost,
                    hours=setting.hours)  # fmt: skip
    if own is not None and met is not None and met.hours_per_month.value is not None:
        each = sum(part.monthly_cost.value for part in own.parts if part.name == "energy") / setting.hours
        fixed = own.monthly_cost.value - each * setting.hours
        hourly = next(one.useful_hourly_cost.value for one in rent if one.purchase == met.purchase)
        yield _step("Break-even", "fixed / (rent − energy)", met.hours_per_month.value, "hours_per_month", None,
                    fixed=fixed, rent=hourly, energy=each)  # fmt: skip


def _owned(setting: Setting, own: Owning, currency: str) -> Iterable[Step]:
    bill: dict[str, Scalar] = {}
    for one in own.prices:
        bill[f"count {one.what}"] = one.count
        bill[f"price {one.what}"] = one.unit_cost.value if one.unit_cost else None
    first = next((one.source for one in own.prices if one.source), None)
    yield _step("Purchase", "Σ count · price", own.purchase_cost.value, currency, first, **bill)
    for part in own.parts:
        yield _step(f"{part.name.capitalize()} a month", part.formula, part.monthly_cost.value, currency, None,
                    **part.inputs)  # fmt: skip
    yield _step("Owning, a month", "Σ parts", own.monthly_cost.value, currency, None,
                **{part.name: part.monthly_cost.value for part in own.parts})  # fmt: skip


def _step(label: str, formula: str, value: float, unit: str, source: str | None, **inputs: Scalar) -> Step:
    return Step(label=label, formula=formula, inputs=inputs, value=value, unit=unit, source=source)


def _assumptions(setting: Setting, own: Owning | None, rent: Sequence[Renting]) -> Iterable[str]:
    request, stated = setting.request, setting.request.model_fields_set
    for one in setting.given.rows:
        yield f"Yours: {one.field} “{one.said[:80]}”."
    yield from setting.given.assumptions
    yield from setting.machine.assumptions
    if request.years is None:
        yield f"Reckoned over {setting.years:g} years."
    if "hours_per_day" not in stated and (setting.given.duty is None or setting.given.duty.hours_per_day is None):
        yield "Switched on around the clock."
    if "utilisation" not in stated and setting.given.duty is None:
        yield f"At full load {request.utilisation:.0%} of that time."
    if own is not None:
        if request.residual_ratio is None and setting.given.residual_amount is None:
            yield f"Fetches {own.residual_ratio.value:.0%} of its price after {setting.years:g} years."
        if request.pue is None:
            yield f"PUE {setting.energy.pue.value:g}."
        if setting.energy.tariff_country is not None:
            yield from tariff_assumption(setting.energy)
        if not request.staff_per_month:
            yield "Nobody's time is counted."
    if any(one.purchase == "spot" for one in rent) and request.spot_lost_ratio is None:
        yield f"Spot loses {tariff_facts().ownership.spot_lost_ratio.value:.0%} of its hours to interruptions."
    if setting.energy.currency != "USD":
        used = rate(setting.energy.currency)
        yield f"1 USD = {used.per_usd} {used.currency} ({used.as_of})."
    if asks_for_tokens(request) and request.concurrent_sequences is None:
        yield "64 sequences at a time."


def _warnings(
    setting: Setting, own: Owning | None, rent: Sequence[Renting], offers: Sequence[OfferRow]
) -> Iterable[str]:
    if own is None and setting.request.acquisition != "rent":
        yield "No price of these cards is known: only renting is worked out."
    if own is not None:
        missing = [one.what for one in own.prices if one.unit_cost is None]
        if missing:
            yield f"No price is known of: {', '.join(missing)}. The true cost of owning is higher; give machine_price."
        old = [f"{one.what} ({one.as_of or 'undated'})" for one in own.prices if one.stale and one.unit_cost]
        if old:
            yield f"Prices older than 30 days: {', '.join(old)}."
    if not rent and setting.request.acquisition != "buy":
        yield "No offer to rent these cards was read: give rent_per_hour."
    if any(row.stale for row in offers):
        old_offers = sum(row.stale for row in offers)
        yield f"{old_offers} of {len(offers)} offers used are older than 30 days; check before you rent."
    if own is not None and is_world(setting.energy):
        yield "No price of electricity is known for the country: give tariff_per_kwh."
    elif (
        own is not None and setting.energy.tariff_as_of and is_stale(setting.energy.tariff_as_of, setting.request.today)
    ):
        yield f"The price of electricity is of {setting.energy.tariff_as_of}, older than 30 days."


def _sources(
    setting: Setting, own: Owning | None, rent: Sequence[Renting], offers: Sequence[OfferRow]
) -> tuple[Source, ...]:
    facts, money = power_facts(), tariff_facts()
    keys = [row.source for row in offers]
    if own is not None:
        keys += [one.source or "" for one in own.prices]
    cards = [key for gpu, _ in setting.machine.cards for key in vouching(gpu, ["tdp_w"])]
    ids = [setting.machine.host.source, facts.idle.source, facts.pue[setting.site].source]
    rows = [row.sources for row in money.tariffs if row.country == setting.energy.tariff_country]
    if own is not None:
        rows.append((money.ownership.residual[0].source, money.ownership.maintenance_ratio_per_year.source))
        if setting.site == "colocation":
            rows.append(colocation(setting.request.country).sources)
    if any(one.purchase == "spot" for one in rent):
        rows.append((money.ownership.spot_lost_ratio.source,))
    found = [
        *cited([*keys, *cards, rate(setting.energy.currency).source]),
        *(facts.sources[key] for key in ids),
        *(money.sources[key] for row in rows for key in row),
    ]
    return tuple({one.id: one for one in found}.values())
