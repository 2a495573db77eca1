"""Which card, in which layout, holds which variant: memory once a layout, compared with every card."""

from collections.abc import Iterable
from dataclasses import dataclass

from kb.base import BadInput, UnsupportedAttention
from kb.records.gpu import Gpu
from tools.configure.layout import COUNTS, NODE_GPUS, Layout, layouts
from tools.configure.suitable import most_in_one_machine, scales_out
from tools.configure.workload import Variant, Workload
from tools.memory import estimate_memory
from tools.memory.result import MemoryEstimate, Verdict

FLOATS = {"fp8": "fp8_flops", "nvfp4": "fp4_flops"}
"""Weight format → the rate a card must have to compute in it."""


@dataclass(frozen=True, slots=True)
class Held:
    """A variant laid out, with what its fullest GPU holds."""

    variant: Variant
    layout: Layout
    estimate: MemoryEstimate

    @property
    def weight_format(self) -> str:
        """The format the estimate used."""
        return self.estimate.weight_format

    def verdict(self, gpu: Gpu) -> Verdict:
        """yes: the upper end of the interval fits the card; tight: only the estimate does; no: neither."""
        per_gpu = self.estimate.per_gpu
        if per_gpu.high_bytes <= gpu.usable_bytes:
            return "yes"
        return "tight" if per_gpu.total_bytes <= gpu.usable_bytes else "no"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A card and the fewest of them that hold a variant."""

    gpu: Gpu
    held: Held
    verdict: Verdict


def table(load: Workload, largest_bytes: int, max_gpus: int | None) -> list[Held]:
    """Every variant in every layout, up to the first that the largest card holds with room to spare twice over."""
    rows: list[Held] = []
    counts = tuple(count for count in COUNTS if max_gpus is None or count <= max_gpus)
    for variant in load.variants:
        seen: set[str] = set()
        for layout in layouts(variant, training=load.training, counts=counts):
            try:
                held = Held(variant, layout, estimate_memory(layout.of(variant.request)))
            except UnsupportedAttention:
                break
            except BadInput:
                if layout.gpus == 1:
                    raise
                break  # more stages than layers, or the like: no larger layout can do better
            if layout.gpus == 1:
                seen.add(held.weight_format)
            rows.append(held)
            if held.estimate.per_gpu.high_bytes < largest_bytes / 24:
                break
    return _without_repeats(rows)


def candidates(rows: Iterable[Held], gpus: Iterable[Gpu]) -> list[Candidate]:
    """For every card and variant, the fewest GPUs that hold it for sure, and the fewest that hold it tightly."""
    found: list[Candidate] = []
    rows = list(rows)
    for gpu in gpus:
        best: dict[tuple[str, str], Candidate] = {}
        for held in rows:
            verdict = held.verdict(gpu)
            if verdict == "no" or not runs(gpu, held.weight_format) or not arrangeable(gpu, held.layout):
                continue
            key = (held.weight_format, verdict)
            former = best.get(key)
            if former is None or held.layout.gpus < former.held.layout.gpus:
                best[key] = Candidate(gpu, held, verdict)
        found += [
            candidate
            for (form, verdict), candidate in best.items()
            if verdict == "yes" or not _beaten(candidate, best.get((form, "yes")))
        ]
    return found


def runs(gpu: Gpu, weight_format: str) -> bool:
    """Whether the card computes in the format (weight-only 4- and 8-bit integers run anywhere)."""
    if weight_format in FLOATS:
        return getattr(gpu, FLOATS[weight_format]) is not None
    if weight_format == "bf16":
        return gpu.bf16_flops is not None or gpu.fp16_flops is not None
    return True


def arrangeable(gpu: Gpu, layout: Layout) -> bool:
    """Whether so many of the card can be put together: in one machine, or in several where the card scales out."""
    return layout.gpus <= most_in_one_machine(gpu) or (scales_out(gpu) and layout.gpus % NODE_GPUS == 0)


def nearest_miss(rows: Iterable[Held], gpu: Gpu, count: int) -> Held | None:
    """What comes closest to fitting `count` of this card."""
    fitting = [held for held in rows if held.layout.gpus == count and runs(gpu, held.weight_format)]
    return min(fitting, key=lambda held: held.estimate.per_gpu.total_bytes, default=None)


def _beaten(tight: Candidate, sure: Candidate | None) -> bool:
    return sure is not None and sure.held.layout.gpus <= tight.held.layout.gpus


def _without_repeats(rows: list[Held]) -> list[Held]:
    """The published format may be one of the fallbacks: each (format, layout) once, the better quality first."""
    kept: dict[tuple[str, Layout], Held] = {}
    for held in rows:
        kept.setdefault((held.weight_format, held.layout), held)
    return list(kept.values())
