"""How many of a card one circuit or one supply feeds: "how many 3090s on a 15A outlet", 「16A 插座带几张 5090」."""

import re
from math import sqrt

from assistant.understand.running import Running, read_running
from kb.base import AdvisorError
from kb.machines.power import power_facts
from tools.power.plan import plan_power
from tools.power.request import PowerRequest

HOST_W, LOAD_RATIO = 200, 0.8
"""What the machine around the cards of a desk takes, and the share of its supply that a load may last at."""
SERVER_W, SUPPLIED = 1000, 0.9
"""What a server takes besides its cards, and what of the power at the wall its supplies pass on."""
VOLTS = 220.0
"""Of an outlet of which only the amperes are said."""
MOST = 16
"""Cards up to which it is tried."""
_COUNT_ASKED = re.compile(
    r"几[张块]|多少[张块]|how many|max(?:imum)? (?:number|cards|gpus)|最多(?:能)?[带接插跑]", re.I
)

_CIRCUITS = re.compile(r"回路|几路(?:电|供电)|多少路|\bcircuits?\b|\bfeeds?\b", re.I)
_MACHINES = re.compile(
    r"[几多]少?台|how many (?:servers|machines|nodes|boxes|of (?:them|these))|最多[^,，。]{0,6}台", re.I
)


def asks_count(text: str) -> bool:
    """Whether the number of cards is what is asked."""
    return _COUNT_ASKED.search(text) is not None


def asks_machines(text: str) -> bool:
    """Whether the number of machines is what is asked."""
    return _MACHINES.search(text) is not None


def named(text: str) -> bool:
    """Whether a circuit or a supply of stated size is to feed them."""
    running = read_running(text)
    return bool(running.circuit_amps or running.psu_w)


def left(running: Running) -> int | None:
    """Watts for cards that the supply, the circuit or the rack of stated size leaves; None where none was stated."""
    room = []
    if running.psu_w:
        room.append(running.psu_w * LOAD_RATIO - HOST_W)
    if running.circuit_amps:
        phases = sqrt(3) if running.circuit_phases == 3 else 1.0
        fed = (running.circuit_volts or VOLTS) * running.circuit_amps * phases
        room.append(fed * LOAD_RATIO * SUPPLIED - HOST_W)
    if running.rack_limit_w:
        room.append(running.rack_limit_w * SUPPLIED - SERVER_W)
    least = min(room, default=0)
    return int(least) if least > 0 else None


def limited(text: str) -> bool:
    """Whether a circuit or a rack of stated size is to feed what is bought."""
    running = read_running(text)
    return bool(running.circuit_amps or running.rack_limit_w)


def plain_outlet(country: object) -> dict[str, object]:
    """The weakest ordinary outlet of the country, as fields of a request; nothing where no country is known."""
    facts = power_facts()
    region = facts.region(country) if isinstance(country, str) else None
    outlets = [one for one in facts.circuits if one.region == region and one.kind == "outlet"]
    weakest = min(outlets, key=lambda one: one.volts * one.amps, default=None)
    return {"circuit_amps": weakest.amps, "circuit_volts": weakest.volts} if weakest else {}


def largest_of(volts: float) -> dict[str, object]:
    """The largest circuit of such a voltage that is known, as fields of a request; nothing where none is."""
    rows = [one for one in power_facts().circuits if one.volts == volts]
    most = max(rows, key=lambda one: one.amps * one.phases, default=None)
    return {"circuit_amps": most.amps, "circuit_volts": volts, "circuit_phases": most.phases} if most else {}


def asks_circuits(text: str) -> bool:
    """Whether circuits are spoken of, whatever their rating."""
    return _CIRCUITS.search(text) is not None


def racked(text: str) -> bool:
    """Whether it is a rack of stated power that limits how many machines there may be."""
    return read_running(text).rack_limit_w is not None and _MACHINES.search(text) is not None


def most_fed(card: str, asked: dict[str, object]) -> int | None:
    """The most cards of one machine that the circuit or the supply at hand feeds; None where neither was stated."""
    if not (asked.get("circuit_amps") or asked.get("psu_w")):
        return None
    fed = 0
    for count in range(1, MOST + 1):
        values = {name: value for name, value in asked.items() if value is not None}
        try:
            result = plan_power(PowerRequest.model_validate(values | {"gpu": card, "gpu_count": count}))
        except AdvisorError:
            break
        circuit = not asked.get("circuit_amps") or (
            result.circuits[0].verdict == "yes" and result.circuits[0].needed == 1
        )
        supply = not asked.get("psu_w") or (result.supply is not None and result.supply.at_hand == "yes")
        if not (circuit and supply):
            break
        fed = count
    return fed
