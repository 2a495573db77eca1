"""`plan_power`: one request in; watts, supplies, circuits, heat, racks and the electricity bill out."""

import math
from collections.abc import Iterable

from kb.machines.power import power_facts
from kb.market.rates import rate
from kb.market.tariffs import tariff_facts
from kb.records.source import Source
from tools.base import Scalar, Step
from tools.named import cited, vouching
from tools.power.draw import Draw, draw_of
from tools.power.energy import energy_of, is_world, site_of
from tools.power.feed import circuits, plugs, supply
from tools.power.limits import effect
from tools.power.machine import Machine, machine_of
from tools.power.request import PowerRequest
from tools.power.result import Energy, PowerPlan, RackPlan, SupplyPlan
from tools.power.ups import ups_plan
from tools.prices import is_stale

SECONDS_PER_HOUR = 3600


def plan_power(request: PowerRequest) -> PowerPlan:
    """Plan electricity and cooling for cards, a machine or racks: watts and spikes, power supply and plugs, circuits,
    heat, air or liquid, UPS, racks, and what the electricity costs.

    Name a card and how many, or a server and how many; say what supply or circuit is at hand to have it checked, and
    the power limit if one is set.
    """
    machine = machine_of(request)
    draw, facts = draw_of(machine), power_facts()
    site = site_of(request, consumer=machine.consumer)
    country = request.country.upper() if request.country else None
    energy = energy_of(request, draw, site, request.years)
    air = airflow_m3_per_hour(draw.wall_max_w, request.air_rise_k)
    minutes = request.ups_minutes or facts.ups.minutes
    feeding = circuits(machine, draw, request, country)
    found = PowerPlan(
        machine=machine.kind, gpu=machine.cards[0][0].id, gpu_count=machine.gpus,
        cards=tuple(f"{count} × {gpu.name}" for gpu, count in machine.cards), nodes=machine.nodes, site=site,
        cards_w=machine.cards_w, hosts_w=draw.inside_max_w - machine.cards_w, inside_max_w=draw.inside_max_w,
        wall_max_w=draw.wall_max_w, node_wall_max_w=draw.wall_max_w / machine.nodes, sustained_w=draw.sustained_w,
        idle_w=draw.idle_w, ten_ms_w=draw.ten_ms_w, one_ms_w=draw.one_ms_w, specified_w=draw.specified_w,
        supply=supply(machine, draw, request.psu_w, country),
        vendor_suggested_psu_w=machine.cards[0][0].suggested_psu_w, plugs=plugs(machine), circuits=feeding,
        heat_btu_per_hour=draw.wall_max_w * facts.heat.btu_per_wh, airflow_m3_per_hour=air,
        airflow_cfm=air * facts.heat.cfm_per_m3_h, water_l_per_minute=water_l_per_minute(draw.wall_max_w),
        liquid_needed=draw.wall_max_w / machine.nodes > facts.racks.air_limit_w,
        ups_va=draw.wall_max_w / facts.power_factor.ratio, ups_wh=draw.wall_max_w * minutes / 60, ups_s=minutes * 60,
        ups=ups_plan(draw.wall_max_w / machine.nodes, machine.nodes, minutes),
        racks=tuple(racks(machine, draw, request.rack_limit_w)), energy=energy, power_limit=effect(machine),
    )  # fmt: skip
    return found.model_copy(
        update={
            "derivation": tuple(_derivation(found, machine, request)),
            "assumptions": tuple(_assumptions(found, machine, request)),
            "warnings": tuple(_warnings(found, machine)),
            "sources": _sources(found, machine),
        }
    )


def airflow_m3_per_hour(watts: float, rise_k: float | None = None) -> float:
    """Air that carries `watts` off when it warms by `rise_k`: W · 3600 / (density · heat capacity · rise)."""
    heat = power_facts().heat
    return watts * SECONDS_PER_HOUR / (heat.air_kg_per_m3 * heat.air_j_per_kg_k * (rise_k or heat.air_rise_k))


def water_l_per_minute(watts: float) -> float:
    """Water that carries `watts` off: W · 60 / (heat capacity · rise), a kilogram being a litre."""
    heat = power_facts().heat
    return watts * 60 / (heat.water_j_per_kg_k * heat.water_rise_k)


def racks(machine: Machine, draw: Draw, limit_w: float | None) -> Iterable[RackPlan]:
    """Racks by their power limit: as many nodes in each as power and height allow."""
    if machine.consumer:
        return
    facts = power_facts().racks
    each = draw.wall_max_w / machine.nodes
    units = (machine.server and machine.server.rack_units) or (
        facts.board_units if machine.on_board else facts.server_units
    )
    high = max(1, (facts.units - facts.spare_units) // units)
    if machine.rack_w is not None:
        yield RackPlan(limit_w=each, nodes_per_rack=1, racks=machine.nodes)
        return
    for limit in (limit_w,) if limit_w else facts.limits_w:
        count = min(high, math.floor(limit / each))
        yield RackPlan(limit_w=limit, nodes_per_rack=count, racks=math.ceil(machine.nodes / count) if count else None)


def _derivation(plan: PowerPlan, machine: Machine, request: PowerRequest) -> Iterable[Step]:
    facts, energy = power_facts(), plan.energy
    terms: dict[str, Scalar] = {}
    for gpu, count in machine.cards:
        terms[f"count {gpu.id}"] = count
        terms[f"watts {gpu.id}"] = min(gpu.tdp_w or 0, machine.limit_w or math.inf)
    yield _step("Cards", "Σ count · watts", plan.cards_w, "w", vouching(machine.cards[0][0], ["tdp_w"]), **terms)
    if machine.rack_w is None:
        yield _step("Machines without cards", "nodes · host", plan.hosts_w, "w", [machine.host.source],
                    nodes=machine.nodes, host=round(machine.host.max_w, 1))  # fmt: skip
    yield _step("At the wall, at most", "(cards + hosts) / efficiency", plan.wall_max_w, "w", [machine.supply.source],
                cards=plan.cards_w, hosts=round(plan.hosts_w, 1), efficiency=machine.efficiency)  # fmt: skip
    if plan.supply is not None and machine.supply_kind == "consumer":
        yield _step("Power supply", "max((cards + hosts) / load, (spike · board + hosts) / atx3) / nodes",
                    plan.supply.needed_w, "w", [facts.spikes.specified_source],
                    cards=plan.cards_w, hosts=plan.hosts_w, load=machine.supply.load_ratio,
                    spike=facts.spikes.specified_ratio, board=machine.board_w, atx3=facts.atx3_ratio.ratio,
                    nodes=machine.nodes)  # fmt: skip
    for one in plan.circuits[:4]:
        yield _step(f"Circuit {one.volts:g} V {one.amps:g} A", "volts · amps · √phases · continuous", one.continuous_w,
                    "w", [one.source], volts=one.volts, amps=one.amps, phases=one.phases,
                    continuous=facts.continuous_ratio.ratio)  # fmt: skip
    yield _step("Heat", "wall · 3.412", plan.heat_btu_per_hour, "btu_per_hour", [facts.heat.source],
                wall=plan.wall_max_w)  # fmt: skip
    yield _step("Air", "wall · 3600 / (density · heat_capacity · rise)", plan.airflow_m3_per_hour, "m3_per_hour",
                [facts.heat.source], wall=plan.wall_max_w, density=facts.heat.air_kg_per_m3,
                heat_capacity=facts.heat.air_j_per_kg_k, rise=request.air_rise_k or facts.heat.air_rise_k)  # fmt: skip
    yield _step("Average draw", "idle + (sustained − idle) · utilisation", energy.average_w.value, "w",
                [facts.idle.source], idle=plan.idle_w, sustained=plan.sustained_w.value,
                utilisation=request.utilisation)  # fmt: skip
    yield _step("Energy a month", "average / 1000 · pue · 730 · hours_per_day / 24", energy.kwh_per_month.value, "kwh",
                [facts.pue[plan.site].source], average=energy.average_w.value, pue=energy.pue.value,
                hours_per_day=request.hours_per_day)  # fmt: skip
    yield _step("Electricity a month", "kwh · tariff", energy.monthly_cost.value, energy.currency.lower(), [],
                kwh=energy.kwh_per_month.value, tariff=energy.tariff_per_kwh.value)  # fmt: skip


def _step(label: str, formula: str, value: float, unit: str, source_ids: Iterable[str], **inputs: Scalar) -> Step:
    return Step(label=label, formula=formula, inputs=inputs, value=value, unit=unit,
                source=next(iter(source_ids), None))  # fmt: skip


def _assumptions(plan: PowerPlan, machine: Machine, request: PowerRequest) -> Iterable[str]:
    yield from machine.assumptions
    if request.pue is None and plan.energy.pue.high > 1:
        pue = plan.energy.pue
        yield f"PUE {pue.value:g} ({pue.low:g} to {pue.high:g}), usual for this site."
    if plan.energy.tariff_country is not None:
        yield from tariff_assumption(plan.energy)
    if "utilisation" not in request.model_fields_set:
        yield "At full load whenever it is on."
    elif request.utilisation < 1:
        yield f"At full load {request.utilisation:.0%} of the time it is on."


def tariff_assumption(energy: Energy) -> Iterable[str]:
    """Which price of electricity was taken."""
    price = energy.tariff_per_kwh
    whose = "the world's average" if is_world(energy) else f"usual in {energy.tariff_country}"
    between = f" ({price.low:.3g} to {price.high:.3g})" if price.low < price.high else ""
    yield f"Electricity at {price.value:.3g} {energy.currency} a kWh{between}, {whose}, {energy.tariff_as_of}."


def _warnings(plan: PowerPlan, machine: Machine) -> Iterable[str]:
    if any(gpu.power_connectors is None for gpu, _ in machine.cards) and not machine.on_board and not machine.consumer:
        yield "The catalog does not state every card's power plugs."
    if plan.power_limit is not None:
        yield "A power limit lowers the average draw and the heat; the shortest spikes remain."
        if plan.power_limit.label == "other cards":
            yield "Nobody measured this card at this limit: the speed left is that of other cards limited as far."
    if plan.liquid_needed:
        yield "One rack draws more than air carries off: liquid cooling is needed."
    if any(one.kind == "outlet" and one.verdict != "yes" for one in plan.circuits) and machine.consumer:
        yield (
            "At its most it is beyond what an ordinary outlet carries for hours: limit the cards, or have an "
            "electrician wire a circuit for it."
        )
    if plan.supply and plan.supply.count > 1 and not plan.supply.redundant:
        yield _one_supply(plan.supply)
    if plan.supply and not plan.supply.redundant and (limit := _bearing(plan, machine)) is not None:
        yield (
            f"No larger supply than {plan.supply.rated_w:,.0f} W is sold for 100 to 127 V, and it leaves no margin: "
            f"limit each card to {limit:,.0f} W, or feed a larger one at 200 to 240 V."
        )
    if machine.supply_kind == "server":
        yield "Server fans are loud: such a machine belongs in a room of its own."
    if is_world(plan.energy):
        yield "No price of electricity is known for the country: give tariff_per_kwh."
    elif plan.energy.tariff_as_of and is_stale(plan.energy.tariff_as_of):
        yield f"The price of electricity is of {plan.energy.tariff_as_of}, older than 30 days."


def _one_supply(found: SupplyPlan) -> str:
    """Whether one supply would do where several are named."""
    if found.alone_w is None:
        return f"No one supply of a usual size is rated for {found.needed_w:,.0f} W."
    return f"In place of several, one supply of {found.alone_w:,.0f} W would do, which gives that at 200 to 240 V only."


def _bearing(plan: PowerPlan, machine: Machine) -> float | None:
    """The limit on each card with which the supply is at least what the machine then draws at the wall; null where it
    is anyway."""
    if plan.supply is None or plan.supply.rated_w * plan.supply.count >= plan.node_wall_max_w:
        return None
    cards = math.ceil(machine.gpus / machine.nodes)
    left = plan.supply.rated_w * plan.supply.count * machine.efficiency - machine.host.max_w
    return math.floor(left / cards / 10) * 10.0


def _sources(plan: PowerPlan, machine: Machine) -> tuple[Source, ...]:
    facts, money = power_facts(), tariff_facts()
    ids = [
        machine.host.source, machine.supply.source, facts.spikes.specified_source, facts.atx3_ratio.source,
        facts.atx3_long_ratio.source, facts.supply_sum_source,
        (facts.spikes.consumer if machine.supply_kind == "consumer" else facts.spikes.server).source,
        facts.continuous_ratio.source, *(one.source for one in plan.circuits), facts.heat.source,
        facts.idle.source, facts.pue[plan.site].source, *(plan.power_limit.sources if plan.power_limit else ()),
    ]  # fmt: skip
    if machine.on_board or machine.rack_w is not None:
        ids.append(facts.node_measured.source)
    if not machine.consumer:
        ids.append(facts.racks.source)
    own = [facts.sources[key] for key in dict.fromkeys(ids) if key in facts.sources]
    rows = [row for row in money.tariffs if row.country == plan.energy.tariff_country]
    wired = [money.sources[key] for row in rows for key in row.sources]
    cards = cited(key for gpu, _ in machine.cards for key in vouching(gpu, ["tdp_w", "power_connectors"]))
    rates = cited([rate(plan.energy.currency).source]) if plan.energy.currency != "USD" else ()
    return tuple({one.id: one for one in (*cards, *own, *wired, *rates)}.values())
