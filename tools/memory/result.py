"""What the memory calculator answers."""

from typing import Literal

from kb.base import Frozen
from tools.base import ToolResult

PartName = Literal[
    "weights", "kv_cache", "activations", "logits", "gradients", "optimizer", "adapters", "buffers",
    "cuda_graphs", "fragmentation", "framework",
]  # fmt: skip
Verdict = Literal["yes", "tight", "no"]
"""yes: the upper end of the interval fits; tight: only the estimate fits; no: the estimate does not."""


class Part(Frozen):
    """One part of what a GPU holds at the moment of the peak."""

    name: PartName
    bytes: int
    formula: str
    """Formula with its numbers put in."""
    source: str | None = None


class PerGpu(Frozen):
    """What one GPU (the fullest) holds at the peak, as nvidia-smi would show it."""

    total_bytes: int
    low_bytes: int
    high_bytes: int
    """`low`..`high` is a 90 % interval."""
    parts: tuple[Part, ...]
    """Sum to `total_bytes`."""


class Fit(Frozen):
    """Whether it fits the card asked about."""

    gpu: str
    usable_bytes: int
    verdict: Verdict
    headroom_bytes: int
    """Usable minus estimate; negative when it does not fit."""
    max_context_tokens: int | None = None
    """Longest context that still fits with the same sequences; null for training or when nothing fits."""
    max_concurrent_sequences: int | None = None
    """Most sequences at the same context."""
    max_sequence_tokens: int | None = None
    """Longest sample with which a training that does not fit would; null where it fits, or none of use would."""
    max_micro_batch_size: int | None = None
    """Most samples a GPU holds in a training step; null for serving or when not even one fits."""
    host: "HostShare | None" = None
    """What the host's memory would have to hold, when its size was given and the cards alone do not suffice."""


class HostShare(Frozen):
    """Weights that do not fit the cards and stay in the host's memory."""

    bytes: int
    """What is left over once every card is full."""
    usable_bytes: int
    """Host memory less what the system keeps."""
    verdict: Verdict
    """yes: also at the upper end of the interval; tight: by the estimate; no: neither, or more than the weights."""


class MinimumGpus(Frozen):
    """Fewest cards of one kind that hold the workload."""

    gpu: str
    count: int
    verdict: Verdict
    layout: str = ""
    """How the work is spread over them, as fields of a request; empty on one card."""


class Change(Frozen):
    """One change to the request and what it would come to."""

    change: str
    """Field and new value, e.g. `weight_format = int4`."""
    costs: str
    """What one gives up for it."""
    total_bytes: int
    """Estimate a GPU after the change."""
    saves_bytes: int
    """How much less that is than before."""
    verdict: Verdict


class MemoryEstimate(ToolResult):
    """Memory of a workload."""

    model: str | None
    """Catalog id, or null for a model given by its shape."""
    task: str
    weight_format: str
    """The format used: the one asked for, or the published one."""
    engine: str
    gpus: int
    """GPUs the workload is spread over."""
    params: int
    per_gpu: PerGpu
    fit: Fit | None = None
    minimum_gpus: tuple[MinimumGpus, ...] = ()
    """Over common cards; a count is one that can be arranged (heads divide by tensor parallel …)."""
    changes: tuple[Change, ...] = ()
    """When the card asked about does not surely hold it: changes that would make it fit, the least costly first."""
