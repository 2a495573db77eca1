"""Settings that were told and leave no room for the work, where the usual ones would."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from pydantic import ValidationError

from kb.base import AdvisorError
from kb.observation import observation_facts
from tools.observation.estimates.memory import AT_LOAD, needed, part, share
from tools.observation.result import ObservedCause, Range
from tools.observation.setup import Setup
from tools.observation.telling import told

FULL = 0.97
"""Share of the room that the least of the work may take: the rest goes to what no estimate counts."""
HELPS = 0.95
"""Largest ratio of the room taken with a setting as usual over that as told for it to count."""


def wrong_settings(setup: Setup) -> list[ObservedCause]:
    """Settings with which the work cannot fit, each with what it holds where that one is as usual.

    The fewest that make it fit when taken back together; none where it fits as told, or none of them helps.
    """
    taken = _taken(setup)
    if taken is None or taken[0] <= FULL:
        return []
    rows = [row for row in observation_facts().settings["told_settings"] if _unusual(row, setup)]
    for count in range(1, len(rows) + 1):
        for several in combinations(rows, count):
            all_ = _taken(setup.changed({row["field"]: row["usual"] for row in several}))
            if all_ is not None and all_[0] <= FULL:
                return list(_told(several, setup, taken[0]))
    return []


def _unusual(row: dict[str, Any], setup: Setup) -> bool:
    """Whether the field was told otherwise than it is usually set, to the worse."""
    value = getattr(setup.request, row["field"], None)
    if value is None:
        return False
    return value in row["worse"] if "worse" in row else value < row["usual"]


def _taken(setup: Setup) -> tuple[float, float] | None:
    """(least of the work over its room, bytes of the least); null where either is unknown.

    Of a server: weights and framework over the share of the card that it reserves; else all over the usable memory.
    """
    card = setup.card
    if card is None or not setup.named or setup.kind != "serving":
        return None
    try:
        per = needed(setup)
    except (AdvisorError, ValidationError, ValueError):
        return None
    if not setup.reserves:
        return per.low_bytes / card.usable_bytes, float(per.low_bytes)
    least = float(part(per, *AT_LOAD))
    return least / (share(setup) * card.memory_bytes), least


def _told(rows: tuple[dict[str, Any], ...], setup: Setup, before: float) -> Iterator[ObservedCause]:
    """Each of the settings as a cause, what saves most first."""
    found = []
    for row in rows:
        after = _taken(setup.changed({row["field"]: row["usual"]}))
        if after is None or after[0] > HELPS * before:
            continue
        fact = observation_facts().causes[row["cause"]]
        size = Range(value=after[1], low=after[1], high=after[1], unit="bytes")
        cause = told(fact, setup, "reckoned", change={row["field"]: row["usual"]}, after=size)
        found.append((after[0], cause))
    yield from (cause for _, cause in sorted(found, key=lambda pair: pair[0]))
