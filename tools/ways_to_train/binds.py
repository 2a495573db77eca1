"""What stops any way from fitting, or the best from being better."""

from collections.abc import Iterator

from kb.units import format_bytes
from tools.memory.term import parts_of
from tools.ways_to_train.problem import Problem
from tools.ways_to_train.reckon import length
from tools.ways_to_train.result import TrainingBind
from tools.ways_to_train.search import Found, Timed
from tools.ways_to_train.tell import title
from tools.ways_to_train.weigh import Weighed

SLOW = {
    "products": "the matrix rate of the cards",
    "attention": "attention over long samples",
    "elements": "memory traffic of element-wise work",
    "dispatch": "sending tokens to their experts",
    "link": "the link between the cards",
    "launch": "launching kernels: the micro-batches are small",
    "idle": "waiting of the cards for one another",
    "offload": "moving weights and states to the host and back",
}
LARGEST = 2
"""Parts of memory that are named."""


def binds_of(problem: Problem, found: Found) -> Iterator[TrainingBind]:
    """The memory of what comes nearest, where nothing fits; else the deadline, and what the time mostly is."""
    if found.barred is not None:
        yield TrainingBind(what="software", said=f"{found.barred.reason[0].upper()}{found.barred.reason[1:]}.")
        return
    if found.nearest is not None:
        yield from _memory(problem, found.nearest)
        return
    best = found.ways[0]
    if best.weighed.surety == "tight":
        yield from _memory(problem, best.weighed)
    if best.meets is False:
        yield _deadline(problem, best)
    if best.pace is not None:
        said = f"The speed is mostly decided by {SLOW[best.pace.bound]}."
        yield TrainingBind(what=best.pace.bound, needed=best.rate, unit="per_s", said=said)


def _memory(problem: Problem, one: Weighed) -> Iterator[TrainingBind]:
    """The host where it is what lacks; then the largest parts of a card, unless the card holds them."""
    short = one.host and problem.host_usable is not None and one.host > problem.host_usable
    if short and problem.host_usable is not None:
        said = f"The host would hold {format_bytes(one.host)} and has {format_bytes(problem.host_usable)} to spare."
        yield TrainingBind(what="host_memory", needed=one.host, available=problem.host_usable, unit="bytes", said=said)
        if one.needed <= one.usable:
            return
    parts = sorted(parts_of(one.phase), key=lambda part: -part.bytes)[:LARGEST]
    for part in parts:
        held, usable = format_bytes(part.bytes), format_bytes(one.usable)
        whole = f"of {format_bytes(one.needed)} in all, where a card has {usable} ({title(problem, one)})"
        said = f"{part.name.capitalize().replace('_', ' ')}: {held} {whole}."
        yield TrainingBind(what=part.name, needed=part.bytes, available=one.usable, unit="bytes", said=said)


def _deadline(problem: Problem, best: Timed) -> TrainingBind:
    time = best.pace.time.value if best.pace and best.pace.time else 0.0
    wanted = problem.deadline or 0.0
    said = f"The run takes {length(time)}, the deadline is {length(wanted)}."
    return TrainingBind(what="deadline", needed=time, available=wanted, unit="s", said=said)
