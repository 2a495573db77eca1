"""What an engine spends on a step however little there is to read, and what its earlier releases did worse."""

from kb.base import Frozen


class EngineFloor(Frozen):
    """Time an engine spends on a decode step however little there is to read, and how well it reads."""

    layer_s: float
    """A layer: launching kernels and waiting for them."""
    gddr_ratio: float = 1.0
    """Floor on fast-clocked cards with GDDR over the floor on data-center cards."""
    step_s: float
    """A step: scheduling, sampling, leaving the GPU."""
    sequence_s: float
    """More for every sequence of the batch, divided over tensor-parallel cards."""
    vocabulary_s: float = 0.0
    """More for every further sequence and entry of the vocabulary, where the card waits for logits to be copied to the
    host and sampled."""
    extra_ratio: float = 1.0
    """Factor on what experts add to a layer."""
    latent_head_s: float = 0.0
    """More for each head of a layer with a latent cache, multiplied head by head."""
    compressed_layer_s: float = 0.0
    """More for a layer with a compressed cache: indexing and compressing it, kernel by kernel."""
    sum_s: float = 0.0
    """More for a sum over cards than the link takes: engines without a kernel of their own for it."""
    pair_s: float | None = None
    """A sum over two cards without a switch, by a kernel of the engine's own: in the place of what the link waits."""
    prompt_layer_s: float = 0.0
    """Launching a layer of a batch of prompts, which no CUDA graph holds."""
    bandwidth_hbm_ratio: float
    """Share of the stated bandwidth reached while reading dense weights from stacked memory."""
    bandwidth_gddr_ratio: float
    """The same from GDDR or LPDDR."""


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
