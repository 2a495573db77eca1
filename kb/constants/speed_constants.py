"""Constants of the speed and time estimators, typed and loaded once: each fitted, with what it was fitted on."""

from functools import lru_cache
from pathlib import Path

from kb.base import Frozen
from kb.constants.engine_generation import EngineFloor, Generation
from kb.constants.offloading import Host
from kb.records.source import Source
from kb.snapshot import load_yaml

_FACTS = Path(__file__).parents[1] / "facts"


class Fit(Frozen):
    """What a group of constants rests on."""

    source: str
    """Source id of the measurements."""
    rows: int
    """Measurements it was fitted on."""
    residual: str
    """What error is left, in words."""


class Decode(Frozen):
    """Decoding."""

    fit: Fit
    host_overlap_power: float
    """The host prepares the next step beside the GPU: t = (t_gpu^p + t_host^p)^(1/p)."""
    host_ratios: dict[str, float]
    """Start of a card's id → time its host takes for a sequence over that of an x86 host."""
    permute_bytes: float
    """Memory traffic of sorting activations by expert and adding up results, for each element, expert and layer."""
    overlap_power: float
    """Reading and multiplying overlap: t = (t_read^p + t_compute^p)^(1/p)."""
    cache_bandwidth_ratio: float
    """Share of the stated bandwidth reached while reading the cache."""
    cache_bandwidth_ratios: dict[str, float]
    """The same for engines that differ, or for an engine on one architecture."""
    attention_ratios: dict[str, float]
    """Engine and architecture → share of the peak that attention reaches while answering, where it and not reading
    the cache decides."""
    vector_ratios: dict[str, float]
    """Architecture → share of the peak that llama.cpp's products reach for a few sequences, widening weights."""
    unpack_ops: dict[str, float]
    """Start of a card's id or architecture → operations of one of its lanes that unpacking a quantised weight and
    multiplying it with one vector takes in llama.cpp; cards that are not here wait for their memory instead."""
    table_ops: dict[str, float]
    """Maker → the same of weights that are looked up in tables (IQ2, IQ3)."""
    unpack_overlap_power: float
    """As `overlap_power`, of that work and reading."""
    matrix_columns: dict[str, int]
    """Architecture → sequences that llama.cpp's matrix products compute at once, used or not (of an expert ¼)."""
    matrix_ratios: dict[str, float]
    """Architecture → share of the peak that those products reach."""
    vector_columns: int
    """Sequences up to which it multiplies vectors instead."""
    checkpoints_cached_in_fp8: dict[str, tuple[str, ...]]
    """Engine → weight formats whose published checkpoints tell it to keep the cache in FP8."""
    dense_bandwidth_ratios: dict[str, float]
    """Factor on the bandwidth while reading dense weights in serving engines, by bits a weight."""
    expert_bandwidth_ratios: dict[str, float]
    """Factor on the bandwidth while reading many small experts, by bits a weight (or engine)."""
    served_four_bit_ratios: dict[str, float]
    """Further factor on weights of four bits in serving engines, by architecture: kernels that unpack them slowly."""
    served_expert_ratios: dict[str, float]
    """The same on routed experts."""
    wide_expert: float
    """Columns of an expert on a card at which grouped products are half-way to dense ones, reading and multiplying."""
    routing_evenness: float
    """Share of a batch that would visit as many experts under uniform routing as the batch does."""
    routing_evenness_ratios: dict[str, float]
    """The same for engines that differ: llama.cpp reads experts again for every token of a small batch."""
    batched_moe_layer_s: float
    """More for a layer with experts in llama.cpp once there are two sequences: sorting, and no CUDA graph."""
    bandwidth_caps: dict[str, float]
    """Cards whose bandwidth few cores cannot draw: most of it that is reached."""
    architecture_bandwidth_ratios: dict[str, float]
    """Factor on the bandwidth reached by llama.cpp, by architecture of the card."""
    served_floor_ratios: dict[str, float]
    """Floor of engines that replay CUDA graphs over that on Hopper, by architecture of a data-center card."""
    architecture_floor_ratios: dict[str, float]
    """Floor over that of CUDA cards, by architecture of the card."""
    gguf_wide_bits: float
    """Bits of dense weights in llama.cpp's files of models published with four-bit experts."""
    gguf_mixture_bits: float
    """Least bits of what every token reads of a mixture in llama.cpp's files of fewer."""
    moe_layer_s: float
    """More for a layer with routed experts: routing, permuting, grouped kernels."""
    shared_layer_s: float
    """More where a shared expert works beside them."""
    fp4_layer_s: float
    """More where activations are quantised to FP4 before they are multiplied."""
    latent_layer_s: float
    """More for a layer with latent attention."""
    widened_latent_s: float
    """More for a layer of a latent mixture that serving engines multiply in 16 bits."""
    linear_layer_s: float
    """More for a linear-attention or state-space layer."""
    pipeline_hop_s: float
    """Handing activations to the next stage of a pipeline."""
    network_hop_s: float
    """The same to a stage in another machine, whose host starts its kernels only then."""
    exchange_s: float
    """Waiting for one exchange of tokens between the cards of a layer's experts."""
    attention_copies_from: float
    """Sequences a card from which attention data parallelism is worth while."""
    amd_floor_ratio: float
    """Floor of ROCm over the floor of CUDA."""
    engines: dict[str, EngineFloor]
    generations: tuple[Generation, ...]
    """Releases of before, by what they did worse."""


class LlamaCpp(Frozen):
    """llama.cpp's prompts, which it multiplies in FP16 with FP16 sums or in INT8, whatever the weights."""

    fit: Fit
    wide_ratio: float
    """Share of half the INT8 peak that 16-bit weights reach."""
    quantised_ratio: float
    """The same for quantised weights."""
    architecture_ratios: dict[str, float]
    """Further factor by architecture, or architecture and market."""
    dot_ratios: dict[str, float]
    """Cards whose ordinary cores sum four products of INT8 at once (DP4A, V_DOT4): share of that rate, four times the
    FP32 one, that quantised weights reach; 0 = those of the family that cannot."""
    widened_ratios: dict[str, float]
    """Cards without integer products that pay: weights are widened to 16 bits once a physical batch, and multiplied at
    this share of the 16-bit peak."""
    routed_ratios: dict[str, float]
    """Products with routed experts over dense ones, by architecture."""
    wide_routed_ratios: dict[str, float]
    """The same of experts in 16 bits."""
    attention_ratio: float
    """Share of the same peak that attention reaches."""
    moe_half_tokens: float
    """Tokens an expert of one physical batch at which routed products reach half of that."""
    layer_s: float
    """Launching a layer for one physical batch."""
    pipeline_ratio: float
    """Share of the ideal gain of several cards over one that is reached."""


class Compute(Frozen):
    """Share of the peak dense rate that matrix products reach."""

    fit: Fit
    bf16_ratio: float
    fp8_ratio: float
    fp4_ratio: float
    architecture_ratios: dict[str, float]
    """Further factor of serving engines by architecture."""
    fp4_gddr_ratio: float
    """The same on cards without stacked memory, whose tensor cores are fewer for each multiprocessor to feed."""
    copies_ratio: float
    """Time of prompts where every card keeps whole attention layers: prompts come unevenly to the cards."""
    moe_ratio: float
    """Factor on the above for routed experts."""
    moe_half_tokens: float
    """Tokens an expert at which grouped products reach half of that."""
    widened_moe_ratio: float
    """Factor where experts of fewer bits are widened to 16 before they are multiplied."""
    moe_half_width: float
    """Columns of an expert on a card at which they reach half of that."""
    attention_ratio: float
    """Share of the 16-bit peak that causal attention over a prompt reaches."""
    prefill_ratio: float
    """Products over a whole prompt against those of a decode step."""
    reader_ratio: float
    """Texts of uneven length through small encoders against long prompts through language models."""
    prefill_engine_ratios: dict[str, float]
    """Further factor for engines that differ."""
    prefill_architecture_ratios: dict[str, float]
    """The same by the card's architecture, in engines that serve."""
    llama_cpp: LlamaCpp
    served_batch_tokens: int
    """Tokens of prompts that a serving engine reads at once."""
    prefill_chunk_tokens: int
    """Tokens of a prompt that pipeline stages hand on at once."""


class Queue(Frozen):
    """Waiting for the first token in a closed loop."""

    fit: Fit
    alone_ratio: float
    sequence_ratio: float
    """More waiting, in prompts, for each further sequence."""
    layer_s: float
    """A layer, once there are others: decode steps in between."""


class Link(Frozen):
    """All-reduce over one kind of link: latency + 2(n-1)/n · bytes / bus bandwidth."""

    source: str
    latency_s: float
    card_latency_s: float = 0.0
    """More latency for every card beyond two."""
    bus_ratio: float | None = None
    """Bus bandwidth as a share of the card's stated link bandwidth …"""
    bus_bytes_per_s: float = 0.0
    """… or by itself."""
    crowded_ratio: float = 1.0
    """Factor on it for more than two cards that share a desktop's lanes and host memory …"""
    crowded_cards: int = 0
    """… which are at most so many: more stand on a server's board."""
    small_bytes: float = 0.0
    """Messages up to this size go another way …"""
    small_bus_bytes_per_s: float = 1.0
    """… at this bandwidth."""


class Capacity(Frozen):
    """Room for sequences."""

    usable_ratio: float
    """Share of the card's usable memory that engines hand out."""
    engine_bytes: int
    """Held by the engine on each card beside weights and cache."""
    tolerance: float
    """A load this many times the computed room is still served: engines page and admit late."""
    source: str


class Width(Frozen):
    """90 % interval of one class of estimate, as ratios of upper end to value and of value to lower end."""

    up_ratio: float
    down_ratio: float


class Pair(Frozen):
    """Within what ratio nine of ten pairs of measurements agree, each over its estimate."""

    same_ratio: float
    """Of one model on one kind of card, in other layouts, formats or loads."""
    other_ratio: float
    """Of any two."""


class Intervals(Frozen):
    """Widths by class, from residuals with whole models and cards left out."""

    source: str
    saturated_from: int
    """Sequences a copy from which the residuals of saturated throughput apply."""
    classes: dict[str, Width]
    pairs: dict[str, Pair]
    """By work (writing, reading, training): how far the ratio of two estimates may be off."""
    guess_ratio: float
    """Factor on the width's exponent when the shape was guessed."""
    measured_ratio: float
    """The same when near measurements moved the estimate."""
    thin_rows: int
    """Measurements of an architecture in an engine below which its cards count as thinly measured."""
    thin_ratio: float
    """The same for those."""
    unmeasured_ratio: float
    """The same for architectures that nothing was measured of."""


class Neighbours(Frozen):
    """How near measurements correct the formula."""

    nugget: float
    """Noise of one measurement against the variance that near cases share."""
    scale: float
    """Distance at which the shared part falls by e."""
    near: float
    """Weight of the evidence from which an estimate is called interpolated."""


class Trainer(Frozen):
    """What one kind of training program spends beside its matrix products."""

    element_bytes: float
    """Memory traffic of norms, activations and residuals, for each hidden element a layer and token."""
    layer_s: float
    """Launching one layer, forwards and backwards, a micro-batch."""
    moe_layer_s: float
    """The same for a layer with routed experts."""
    feed_s: float = 0.0
    """Reading a token's data and counting its loss on the host, for which the card waits."""
    sharded_launch_ratio: float = 1.0
    """Factor on both where hooks of the program gather and free every module's weights."""
    tensor_exposed_ratio: float
    """Share of the all-reduces of tensor parallelism that does not hide behind products."""
    recomputes: bool
    """Whether activations are recomputed when the request does not say."""


class Training(Frozen):
    """Training."""

    fit: Fit
    narrow: int
    """Hidden elements below which no measured model is."""
    product_ratios: dict[str, dict[str, float]]
    """Precision class (16 or 8) → architecture → share of the dense peak that matrix products reach."""
    most_ratios: dict[str, float]
    """Family and market, or family and build, or build (module, board) → most of the dense peak that the FLOPs executed
    reach, recomputed ones included."""
    attention_ratios: dict[str, float]
    """Architecture (or trainer) → share of the 16-bit peak that attention reaches."""
    trainers: dict[str, Trainer]
    moe_ratios: dict[str, float]
    """Precision class → factor on the products of routed experts: grouped ones fill the faster units less."""
    moe_half_tokens: float
    """Tokens an expert gets of a micro-batch at which its products reach half of that."""
    launch_overlap_power: float
    """Launching runs ahead of the card: t = (t_gpu^p + t_launch^p)^(1/p)."""
    element_ratios: dict[str, float]
    """Family and market, or architecture → factor on the traffic of element-wise kernels, which large caches spare."""
    recompute_element_ratio: float
    """More element-wise traffic when everything is recomputed."""
    logit_bytes: float
    """Memory traffic of loss and logits, for each word of the vocabulary and token."""
    dispatch_bytes: float
    """Memory traffic of permuting tokens to experts and back, for each hidden element, expert and layer."""
    dispatch_link_bytes: float
    """Bytes sent between cards of a node for the same."""
    dispatch_network_bytes: float
    """Bytes sent to other nodes for the same, for each node that holds an expert of the token."""
    shard_exposed_ratio: float
    """Share of gathering and scattering sharded weights that does not hide behind products."""
    gradient_exposed_ratio: float
    """Share of adding up gradients once a step that does not hide behind the last products."""
    linear_bytes: float
    """More memory traffic of a linear-attention or state-space layer, for each hidden element and token."""
    bubble_ratio: float
    """Idle time of a pipeline of p stages: (p - 1) / 8 of this."""
    scale_ratio: float
    """More time for every doubling beyond eight cards."""
    dequantise_bytes: dict[str, float]
    """Format → memory traffic of widening one quantised weight, each time it is used; others as NF4, by their bits."""
    nvlink_ratio: float
    """Bus bandwidth of a collective over the card's stated link bandwidth."""
    pcie_bytes_per_s: float
    """The same between cards on PCIe."""
    network_bytes_per_s: dict[str, float]
    """Architecture → network of each card beyond its node."""
    domains: dict[str, int]
    """Cards on one fast link where it is not eight, by the start of the card's id."""
    micro_batch_tokens: int
    """Tokens of a micro-batch when the request does not say."""
    accumulation: int
    """Micro-batches a step of the optimizer, where gradients are added up once a step."""
    goodput_best: float
    """Share of wall time that trains in a run of up to a thousand GPU-hours."""
    goodput_loss: float
    """Less of it for every factor of ten beyond."""
    goodput_least: float
    run_up_ratio: float
    """Upper end over value of the GPU-hours of a run of a million GPU-hours: restarts, several passes, slow starts."""
    month_s: float
    """Length of the run assumed when the number of cards is open."""


class Macs(Frozen):
    """Training of adapters on Apple silicon, by MLX."""

    reached_ratio: float
    """FLOPs executed over the rate of the cores."""
    low_ratio: float
    high_ratio: float
    sources: tuple[str, ...]
    measured: str
    """What public measurements it rests on, in words."""


class Prompts(Frozen):
    """What requests bring to a service with long contexts."""

    tokens: int
    """New prompt tokens of one request, on average."""
    source: str


class Gain(Frozen):
    """How many times as fast drafted tokens make one user, with its usual ends."""

    value: float
    low: float
    high: float


class Speculative(Frozen):
    """Drafted tokens: by heads of the model itself (MTP, EAGLE) or by a small model beside it."""

    dense: Gain
    mixture: Gain
    """Every drafted token visits experts of its own."""
    many: int
    """Sequences at once from which checking drafts costs what it saves."""


class SpeedConstants(Frozen):
    """Everything in `facts/speed.yaml`."""

    prompts: Prompts
    speculative: Speculative
    decode: Decode
    compute: Compute
    queue: Queue
    links: dict[str, Link]
    host: Host
    capacity: Capacity
    intervals: Intervals
    neighbours: Neighbours
    training_neighbours: Neighbours
    training: Training
    macs: Macs
    unstated_flops: dict[str, float]
    """16-bit rate of cards whose makers state none, by the start of the card's id: FP32 rate of their cores."""
    flops_per_byte: dict[str, float]
    """16-bit FLOPs for each byte of bandwidth, by market of the card: for cards that no source states a rate of."""
    peak_ratio: float
    """No estimate may use more than this share of a physical peak."""


@lru_cache(maxsize=1)
def constants() -> SpeedConstants:
    """The constants, loaded on first use."""
    return SpeedConstants.model_validate(load_yaml(_FACTS / "speed.yaml"))


@lru_cache(maxsize=1)
def speed_sources() -> dict[str, Source]:
    """Sources of the formulas, constants and measurements, by id."""
    return {key: Source(id=key, **row) for key, row in load_yaml(_FACTS / "speed_sources.yaml").items()}
