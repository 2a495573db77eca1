"""What to measure next where nothing speaks for one cause more than for others, and what factors mostly are."""

from collections.abc import Iterator, Mapping
from typing import Any

from kb.observation import Symptom, observation_facts
from kb.programs.vendor_tools import in_tools_of
from tools.observation.estimates.expected import MORE_IS_WORSE
from tools.observation.result import ErrorRead, Figure
from tools.observation.setup import Setup

OF_SYMPTOM = {"hangs": "hang", "wrong_output": "wrong", "several_garbage": "wrong", "loss_breaks": "wrong"}
"""Symptoms that ask for other measurements than slowness."""


def next_steps(setup: Setup, first: Figure | None, told_of: Symptom | None, error: ErrorRead | None) -> Iterator[str]:
    """Two commands that part the hypotheses; beside them what a figure so far off mostly is.

    The factor is expected / seen of a rate, seen / expected of a time; nothing of it for a figure that is as it
    should be.
    """
    facts: Mapping[str, Any] = observation_facts().settings
    situation = OF_SYMPTOM.get(told_of.id) if told_of is not None else None
    if situation is None:
        situation = "fails" if error is not None and first is None else setup.kind
    maker = setup.card.vendor if setup.card else None
    yield f"Measure next: {in_tools_of(maker, facts['measure_next'][situation])}."
    factor = _factor(first)
    row = next((one for one in facts["factor_is"] if factor <= one["up_to"]), None) if factor > 1 else None
    if row is not None and setup.kind in row:
        yield f"A figure so far off is mostly, {row[setup.kind]}."


def _factor(first: Figure | None) -> float:
    """How many times worse than expected it is; 1 where nothing is known or it is not worse."""
    if first is None or first.expected is None or not (first.worse and first.seen and first.expected.value):
        return 1.0
    over = first.seen / first.expected.value
    return over if first.name in MORE_IS_WORSE else 1 / over
