"""What releases of an engine did worse than those of today."""

from kb.base import Frozen


class Era(Frozen):
    """What one release does worse than today's: factors, seconds, and habits."""

    layer_ratio: float = 1.0
    """Time of launching a layer over today's."""
    cache_ratio: float = 1.0
    """Bandwidth reached while reading the cache over today's."""
    attention_ratio: float = 1.0
    """Rate of attention over a prompt over today's."""
    expert_ratio: float = 1.0
    """The same for experts."""
    four_bit_ratio: float = 1.0
    """The same for dense weights of four bits."""
    serial_s: float = 0.0
    """The host's part of a step, for which the card waits."""
    reduce_s: float = 0.0
    """More for an all-reduce of NVIDIA's cards, each; ROCm's builds had one-shot kernels of their own."""
    fp4_experts_s: float = 0.0
    """More for a layer of experts multiplied in FP4 on cards that are no data-center ones."""
    linear_layer_s: float = 0.0
    """More for a layer of linear attention."""
    reads_for_every_head: bool = False
    """Whether the cache is read once for every query head, not once for those that share it."""


class Generation(Era):
    """What all releases of an engine before some month did worse."""

    engine: str
    before: str
    """Month from which releases no longer do."""
    assumed: str | None = None
    """Models older than `before` are taken to run on builds of this month unless the build is stated."""
    why: str
    source: str
