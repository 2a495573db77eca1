"""The 90 % interval around an estimate, from residuals with whole models and cards left out."""

import math

from kb.constants.speed_constants import constants
from tools.speed.capacity import spilled_share
from tools.speed.result import Interval
from tools.speed.work import READERS, Work

SPILLED = 0.02
"""Share of the weights in host memory from which the host decides the speed."""


def class_of(work: Work, spilled: float | None = None) -> str:
    """Which residuals apply: layers shared over a network, one stream, serving of dense models or mixtures up to
    saturation, texts that are read, or weights left in host memory (`spilled` of them; null = as llama.cpp would)."""
    if work.arch.kind in READERS:
        return "reader"
    if (spilled_share(work) if spilled is None else spilled) > SPILLED:
        return "offload"
    if work.engine != "llama.cpp" and work.layout.tensor * work.layout.pipeline > work.node and not _by_experts(work):
        return "network"
    if work.sequences * work.layout.replicas <= 1:
        return "single"
    if work.sequences > constants().intervals.saturated_from:
        return "saturated"
    return "moe" if work.arch.moe else "dense"


def _by_experts(work: Work) -> bool:
    """Whether machines exchange tokens of experts alone, as large services do, whose rows are among the served ones."""
    return work.layout.attention_copies


def interval(value: float, kind: str, *, guessed: bool = False, evidence: float = 0.0, thin: float = 1.0) -> Interval:
    """value / down .. value · up: wider for a guessed shape and (`thin`) for hardware that hardly anyone measured,
    narrower as near measurements carry more weight."""
    widths = constants().intervals
    width = widths.classes[kind]
    power = (widths.guess_ratio if guessed else 1.0) * (1.0 - (1.0 - widths.measured_ratio) * min(evidence, 1.0))
    power *= thin
    return Interval(value=value, low=value / width.down_ratio**power, high=value * width.up_ratio**power)


def inverse(of: Interval, numerator: float = 1.0) -> Interval:
    """`numerator` over an interval: its ends change places."""
    return Interval(value=numerator / of.value, low=numerator / of.high, high=numerator / of.low)


def times(of: Interval, factor: float) -> Interval:
    """An interval of so many times as much."""
    return Interval(value=of.value * factor, low=of.low * factor, high=of.high * factor)


def keeping_up(rate: Interval | None, wanted: float | None, cards: int) -> Interval | None:
    """⌈items a second wanted / items a second of one card⌉; independent copies, one a card."""
    if rate is None or wanted is None:
        return None
    value, low, high = (math.ceil(wanted * cards / one) for one in (rate.value, rate.high, rate.low))
    return Interval(value=value, low=low, high=high)
