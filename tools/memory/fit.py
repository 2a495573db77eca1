"""Whether a workload fits a card, what more would fit, and how many cards it takes at least."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import groupby
from typing import Protocol

from kb.base import UnknownName
from kb.catalog import gpu as catalog_gpu
from kb.constants.memory_constants import constants
from kb.records.gpu import Gpu
from kb.records.model import Experts, LatentAttention
from tools.memory.companions import GENERATING
from tools.memory.interval import interval
from tools.memory.result import Fit, MinimumGpus, Verdict
from tools.memory.term import Phase
from tools.memory.workload import Workload, is_large, over_pcie

COMMON_GPUS = (
    "rtx-4060-ti-16gb", "rtx-3090-24gb", "rtx-4090-24gb", "rtx-5090-32gb", "l4-24gb", "l40s-48gb", "rtx-6000-ada-48gb",
    "rtx-pro-6000-bw-ws-96gb", "a100-sxm-40gb", "a100-sxm-80gb", "h100-sxm-80gb", "h20-96gb", "h200-sxm-141gb",
    "b200-sxm-180gb", "mi300x-192gb",
)  # fmt: skip
"""Cards a minimum is given for, where the catalog has them."""
NODE = 8
"""GPUs of a full server; beyond one, whole servers."""
MOST_NODES = 16
LARGE_CLUSTERS = (160, 192, 256, 384, 512, 768, 1024)
"""GPUs beyond those nodes that a training run is tried on."""
ENGINES_SHARING_EXPERTS = frozenset({"vllm", "sglang", "tensorrt-llm"})
"""Engines that copy attention to every GPU and share a mixture's experts between them."""
LARGEST_CONTEXT = 1 << 21
MOST_SEQUENCES = 1 << 14
MOST_SAMPLES = 1 << 12
SHORTEST_SAMPLE, WHOLE_TOKENS = 512, 128
"""Tokens of a sample below which nobody cuts one to make it fit, and what such a length is rounded down to."""

Peak = Callable[[Workload], Phase]


class Mixture(Protocol):
    """What a model, or its shape, says of attention and experts."""

    @property
    def latent(self) -> LatentAttention | None:
        """Attention whose keys and values are cached as one vector; null for any other."""

    @property
    def experts(self) -> Experts | None:
        """Experts of which a router picks; null for a dense model."""


def verdict_of(total: float, high: float, usable: int) -> Verdict:
    """yes: the upper end of the interval fits; tight: only the estimate does; no: neither."""
    if high <= usable:
        return "yes"
    return "tight" if total <= usable else "no"


def fit(work: Workload, phase: Phase, gpu: Gpu, peak_of: Peak) -> Fit:
    """Decide on what a program can use, not on what the box says."""
    high = interval(work, phase)[1]
    total = phase.bytes
    serving, verdict = work.family == "serving", verdict_of(total, high, gpu.usable_bytes)
    return Fit(
        gpu=gpu.id,
        usable_bytes=gpu.usable_bytes,
        verdict=verdict,
        headroom_bytes=int(gpu.usable_bytes - total),
        max_context_tokens=_most(work, "context", _context_limit(work), gpu, peak_of) if serving else None,
        max_concurrent_sequences=_most(work, "sequences", MOST_SEQUENCES, gpu, peak_of) if serving else None,
        max_sequence_tokens=_longest_sample(work, gpu, peak_of) if verdict == "no" else None,
        max_micro_batch_size=_largest_batch(work, gpu, peak_of),
    )


def _longest_sample(work: Workload, gpu: Gpu, peak_of: Peak) -> int | None:
    """Tokens of the longest sample of a training that the card still holds, where that is a length of any use."""
    if work.family != "training" or work.sequence <= SHORTEST_SAMPLE:
        return None
    if peak_of(work._replace(sequence=SHORTEST_SAMPLE)).bytes > gpu.usable_bytes:
        return None
    longest = _most(work, "sequence", work.sequence, gpu, peak_of)
    return longest and longest // WHOLE_TOKENS * WHOLE_TOKENS


def _largest_batch(work: Workload, gpu: Gpu, peak_of: Peak) -> int | None:
    """Samples, or pictures, that a training step may hold at once."""
    if not work.training or work.family not in ("training", "vision", "speech"):
        return None
    return _most(work, "micro_batch" if work.family == "training" else "images", MOST_SAMPLES, gpu, peak_of)


def _lives_on_the_rest(work: Workload) -> bool:
    """Whether an engine answers beside the training of a whole model: its cache is what the cards have left, so cards
    that only just hold the states leave it none."""
    return work.training and not work.adapted and work.method in GENERATING


def minimum_gpus(work: Workload, peak_of: Peak, asked: Gpu | None = None) -> tuple[MinimumGpus, ...]:
    """Fewest of each common card and of the one asked about, laid out as can be arranged, so that the fullest fits."""
    found: list[MinimumGpus] = []
    needs: dict[tuple[bool, bool, int], tuple[float, float]] = {}  # by identity: all layouts are kept in `known`
    known: list[tuple[Workload, ...]] = []
    coming = (tuple(alike) for _, alike in groupby(_layouts(work), key=lambda layout: layout.gpus))
    others = _common()
    for gpu in others if asked is None or asked in others else (*others, asked):
        large = is_large(gpu)
        for alike in _grow(known, coming):
            if alike[0].gpus > 1 and gpu.market == "laptop":
                break  # a notebook has one, and takes no other
            if alike[0].gpus > NODE * MOST_NODES and gpu.memory_bytes < constants().vllm.large_gpu_bytes:
                break  # nobody joins hundreds of workstation cards
            judged: dict[Verdict, Workload] = {}
            for layout in alike:
                boards = over_pcie(gpu, min(layout.tensor, NODE))
                key = (large, boards, id(layout))
                if key not in needs:
                    phase = peak_of(layout._replace(large_gpu=large, boards=boards))
                    needs[key] = (phase.bytes, interval(layout, phase)[1])
                judged.setdefault(verdict_of(*needs[key], gpu.usable_bytes), layout)
            verdict: Verdict = "yes" if "yes" in judged or _lives_on_the_rest(work) else "tight"
            if verdict in judged:
                layout = judged[verdict]
                found.append(MinimumGpus(gpu=gpu.id, count=layout.gpus, verdict=verdict, layout=_said(layout)))
                break
    return tuple(found)


def _grow(known: list[tuple[Workload, ...]], coming: Iterator[tuple[Workload, ...]]) -> Iterator[tuple[Workload, ...]]:
    """Layouts of each number of GPUs already drawn, then those of further numbers: few cards need the long tail."""
    yield from known
    for alike in coming:
        known.append(alike)
        yield alike


def _said(layout: Workload) -> str:
    """The layout as fields of a request."""
    fields = {
        "sharding": layout.sharding if layout.data > 1 else "none", "data_parallel": layout.data,
        "tensor_parallel": layout.tensor, "pipeline_parallel": layout.pipeline, "expert_parallel": layout.expert,
    }  # fmt: skip
    return ", ".join(f"{name} = {value}" for name, value in fields.items() if value not in (1, "none"))


def _context_limit(work: Workload) -> int:
    return max(work.shape.max_context or LARGEST_CONTEXT, work.context)


def _most(work: Workload, field: str, limit: int, gpu: Gpu, peak_of: Peak) -> int | None:
    """The largest value of `field` whose estimate still fits, to one part in 128; null when not even one does.

    Memory never falls as tokens or sequences grow, so bisection finds it.
    """

    def fits(value: int) -> bool:
        return peak_of(work._replace(**{field: value})).bytes <= gpu.usable_bytes  # type: ignore[arg-type]

    if fits(limit):
        return limit
    low, high = 0, limit
    if not fits(1):
        return None
    low = 1
    while high - low > max(low >> 7, 1):
        middle = (low * high) ** 0.5 if high > 4 * low else (low + high) / 2
        if fits(int(middle)):
            low = int(middle)
        else:
            high = int(middle)
    return low


@lru_cache(maxsize=1)
def _common() -> tuple[Gpu, ...]:
    found = []
    for name in COMMON_GPUS:
        try:
            found.append(catalog_gpu(name))
        except UnknownName:
            continue
    return tuple(found)


def _layouts(work: Workload) -> Iterator[Workload]:
    """Layouts in order of GPUs: 1, 2, 4, 8, then whole servers.

    Serving: tensor parallelism within a server (it must divide the heads), pipeline stages across servers; where every
    GPU of those would hold the same compressed cache of attention, also whole attention on each GPU with sequences of
    its own, and only the experts shared.
    Training: one GPU as asked, then the weights sharded over data-parallel ranks, a mixture's experts over the GPUs
    of a server: a layer with all its experts would not be gathered on one. Where its layers are dealt out (device_map)
    also that, over the cards of one machine.
    Encoders run on one GPU, or are dealt out by their layers over those of one machine; pipelines run on one.
    """
    alone = work._replace(tensor=1, pipeline=1, data=1, context_split=1, expert=1)
    if work.family == "training":
        yield alone._replace(sharding="none")
        engine = "deepspeed" if work.engine == "deepspeed" else "fsdp"
        sharded = alone._replace(sharding="zero3" if engine == "deepspeed" else "fsdp", engine=engine)
        experts = work.shape.experts.experts if work.shape.experts else 1
        for count in (2, 4, *range(NODE, NODE * MOST_NODES + 1, NODE), *LARGE_CLUSTERS):
            yield sharded._replace(data=count, expert=NODE if count >= NODE and experts % NODE == 0 else 1)
            if work.pipeline > 1 and count <= min(NODE, work.shape.layers) and work.data == 1:
                yield alone._replace(pipeline=count, sharding="none")
        return
    yield alone
    if work.family == "diffusion" and work.training and not work.adapted:
        for count in (2, 4, NODE, 2 * NODE):
            yield alone._replace(sharding="fsdp", data=count)
    if work.family == "encoder":
        yield from (alone._replace(pipeline=count) for count in (2, 4, NODE))
    if work.family != "serving":
        return
    heads = work.shape.heads
    for tensor in (2, 4, NODE):
        if heads % tensor == 0:
            yield alone._replace(tensor=tensor)
    widest = next(tensor for tensor in (NODE, 4, 2, 1) if heads % tensor == 0)
    if widest < NODE <= widest * work.shape.layers:
        yield alone._replace(tensor=widest, pipeline=NODE // widest)
    yield from _sharing_experts(alone, NODE)
    for nodes in range(2, MOST_NODES + 1):
        stages = nodes * NODE // widest
        if stages <= work.shape.layers:
            yield alone._replace(tensor=widest, pipeline=stages)
        yield from _sharing_experts(alone, nodes * NODE)


def _sharing_experts(alone: Workload, count: int) -> Iterator[Workload]:
    if shares_experts(alone.shape, alone.engine, alone.sequences, count):
        yield alone._replace(expert=count)


def shares_experts(model: Mixture, engine: str | None, sequences: int, count: int) -> bool:
    """Whether so many GPUs serve a mixture with attention of their own: a cache shared by all heads cannot be cut.

    Every GPU then answers sequences of its own; with fewer than one each, some would idle.
    """
    if model.experts is None or model.latent is None or engine not in {None, *ENGINES_SHARING_EXPERTS}:
        return False
    return count % NODE == 0 and model.experts.experts % count == 0 and sequences >= count
