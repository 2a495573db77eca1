"""What feeds a machine: the power supply, its plugs, and the circuits in the wall."""

import math
import re
from collections.abc import Sequence

from kb.machines.power import WHOLE, Circuit, power_facts
from tools.power.draw import Draw
from tools.power.machine import Machine
from tools.power.request import PowerRequest
from tools.power.result import CircuitPlan, Plugs, SupplyPlan

LOW_VOLTS = frozenset({"US", "JP"})
"""Regions whose outlets have 100 to 127 V; so may those of a country that nobody named."""
LEAST_CARD_RATIO = 0.4
"""A limit below this share of the board power costs more speed than it saves worry: it is not offered."""
_PLUG = re.compile(r"(\d+)x (12-pin|16-pin|8-pin EPS|8-pin|6-pin)|\b(8-pin EPS)\b")
_MODERN = {"16-pin": "12V-2x6", "12-pin": "12-pin"}


def supply(machine: Machine, draw: Draw, at_hand_w: float | None, country: str | None = None) -> SupplyPlan | None:
    """The power supply of one machine: the smallest of the usual sizes that is enough; several where one is not.

    See `rating_w` and `comfortable_w`. What the vendor of a desk's card asks for is not gone below, and more cards come
    on top of it. Where the largest supply for 100 to 127 V is enough without being comfortable, it stays one. A
    supply from before ATX 3 promises nothing beyond its rating, so it has to cover the millisecond spikes whole.
    Servers bring redundant supplies: as many as carry the load, and one more.
    """
    facts = power_facts()
    if machine.rack_w is not None or machine.kind in WHOLE:
        return None
    nodes = machine.nodes
    steady, at_most = (machine.cards_w / nodes + each for each in (machine.host.typical_w, machine.host.max_w))
    if machine.supply_kind == "server":
        steady = draw.inside_max_w / nodes
        module = facts.module_w["board" if machine.on_board else "server"]
        count = math.ceil(steady / module) + 1
        return SupplyPlan(
            rated_w=module, count=count, redundant=True, needed_w=steady, needed_without_atx3_w=steady,
            continuous_ratio=steady / (module * (count - 1)), peak_ratio=draw.ten_ms_w / nodes / (module * (count - 1)),
            at_hand=_judged(at_hand_w, steady, steady),
        )  # fmt: skip
    boards = [float(gpu.tdp_w or 0) for gpu, each in machine.cards for _ in range(math.ceil(each / nodes))]
    limited = [min(board, machine.limit_w or math.inf) for board in boards]
    needed = rating_w(boards, limited, machine.host.max_w, machine.host.typical_w)
    if machine.limit_w is None and len(machine.cards) == 1:
        asked = machine.cards[0][0].suggested_psu_w or 0
        needed = max(needed, asked + sum(boards[1:]) if asked else 0)
    older = max(needed, draw.one_ms_w / nodes)
    low_volts = country is None or facts.region(country) in LOW_VOLTS
    sizes = [one for one in facts.supply_sizes_w if not low_volts or one <= facts.supply_low_volts_w]
    wanted = comfortable_w(needed, at_most)
    count = math.ceil((needed if low_volts else wanted) / sizes[-1])
    rated = next((size for size in sizes if size >= wanted / count), sizes[-1])
    alone = next((size for size in facts.supply_sizes_w if size >= wanted), None) if count > 1 else None
    ten_ms = sum(boards) * facts.spikes.consumer.ten_ms_ratio + machine.host.typical_w
    return SupplyPlan(
        rated_w=rated, count=count, alone_w=alone, redundant=False, needed_w=needed, needed_without_atx3_w=older,
        continuous_ratio=steady / (rated * count), peak_ratio=max(ten_ms, at_most) / (rated * count),
        at_hand=_judged(at_hand_w, steady, needed),
    )  # fmt: skip


def rating_w(boards: Sequence[float], limited: Sequence[float], host_max_w: float, host_typical_w: float) -> float:
    """What an ATX 3 supply must be rated for: the most of four loads.

        (cards + host while they work) / 0.8            steadily, at four fifths of the rating
        cards + host at its most                        all at full load at once, as in Intel's example for ATX 3.0
        (1.28 · boards + host while they work) / 1.2    spikes of ten milliseconds, of which ATX 3 bears 120 %
        (3 · one board + 1.57 · the others + host) / 2  100 µs that the PCIe standard allows, of which it bears 200 %

    `boards`: board power of each card, which spikes follow; `limited`: the same under a power limit. Two cards are not
    taken to reach the most that the standard allows within the same tenth of a millisecond.
    """
    facts = power_facts()
    spikes, cards = facts.spikes, sum(limited)
    first, others = max(boards, default=0.0), sum(boards) - max(boards, default=0.0)
    return max(
        (cards + host_typical_w) / facts.supplies["consumer"].load_ratio,
        cards + host_max_w,
        (sum(boards) * spikes.consumer.ten_ms_ratio + host_typical_w) / facts.atx3_long_ratio.ratio,
        (first * spikes.specified_ratio + others * spikes.consumer.one_ms_ratio + host_typical_w)
        / facts.atx3_ratio.ratio,
    )


def comfortable_w(needed_w: float, inside_max_w: float) -> float:
    """Rating that is bought: what is needed, and never below what the whole machine draws at the wall at its most.

        max(needed, (cards + host at its most) / efficiency)

    The losses in between, a tenth, are the margin that supplies age into and that spikes beyond ATX 3 take. Builders
    land there: 850 W for one RTX 3090, 1,000 W for an RTX 4090, 1,200 W for two RTX 3090, 2 x 1,200 W for four.
    """
    return max(needed_w, inside_max_w / power_facts().supplies["consumer"].efficiency_ratio)


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
        return (circuit(asked, machine, draw, request.other_load_w or 0.0),)
    wanted = [one for one in facts.circuits if region in {None, one.region}]
    if region is None:
        wanted = [one for one in wanted if one.region in {"US", "CN", "EU"}]
    return tuple(circuit(one, machine, draw, request.other_load_w or 0.0) for one in wanted)


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


def circuit(one: Circuit, machine: Machine, draw: Draw, other_w: float = 0.0) -> CircuitPlan:
    """How a circuit and the machines go together, beside `other_w` that hang on it already.

    continuous = volts · amps · √phases · 0.8, which the most that a machine draws is held against: nobody promises that
    its processor rests while the cards work. So many circuits are needed as carry what is drawn for hours (on a desk
    cards at their limit with a host that waits for them, else the most) with the most below the breaker.
    """
    ratio = power_facts().continuous_ratio.ratio
    full = one.volts * one.amps * math.sqrt(one.phases)
    capacity = full * ratio
    most, steady = draw.wall_max_w / machine.nodes + other_w, steady_w(machine, draw) + other_w
    each = max(steady / capacity, most / full) * capacity
    together = math.floor(capacity / each)
    needed = math.ceil(machine.nodes / together) if together else machine.nodes * math.ceil(each / capacity)
    return CircuitPlan(
        id=one.id, name=one.name, kind=one.kind, volts=one.volts, amps=one.amps, phases=one.phases,
        continuous_w=capacity, full_w=full, drawn_w=most, load_ratio=most / full, steady_ratio=steady / full,
        verdict="yes" if most <= capacity else "tight" if most <= full else "no", needed=needed,
        fitting_limit_w=None if most <= capacity else _fitting(machine, capacity - other_w), source=one.source,
    )  # fmt: skip


def steady_w(machine: Machine, draw: Draw) -> float:
    """What one machine draws at the wall for hours: of a desk's, the processor hardly works while the cards do."""
    if not machine.consumer:
        return draw.wall_max_w / machine.nodes
    return (machine.cards_w / machine.nodes + machine.host.typical_w) / machine.efficiency


def _fitting(machine: Machine, capacity: float) -> float | None:
    """The limit on each card with which one machine at its most fits one circuit; null where it would be too low to be
    of use."""
    cards = math.ceil(machine.gpus / machine.nodes)
    left = (capacity * machine.efficiency - machine.host.max_w) / cards
    least = max(gpu.tdp_w or 0 for gpu, _ in machine.cards) * LEAST_CARD_RATIO
    return math.floor(left / 10) * 10.0 if left >= least else None
