"""How far a way goes: the longest context and the most sequences that it still holds."""

from collections.abc import Callable

from tools.ways_to_run.result import WayLimits
from tools.ways_to_run.space.load import Load
from tools.ways_to_run.weigh.candidate import Candidate

LARGEST_CONTEXT = 1 << 21
MOST_SEQUENCES = 1 << 14
STEP_TOKENS = 256
"""What a longest context is rounded down to."""


def limits_of(load: Load, candidate: Candidate) -> WayLimits:
    """By bisection, as surely as the way itself fits; a context never beyond the model's own."""
    longest = max(load.longest or LARGEST_CONTEXT, load.context)
    context = _most(
        lambda steps: candidate.at(load, max(steps * STEP_TOKENS, load.context), load.sequences) is not None,
        load.context // STEP_TOKENS, longest // STEP_TOKENS,
    ) * STEP_TOKENS  # fmt: skip
    context = max(context, load.context)
    whole = context + STEP_TOKENS > longest
    sequences = _most(lambda count: candidate.at(load, load.context, count) is not None, load.sequences, MOST_SEQUENCES)
    return WayLimits(
        max_context_tokens=longest if whole else context, max_concurrent_sequences=sequences,
        bound_by="model" if whole and load.longest else "memory",
    )  # fmt: skip


def _most(fits: Callable[[int], bool], least: int, most: int) -> int:
    """Largest number that fits, `least` being known to."""
    low, high = least, max(most, least)
    step = max(least, 1)
    while low < high:  # gallop first: most limits lie near what was asked
        probe = min(low + step, high)
        if not fits(probe):
            high = probe - 1
            break
        low, step = probe, step * 4
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low
