"""What was seen, as it is judged: with what the text states, of one card, and of what ran."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from kb.units import format_bytes
from tools.observation.judge import PACES, seen_figures
from tools.observation.request import ObservationRequest, Seen
from tools.observation.setup import Setup
from tools.oom.cause import signature_of

OVER = 1.02
"""How far a figure may pass what one card has by rounding."""


def of_one_card(request: ObservationRequest, setup: Setup) -> tuple[ObservationRequest, tuple[str, ...]]:
    """The request with the memory of one card, where what was seen is more than one has and no more than all have.

    Where the processor holds a share (`ollama ps`), the size is that of cards and host together: seen · (1 - share).
    """
    seen, one = request.seen.memory_bytes, setup.card.memory_bytes if setup.card else None
    if seen is None or one is None or seen <= one * OVER:
        return request, ()
    away = request.seen.cpu_share_ratio
    if away and (1 - away) * seen <= setup.cards * one * OVER:
        each = request.seen.model_copy(update={"memory_bytes": max(int(seen * (1 - away) / setup.cards), 1)})
        note = f"{format_bytes(float(seen))} are of cards and host together, {away:.0%} of them in the host's memory."
        return request.model_copy(update={"seen": each}), (note,)
    if seen > setup.cards * one:
        return request, ()
    each = request.seen.model_copy(update={"memory_bytes": seen // setup.cards})
    note = f"{format_bytes(float(seen))} are more than one card has: read as the sum of {setup.cards} cards."
    return request.model_copy(update={"seen": each}), (note,)


def has_run(request: ObservationRequest, text: str) -> bool:
    """Whether it ran: a pace was seen, or nothing says that memory ran out."""
    paced = any(name in PACES for name, _ in seen_figures(request.seen))
    return paced or not text or signature_of(text) is None


def with_read(request: ObservationRequest, read: Mapping[str, Any]) -> ObservationRequest:
    """The request with the figures that its text states; one that was given itself is kept, an absurd one left out."""
    given = request.seen.model_dump(exclude_none=True)
    for name, value in read.items():
        try:
            given = Seen.model_validate({name: value, **given}).model_dump(exclude_none=True)
        except ValidationError:
            continue
    return request.model_copy(update={"seen": Seen.model_validate(given)}) if read else request
