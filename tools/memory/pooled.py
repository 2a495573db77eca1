"""Unlike cards that hold one model together: its layers are dealt out by the memory each card has left."""

from collections.abc import Sequence
from typing import NamedTuple

from kb.records.gpu import Gpu
from tools.memory.estimate import peak_phase
from tools.memory.fit import verdict_of
from tools.memory.interval import interval
from tools.memory.request import MemoryRequest
from tools.memory.result import Verdict
from tools.memory.workload import workload_of

DIVIDED = ("weights", "kv_cache")
"""Parts that follow the layers; the others (work space, driver) are held by every card."""


class Pooled(NamedTuple):
    """A model on several cards of any kind."""

    verdict: Verdict
    layers: tuple[int, ...]
    """Dealt to each card; all zero when they do not fit."""
    held_bytes: tuple[int, ...]
    """What each card holds at the peak."""
    needed_bytes: int
    """Of all cards together."""


def pooled(request: MemoryRequest, cards: Sequence[Gpu]) -> Pooled:
    """Deal the layers of a model out to cards in proportion to the memory each has left, as llama.cpp does.

        room_i = usable_i - fixed,   layers_i ≤ room_i · layers / divided

    fixed: work space and driver, on every card; divided: weights and cache. Tensor parallelism cannot do this: it
    cuts every layer into equal parts.
    """
    work, _, _ = workload_of(request.model_copy(update={"engine": "llama.cpp"}))
    phase = peak_phase(work)
    divided = sum(term.bytes for term in phase.terms if term.part in DIVIDED)
    fixed, layers = phase.bytes - divided, work.shape.layers
    more = interval(work, phase)[1] / phase.bytes
    sure = _dealt(layers, divided * more, [gpu.usable_bytes - fixed * more for gpu in cards])
    dealt = sure or _dealt(layers, divided, [gpu.usable_bytes - fixed for gpu in cards])
    held = [int(divided * share / layers + fixed) for share in dealt or ()]
    verdict: Verdict = "yes" if sure else "tight" if dealt else "no"
    if dealt:
        verdict = min(
            (verdict, *(verdict_of(each, each, gpu.usable_bytes) for each, gpu in zip(held, cards, strict=True))),
            key=("no", "tight", "yes").index,
        )
    return Pooled(verdict, dealt or (0,) * len(cards), tuple(held), int(divided + fixed * len(cards)))


def _dealt(layers: int, divided: float, room: Sequence[float]) -> tuple[int, ...] | None:
    """Layers for each card, in proportion to its room and never beyond it; null when they do not all fit."""
    most = [max(int(left * layers / divided), 0) for left in room]
    if sum(most) < layers:
        return None
    whole = sum(max(left, 0) for left in room)
    dealt = [min(int(layers * max(left, 0) / whole), top) for left, top in zip(room, most, strict=True)]
    for place in sorted(range(len(room)), key=lambda place: -room[place]):
        dealt[place] += min(layers - sum(dealt), most[place] - dealt[place])
    return tuple(dealt)
