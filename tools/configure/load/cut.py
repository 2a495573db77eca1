"""What the fullest GPU holds when a workload is cut in some way: estimated once a cut, bounded from below before."""

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from tools.configure.load.layout import ENGINE_OF_GRIDS, LANGUAGE, MOST_STAGES, NODE_GPUS, SHARED_EXPERTS, Layout
from tools.memory.estimate import peak_phase, sharded_peak
from tools.memory.interval import interval
from tools.memory.request import MemoryRequest
from tools.memory.sharding import counts_on_one
from tools.memory.term import Phase
from tools.memory.training import state_bytes
from tools.memory.workload import Workload, refuse_nonsense, workload_of

MOST_TOGETHER = max(NODE_GPUS * MOST_STAGES, *SHARED_EXPERTS)
"""GPUs that hold one copy at most, or share its experts."""
REMEMBERED = 96
"""Workloads whose cuts are kept for the next question about them; a few hundred cuts of 150 bytes each."""


class Cut(NamedTuple):
    """The estimate of one cut."""

    total_bytes: int
    high_bytes: int
    """Upper end of the interval."""
    weight_format: str
    engine: str
    weights_bytes: int = 0
    """Of that card; 0 = not told apart."""
    cache_bytes: int = 0


class Floor(NamedTuple):
    """Bytes that must be held whatever the layout: `copied` once a copy, `spread` over all GPUs at best."""

    copied: float
    spread: float

    def least(self, count: int, together: int) -> float:
        """Bytes below which no GPU of `count` can be when at most `together` of them hold one copy."""
        return self.copied / min(count, together, MOST_TOGETHER) + self.spread / count

    def first(self, numbers: Sequence[tuple[int, int]], usable: int) -> int:
        """Where the first of growing numbers of (cards, cards together) stands that `usable` bytes a GPU may do for.

        More cards never hold more each, so that it is found by halves; as many as there are where none may do.
        """
        if self.least(*numbers[0]) <= usable:
            return 0
        if self.least(*numbers[-1]) > usable:
            return len(numbers)
        return bisect_left(numbers, True, key=lambda one: self.least(*one) <= usable)


class Cuts:
    """The cuts of one workload. The same cut of the work holds the same however many copies of it there are."""

    def __init__(self, request: MemoryRequest) -> None:
        self._request = request
        self._bases: dict[tuple[str | None, str | None, bool], Workload] = {}
        self._peaks: dict[tuple[object, ...], Phase] = {}
        self._cuts: dict[tuple[object, ...], Cut] = {}
        self._alone: tuple[float, float] | None = None

    def cut(self, layout: Layout, *, large: bool, boards: bool = False) -> Cut:
        """`estimate_memory` of a layout, without its advice.

        Raises:
            UnsupportedAttention: no formula covers the model.
            BadInput: no engine runs it so.
        """
        work = self._work(layout)._replace(large_gpu=large, boards=boards)
        key = _spread(work)
        if key not in self._cuts:
            phase = sharded_peak(work, self._peak)
            # Parts are rounded up to whole bytes one by one: a few bytes more than their sum.
            total = int(phase.bytes) + len(phase.terms)
            self._cuts[key] = Cut(total, max(interval(work, phase)[1], total), work.format.name, work.engine)
        return self._cuts[key]

    def least(self, layout: Layout) -> float:
        """Bytes below which no estimate of this layout can be.

        The fullest GPU holds its even share of what is divided. Serving: weights over the cards of a copy, or over
        those that share experts, and the cache of a copy over its cards.
        Adapters: the frozen base, divided only by ZeRO-3. Grids of a sharded optimizer: 16-bit weights and gradients
        over tensor · pipeline (experts also over their group), optimizer states over all. Else nothing is claimed.
        """
        request = self._request
        if request.task == "inference":
            weights, cache = self._held_alone()
            return weights / layout.group + cache / layout.data_parallel / layout.copy
        if request.task in {"lora", "qlora"}:
            weights, _ = self._held_alone()
            return weights / layout.gpus if layout.sharding in {"zero3", "fsdp"} else weights
        if layout.engine == ENGINE_OF_GRIDS and layout.sharding == "zero1":
            return self._grid_least(layout)
        return 0.0

    @cached_property
    def floor(self) -> "Floor":
        """What no layout is below: serving, weights and cache; adapters, the frozen base; else nothing is claimed."""
        if self._request.task == "inference":
            return Floor(*self._held_alone())
        base = self._held_alone()[0] if self._request.task in {"lora", "qlora"} else 0.0
        return Floor(0.0, base)

    def _held_alone(self) -> tuple[float, float]:
        """(weights, cache) of a single GPU; nothing for what is not a language model."""
        if self._alone is None:
            work = self._work(Layout(1))
            terms = self._peak(work).terms if work.shape.kind in LANGUAGE else ()
            weights = sum(term.bytes for term in terms if term.part == "weights")
            self._alone = weights, sum(term.bytes for term in terms if term.part == "kv_cache")
        return self._alone

    def _grid_least(self, layout: Layout) -> float:
        work = self._base(layout)
        counts = counts_on_one(work._replace(tensor=1, pipeline=1, data=1, context_split=1, expert=1))
        weight, gradient, optimizer = state_bytes(work)
        dense = counts.total - counts.experts
        each = (dense + counts.experts / layout.expert_parallel) / layout.copy
        states = 0.0 if work.optimizer.startswith("paged") else optimizer * counts.total / layout.gpus
        return (weight + gradient) * each + states

    def _work(self, layout: Layout) -> Workload:
        """The workload in a layout: what does not depend on the sizes of its groups is resolved once.

        Raises:
            BadInput: no engine runs it so.
        """
        changes: dict[str, int] = {"tensor": layout.tensor_parallel, "pipeline": layout.pipeline_parallel,
                                   "expert": layout.expert_parallel}  # fmt: skip
        if self._request.task != "inference":
            changes |= {"data": layout.data_parallel, "context_split": layout.context_parallel}
        elif self._request.concurrent_sequences:
            changes["sequences"] = -(-self._request.concurrent_sequences // layout.replicas)
        work = self._base(layout)._replace(**changes)  # type: ignore[arg-type]
        refuse_nonsense(layout.of(self._request), work)
        return work

    def _base(self, layout: Layout) -> Workload:
        training = self._request.task != "inference"
        key = (layout.sharding, layout.engine, training and layout.data_parallel > 1)
        if key not in self._bases:
            alone = Layout(
                layout.data_parallel if training else 1, data_parallel=layout.data_parallel, sharding=layout.sharding,
                engine=layout.engine,
            )  # fmt: skip
            self._bases[key] = workload_of(alone.of(self._request))[0]
        return self._bases[key]

    def _peak(self, work: Workload) -> Phase:
        key = _spread(work)
        if key not in self._peaks:
            self._peaks[key] = peak_phase(work)
        return self._peaks[key]


def _spread(work: Workload) -> tuple[object, ...]:
    """What the workloads of one request differ in."""
    return (
        work.large_gpu, work.boards, work.tensor, work.pipeline, work.data, work.context_split, work.expert,
        work.sequences, work.sharding, work.engine,
    )  # fmt: skip


@lru_cache(maxsize=REMEMBERED)
def cuts_of(request: MemoryRequest) -> Cuts:
    """The cuts of a workload, shared by every search for it."""
    return Cuts(request)
