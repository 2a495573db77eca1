"""Causes of memory that ran out though the set-up as told would fit: the one thing otherwise that would overfill it."""

from pydantic import ValidationError

from kb.base import AdvisorError
from tools.observation.causes import Gap, scored
from tools.observation.estimates.expected import expected
from tools.observation.request import Seen
from tools.observation.result import ObservedCause
from tools.observation.setup import Setup

SHOWN = 3
FIGURE = "memory_bytes"
FULL = 0.95
"""Share of the card that the upper end of the need must reach for the change to overfill it."""


def overflowing(setup: Setup) -> list[ObservedCause]:
    """The likeliest single changes with which the work needs at least what the card has, the best first.

    Of a server none: it reserves what it is told, whatever the work needs. None where the card or the need is unknown.
    """
    whole = setup.card_memory
    if whole is None or not setup.named or setup.reserves or setup.kind not in ("training", "pictures"):
        return []
    try:
        of = expected(setup).ranges.get(FIGURE)
    except (AdvisorError, ValidationError):
        return []
    if of is None or of.value >= whole:
        return []
    found = scored(setup, Gap(FIGURE, float(whole), of, at_least=True), Seen(), {})
    filling = [one.cause for one in found if one.cause.expected and one.cause.expected.high >= FULL * whole]
    return filling[:SHOWN]
