"""What every GPU holds in every layout: memory once a layout and class of card, compared with each card's own."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from kb.base import BadInput, UnsupportedAttention
from kb.records.gpu import Gpu
from tools.configure.layout import Layout, layouts
from tools.configure.suitable import scales_out
from tools.configure.workload import Variant, Workload
from tools.memory.estimate import sharded_peak
from tools.memory.fit import verdict_of
from tools.memory.interval import interval
from tools.memory.request import MemoryRequest
from tools.memory.result import Verdict
from tools.memory.workload import is_large, workload_of

CUTS = (
    "tensor_parallel", "pipeline_parallel", "concurrent_sequences", "data_parallel", "sharding", "context_parallel",
    "expert_parallel", "engine",
)  # fmt: skip
"""Fields of a request that a layout changes."""
FLOATS = {"fp8": "fp8_flops", "nvfp4": "fp4_flops"}
"""Weight format → the rate a card must have to compute in it."""


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """A variant laid out, with what its fullest GPU holds."""

    variant: Variant
    layout: Layout
    total_bytes: int
    high_bytes: int
    weight_format: str
    """The format the estimate used."""
    engine: str

    def verdict(self, gpu: Gpu) -> Verdict:
        """yes: the upper end of the interval fits the card; tight: only the estimate does; no: neither."""
        return verdict_of(self.total_bytes, self.high_bytes, gpu.usable_bytes)


class Table:
    """Every variant in every layout of as many GPUs as somebody asks about, each worked out once."""

    def __init__(self, load: Workload) -> None:
        self.load = load
        self._rows: dict[tuple[int, int, bool], tuple[Held, ...]] = {}
        self._cuts: dict[tuple[object, ...], tuple[int, int, str, str]] = {}
        self.examined = 0

    def rows(self, count: int, variant: Variant, *, large: bool) -> tuple[Held, ...]:
        """What one GPU holds in each layout over `count`; `large` cards make vLLM reserve for more sequences."""
        large = large and not self.load.training
        key = (count, id(variant), large)
        if key not in self._rows:
            self._rows[key] = tuple(self._laid_out(count, variant, large=large))
            self.examined += len(self._rows[key])
        return self._rows[key]

    def fitting(self, gpu: Gpu, count: int, machine: int, variant: Variant) -> tuple[Held, ...]:
        """Layouts of a variant over `count` of this card, in machines of `machine`, whose estimate fits."""
        linked = scales_out(gpu)
        usable = gpu.usable_bytes
        return tuple(
            held
            for held in self.rows(count, variant, large=is_large(gpu))
            if held.total_bytes <= usable
            and arrangeable(held.layout, machine, linked=linked, training=self.load.training)
        )

    def format_of(self, variant: Variant) -> str | None:
        """The weight format of a variant; null for a model no formula covers."""
        rows = self.rows(1, variant, large=False)
        return rows[0].weight_format if rows else None

    def _laid_out(self, count: int, variant: Variant, *, large: bool) -> Iterator[Held]:
        for layout in layouts(variant.request, count):
            try:
                yield self._held(variant, layout, large=large)
            except UnsupportedAttention:
                return
            except BadInput:
                if count == 1:
                    raise  # not the layout's fault: the request itself is nonsense

    def _held(self, variant: Variant, layout: Layout, *, large: bool) -> Held:
        """The same cut of the work holds the same however many copies of it there are."""
        request = layout.of(variant.request)
        key = (id(variant), large, *(getattr(request, name) for name in CUTS))
        if key not in self._cuts:
            self._cuts[key] = _cut(request, large)
        return Held(variant, layout, *self._cuts[key])


@lru_cache(maxsize=65536)
def _cut(request: MemoryRequest, large: bool) -> tuple[int, int, str, str]:
    """(estimate, upper end, format, engine): `estimate_memory` without its advice."""
    work = workload_of(request)[0]._replace(large_gpu=large)
    phase = sharded_peak(work)
    # Parts are rounded up to whole bytes one by one: a few bytes more than their sum.
    total = int(phase.bytes) + len(phase.terms)
    return total, max(interval(work, phase)[1], total), work.format.name, work.engine


def runs(gpu: Gpu, weight_format: str) -> bool:
    """Whether the card computes in the format (weight-only 4- and 8-bit integers run anywhere)."""
    if weight_format in FLOATS:
        return getattr(gpu, FLOATS[weight_format]) is not None
    if weight_format == "bf16":
        return gpu.bf16_flops is not None or gpu.fp16_flops is not None
    return True


def arrangeable(layout: Layout, machine: int, *, linked: bool, training: bool) -> bool:
    """Whether the layout works in machines of `machine` cards.

    Inside one machine anything does, but that linked cards share layers (tensor parallel) rather than take turns.
    Over several: whole machines, and what exchanges data all the time (training
    ranks, stages of a copy) only between machines whose cards are linked inside; separate copies anywhere.
    """
    if linked and not training and layout.pipeline_parallel > 1 and layout.copy <= machine:
        return False
    if layout.gpus <= machine:
        return True
    if layout.gpus % machine:
        return False
    if layout.tensor_parallel > machine or machine % layout.tensor_parallel:
        return False
    apart = layout.copy <= machine and machine % layout.copy == 0 and not training
    return apart or (linked and machine >= 4)


def nearest_miss(table: Table, gpu: Gpu, count: int) -> Held | None:
    """What comes closest to fitting `count` of this card."""
    rows = [
        held
        for variant in table.load.variants
        for held in table.rows(count, variant, large=is_large(gpu))
        if runs(gpu, held.weight_format)
    ]
    return min(rows, key=lambda held: held.total_bytes, default=None)
