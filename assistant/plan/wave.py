"""What goes into the first wave of calls and in which order."""

from collections.abc import Iterable, Sequence

from assistant.plan.call import PlannedCall

FIRST_WAVE_MAX = 6
"""Calculations of the first wave and its search, so that the second wave has room to answer it."""
LOOK_UPS = ("check_compatibility", "find_gpus", "compare_gpus")
"""Tools that only read the catalog: a calculation more never crowds them out."""
LEADING = 2
"""Calls of each part of a question that go before the rest of any."""

Calls = list[PlannedCall | None]


def first_of(calls: Sequence[PlannedCall]) -> list[PlannedCall]:
    """The calls of the first wave: as many calculations as it takes, and the look-ups, which cost next to nothing."""
    counted = [call for call in calls if call.tool not in LOOK_UPS][: FIRST_WAVE_MAX - 1]
    return [call for call in calls if call.tool in LOOK_UPS or call in counted]


def in_turn(parts: Iterable[Calls]) -> Calls:
    """What each part of a question needs most, then what each needs besides: no part crowds out another."""
    kept = [[call for call in part if call is not None] for part in parts]
    first = [call for part in kept for call in part[:LEADING]]
    return [*first, *(call for part in kept for call in part[LEADING:])] if len(kept) > 1 else [*kept[0]]


def distinct(calls: Iterable[PlannedCall | None]) -> list[PlannedCall]:
    """The calls that exist, each once, in order."""
    kept: list[PlannedCall] = []
    for call in calls:
        if call is not None and call not in kept:
            kept.append(call)
    return kept
