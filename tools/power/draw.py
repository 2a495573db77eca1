"""What a machine draws: at most, steadily, on average, and in spikes. All of it at the wall unless said otherwise."""

from dataclasses import dataclass

from kb.machines.power import power_facts
from tools.power.machine import Machine
from tools.speed.result import Interval


@dataclass(frozen=True, slots=True)
class Draw:
    """Watts of all nodes together."""

    inside_max_w: float
    """Cards and hosts at full load, direct current (boards: as at the wall)."""
    wall_max_w: float
    """What circuits must carry."""
    sustained_w: Interval
    """At the wall while it works."""
    idle_w: float
    """At the wall while it waits."""
    ten_ms_w: float
    one_ms_w: float
    """Direct current for about a millisecond when all cards spike together."""
    specified_w: float
    """What the standard allows the cards to draw for 100 µs, together with the hosts."""

    def average_w(self, utilisation: float) -> Interval:
        """Between idle and full load in proportion to the share of time under load.

        idle + (sustained − idle) · utilisation
        """
        return Interval(
            **{
                name: self.idle_w + (max(getattr(self.sustained_w, name), self.idle_w) - self.idle_w) * utilisation
                for name in ("value", "low", "high")
            }
        )


def draw_of(machine: Machine) -> Draw:
    """Watts of a machine.

        inside = cards + nodes · host;  wall = inside / efficiency

    Boards of eight: the stated maximum of such systems is what they were never measured to reach, so the sustained
    draw is the measured share of it. A rack sold whole has its stated power. On a desk the cards are taken midway
    between what they were measured to draw generating text and their board power, which training takes.
    """
    facts = power_facts()
    host = machine.host
    inside = machine.cards_w + machine.nodes * host.max_w
    if machine.rack_w is not None:
        inside = machine.rack_w * machine.nodes * (machine.cards_w / machine.board_w)
    typical = machine.cards_w + machine.nodes * host.typical_w
    waiting = host.idle_w or host.typical_w * facts.idle.host_ratio
    still = facts.idle.desk_gpu_ratio if machine.consumer else facts.idle.gpu_ratio
    idle = machine.board_w * still + machine.nodes * waiting
    spikes = facts.spikes.consumer if machine.supply_kind == "consumer" else facts.spikes.server
    hosts = inside - machine.cards_w
    wall = inside / machine.efficiency
    return Draw(
        inside_max_w=inside,
        wall_max_w=wall,
        sustained_w=_sustained(machine, wall, typical),
        idle_w=min(idle / machine.efficiency, wall),
        ten_ms_w=machine.board_w * spikes.ten_ms_ratio + hosts,
        one_ms_w=machine.board_w * spikes.one_ms_ratio + hosts,
        specified_w=machine.board_w * facts.spikes.specified_ratio + hosts,
    )


def _sustained(machine: Machine, wall_max: float, typical: float) -> Interval:
    facts = power_facts()
    if machine.on_board or machine.rack_w is not None:
        measured = facts.node_measured
        return Interval(value=wall_max * measured.peak_ratio, low=wall_max * measured.typical_ratio, high=wall_max)
    low = machine.cards_w * facts.cards_measured.ratio + machine.nodes * machine.host.typical_w
    value = (low + typical) / 2 if machine.consumer else typical
    return Interval(value=value / machine.efficiency, low=low / machine.efficiency, high=wall_max)
