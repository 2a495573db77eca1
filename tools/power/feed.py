"""What feeds a machine: the power supply, its plugs, and the circuits in the wall."""

import math
import re

from kb.power import WHOLE, Circuit, power_facts
from tools.power.draw import Draw
from tools.power.machine import Machine
from tools.power.request import PowerRequest
from tools.power.result import CircuitPlan, Plugs, SupplyPlan

LEAST_CARD_RATIO = 0.4
"""A limit below this share of the board power costs more speed than it saves worry: it is not offered."""
_PLUG = re.compile(r"(\d+)x (12-pin|16-pin|8-pin EPS|8-pin|6-pin)|\b(8-pin EPS)\b")
_MODERN = {"16-pin": "12V-2x6", "12-pin": "12-pin"}


def supply(machine: Machine, draw: Draw, at_hand_w: float | None) -> SupplyPlan | None:
    """The power supply of one machine.

    Steady load at 80 % of the rating, and the spikes the PCIe standard allows within what ATX 3 supplies bear:

        max(steady / 0.8, (3 · cards + host) / 2)

    A supply from before ATX 3 promises nothing beyond its rating, so it has to cover the millisecond spikes whole.
    Servers bring redundant supplies: as many as carry the load, and one more.
    """
    facts = power_facts()
    if machine.rack_w is not None or machine.kind in WHOLE:
        return None
    steady, spike = draw.inside_max_w / machine.nodes, draw.specified_w / machine.nodes
    by_load, by_spikes = steady / machine.supply.load_ratio, spike / facts.atx3_ratio.ratio
    older = max(by_load, draw.one_ms_w / machine.nodes)
    if machine.supply_kind == "server":
        module = facts.module_w["board" if machine.on_board else "server"]
        count = math.ceil(steady / module) + 1
        return SupplyPlan(rated_w=module, count=count, redundant=True, needed_w=steady, needed_without_atx3_w=steady,
                          at_hand=_judged(at_hand_w, steady, steady))  # fmt: skip
    needed = max(by_load, by_spikes)
    largest = facts.supply_sizes_w[-1]
    count = math.ceil(needed / largest)
    rated = next(size for size in facts.supply_sizes_w if size >= needed / count)
    return SupplyPlan(rated_w=rated, count=count, redundant=False, needed_w=needed, needed_without_atx3_w=older,
                      at_hand=_judged(at_hand_w, steady, needed))  # fmt: skip


def _judged(at_hand_w: float | None, steady: float, needed: float) -> str | None:
    if at_hand_w is None:
        return None
    return "yes" if at_hand_w >= needed else "tight" if at_hand_w >= steady else "no"


def plugs(machine: Machine) -> tuple[Plugs, ...]:
    """Plugs of all cards by kind; empty where no source states them."""
    found: dict[str, int] = {}
    for gpu, count in machine.cards:
        for number, kind, bare in _PLUG.findall(gpu.power_connectors or ""):
            name = _MODERN.get(kind, kind or bare)
            found[name] = found.get(name, 0) + int(number or 1) * count
    return tuple(Plugs(kind=kind, count=count) for kind, count in found.items())


def circuits(machine: Machine, draw: Draw, request: PowerRequest, country: str | None) -> tuple[CircuitPlan, ...]:
    """The circuit at hand, or the usual ones of the country, each with how many the machines take."""
    facts = power_facts()
    region = facts.region(country) if country else None
    if request.circuit_amps is not None:
        volts = request.circuit_volts or _usual_volts(region, request.circuit_amps, request.circuit_phases)
        known = next((one for one in facts.circuits if _same(one, volts, request)), None)
        asked = Circuit(
            id="at-hand", region=region or "", volts=volts, amps=request.circuit_amps, phases=request.circuit_phases,
            kind=known.kind if known else "dedicated", name=known.name if known else "",
            source=known.source if known else facts.continuous_ratio.source,
        )  # fmt: skip
        return (circuit(asked, machine, draw),)
    wanted = [one for one in facts.circuits if region in {None, one.region}]
    if region is None:
        wanted = [one for one in wanted if one.region in {"US", "CN", "EU"}]
    return tuple(circuit(one, machine, draw) for one in wanted)


def _same(one: Circuit, volts: float, request: PowerRequest) -> bool:
    return (one.volts, one.amps, one.phases) == (volts, request.circuit_amps, request.circuit_phases)


def _usual_volts(region: str | None, amps: float, phases: int) -> float:
    """Voltage of a region's circuits of such a rating, or else of its first ones.

    Where no country is known the European one, unless only others have circuits of that rating: 15 A is American.
    """
    rows = [one for one in power_facts().circuits if one.phases == phases]
    rated = [one for one in rows if one.amps == amps]
    home = region or ("EU" if not rated or any(one.region == "EU" for one in rated) else rated[0].region)
    there = [one for one in rows if one.region == home]
    return next((one.volts for one in there if one.amps == amps), there[0].volts)


def circuit(one: Circuit, machine: Machine, draw: Draw) -> CircuitPlan:
    """How a circuit and the machines go together.

    continuous = volts · amps · √phases · 0.8
    """
    ratio = power_facts().continuous_ratio.ratio
    full = one.volts * one.amps * math.sqrt(one.phases)
    capacity = full * ratio
    each = draw.wall_max_w / machine.nodes
    together = math.floor(capacity / each)
    needed = math.ceil(machine.nodes / together) if together else machine.nodes * math.ceil(each / capacity)
    return CircuitPlan(
        id=one.id, name=one.name, kind=one.kind, volts=one.volts, amps=one.amps, phases=one.phases,
        continuous_w=capacity, full_w=full, load_ratio=each / full,
        verdict="yes" if together else "tight" if each <= full else "no", needed=needed,
        fitting_limit_w=None if together else _fitting(machine, capacity), source=one.source,
    )  # fmt: skip


def _fitting(machine: Machine, capacity: float) -> float | None:
    """The limit on each card with which one machine fits one circuit; null where it would be too low to be of use."""
    cards = math.ceil(machine.gpus / machine.nodes)
    left = (capacity * machine.efficiency - machine.host.max_w) / cards
    least = max(gpu.tdp_w or 0 for gpu, _ in machine.cards) * LEAST_CARD_RATIO
    return math.floor(left / 10) * 10.0 if left >= least else None
