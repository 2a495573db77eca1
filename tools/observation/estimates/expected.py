"""Every figure that a set-up should give, on a machine that is as specified or otherwise."""

from dataclasses import dataclass, field, replace
from functools import lru_cache

from kb.base import AdvisorError
from kb.records.source import Source
from tools.base import Step
from tools.observation.result import Range
from tools.observation.setup import Machine, Setup
from tools.speed.result import Interval

AS_SPECIFIED = Machine()
UNITS = {
    "memory_bytes": "bytes", "kv_pool_tokens": "tokens", "step_s": "s", "item_s": "s", "first_token_s": "s",
    "wall_s": "s", "it_per_s": "steps_per_s", "utilisation_ratio": "ratio", "model_flops_utilisation": "ratio",
    "cpu_share_ratio": "ratio", "power_w": "w", "temperature_c": "c", "clock_ratio": "ratio",
    "link_bytes_per_s": "bytes_per_s", "tokens_per_s": "tokens_per_s", "tokens_per_s_total": "tokens_per_s",
    "prefill_tokens_per_s": "tokens_per_s", "realtime_factor": "",
}  # fmt: skip
"""Figure → its unit."""
MORE_IS_WORSE = (
    "memory_bytes", "step_s", "item_s", "first_token_s", "wall_s", "temperature_c", "cpu_share_ratio",
    "realtime_factor",
)  # fmt: skip


@dataclass
class Expected:
    """Figures with their intervals, and what stands behind them."""

    ranges: dict[str, Range] = field(default_factory=dict)
    limits: dict[str, float] = field(default_factory=dict)
    """What the hardware cannot pass."""
    binds: dict[str, str] = field(default_factory=dict)
    """What limits each figure."""
    steps: list[Step] = field(default_factory=list)
    assumptions: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    """Field that an estimator could not take → why."""

    def put(self, name: str, interval: Interval | None, ratio: float = 1.0) -> None:
        """State a figure, `ratio` times an estimate of it."""
        if interval is not None:
            self.ranges[name] = Range(
                value=interval.value * ratio, low=interval.low * ratio, high=interval.high * ratio, unit=UNITS[name]
            )

    def inverse(self, name: str, interval: Interval | None, ratio: float = 1.0) -> None:
        """State a figure that is `ratio` over an estimate."""
        if interval is not None:
            self.put(
                name,
                Interval(value=ratio / interval.value, low=ratio / interval.high, high=ratio / interval.low),
            )


@lru_cache(maxsize=1024)
def expected(setup: Setup, machine: Machine | None = None) -> Expected:
    """What is to be expected; a figure that the set-up says too little for is missing.

    Errors of an estimator (a card without a stated rate, a format that is not trained) leave its figures out and are
    kept as `refused`; an unknown name is the caller's fault and is raised.

    Raises:
        UnknownName: no such model or card.
        AmbiguousName: several bear the name.
    """
    from tools.observation.estimates.memory import memory_figures
    from tools.observation.estimates.pictures import picture_figures
    from tools.observation.estimates.serving import serving_figures
    from tools.observation.estimates.speech import speech_figures
    from tools.observation.estimates.training import training_figures

    machine = machine or setup.machine
    found = Expected()
    _ = setup.card, setup.kind
    makers = {"serving": serving_figures, "training": training_figures, "pictures": picture_figures,
              "other": speech_figures}  # fmt: skip
    for make in (makers.get(setup.kind), memory_figures):
        if make is None or not setup.named:
            continue
        try:
            make(setup, machine, found)
        except AdvisorError as refused:
            found.refused[str(getattr(refused, "field", "model"))] = str(refused)
    _link(setup, machine, found)
    return found


def moved(of: Range, ratio: float) -> Range:
    """An interval of so many times as much."""
    return Range(value=of.value * ratio, low=of.low * ratio, high=of.high * ratio, unit=of.unit)


def without_host(machine: Machine) -> Machine:
    """The same with every layer on the cards."""
    return replace(machine, host_share=0.0)


def _link(setup: Setup, machine: Machine, found: Expected) -> None:
    """Bus bandwidth of a collective: from what small messages reach to the stated rate of one direction."""
    from kb.machines.links import linked, pcie_bytes_per_s
    from kb.observation import observation_facts
    from tools.speed.allreduce import bus_bytes_per_s

    card, count = setup.card, setup.cards
    if card is None or count < 2:
        return
    share = observation_facts().settings["link_reached_ratio"]
    least = bus_bytes_per_s(card, min(count, 8))
    both_ways = card.nvlink_bytes_per_s if linked(card, min(count, 8)) else pcie_bytes_per_s(card)
    most = (both_ways or 2 * least) / 2
    ratio = machine.link_ratio
    low, high = min(least, share["low"] * most) * ratio, most * ratio
    name = "link_bytes_per_s"
    found.ranges[name] = Range(value=share["usual"] * most * ratio, low=low, high=high, unit=UNITS[name])
    found.limits[name] = 1.05 * most
    found.binds[name] = "interconnect"
