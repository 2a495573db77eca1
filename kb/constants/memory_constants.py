"""Constants of the memory calculator, typed and loaded once: formats, engine overheads, training terms, residuals."""

from functools import lru_cache
from pathlib import Path

from kb.base import Frozen
from kb.records.source import Source
from kb.snapshot import load_yaml

_FACTS = Path(__file__).parents[1] / "facts"


class GgufMix(Frozen):
    """Which block format a GGUF file type gives to which matrices."""

    bulk: str
    embed: str
    head: str
    promoted: str | None = None
    """Wider format of some matrices."""
    promoted_ratio: float = 0.0
    """Their share of the bulk."""
    experts: str | None = None
    """Format of routed experts, where it differs from the bulk."""


class ExpertOnly(Frozen):
    """A published format that covers the routed experts alone."""

    expert_bits: float
    body_bits: float


class Formats(Frozen):
    """Weight formats."""

    source: str
    bits: dict[str, float]
    """Bits a weight, scales included."""
    aliases: dict[str, str]
    gguf_bits: dict[str, float]
    gguf_mixes: dict[str, GgufMix]
    expert_only: dict[str, ExpertOnly]
    """Format → bits, for models published in it."""
    gguf_narrow_mixture_bits: float
    """Least bits of what every token reads, in a GGUF file of a mixture published with experts alone in four bits."""
    attention_wide: tuple[str, ...]
    """Formats whose recipes leave latent attention at 16 bits."""


class Kv(Frozen):
    """Formats and paging of the key-value cache."""

    source: str
    bytes: dict[str, float]
    page_tokens: dict[str, int]
    windows_ignored: tuple[str, ...]
    """Engines that cache every token in sliding layers."""
    windows_only_mixed: tuple[str, ...]
    """Engines that know windows only in models that mix local and global layers."""
    windows_mixed_since: dict[str, str]
    """Engine → first version that keeps a mixed model's local layers short."""


class VllmVersion(Frozen):
    """What changed in vLLM's memory from one version on."""

    since: str
    sampler_copies: float
    """fp32 copies of [sequences, vocabulary] alive while the sampler warms up."""
    sequences: int | None
    """Default of max_num_seqs when it does not depend on the card."""
    non_torch_bytes: int
    non_torch_parallel_bytes: int
    """The same on each of several tensor-parallel GPUs."""
    non_torch_board_bytes: int
    """The same where they talk over PCIe."""
    graphs_bytes: int
    includes_context: bool
    """Whether its own non-torch figure counts the driver context."""


class Vllm(Frozen):
    """vLLM."""

    source: str
    few_sequences: int
    """Up to so many sequences at once, graphs are captured for few sizes …"""
    few_graphs_bytes: int
    """… and hold at most this."""
    large_gpu_bytes: int
    large_max_num_sequences: int
    small_max_num_sequences: int
    batched_tokens: int
    base_bytes: int
    context_bytes: int
    versions: tuple[VllmVersion, ...]
    pipeline_non_torch_bytes: int
    fitted: str


class Sglang(Frozen):
    """SGLang."""

    source: str
    ratio_to_trt: float
    graphs_bytes: int
    context_bytes: int


class TensorrtLlm(Frozen):
    """TensorRT-LLM."""

    source: str
    batched_tokens: int
    activation_widths: dict[int, float]
    """Tensor-parallel GPUs → activation bytes a token, in units of 2 · hidden_size."""
    moe_activation_widths: dict[int, float]
    floor_bytes: int
    context_bytes: int
    nccl_bytes: int


class LlamaCpp(Frozen):
    """llama.cpp."""

    source: str
    ubatch_tokens: int
    offloaded_ubatch_tokens: int
    """Physical batch that is set where weights lie in host memory and the context is longer than it."""
    base_bytes: int
    context_bytes: int
    host_reserve_ratio: float
    """Share of host memory that weights kept there must leave to the system; a cautious choice, not a measurement."""
    fitted: str


class TransformersEngine(Frozen):
    """Transformers' own generate()."""

    source: str
    context_bytes: int
    prompt_tokens_at_most: int
    cache_copy_ratio: float
    cache_slack_ratio: float
    fitted: str


class Litgpt(Frozen):
    """LitGPT."""

    source: str
    context_bytes: int


class Training(Frozen):
    """Terms of a training step."""

    source: str
    context_bytes: int
    nccl_bytes: int
    logit_bytes: dict[str, float]
    deepspeed_bucket_elements: int
    zero3_bucket_elements: int
    deepspeed_buckets: int
    zero3_live_params: int
    zero3_sub_group_params: int
    zero3_slack_ratio: float
    fsdp_unsharded_layers: int
    slack_bytes: int
    fragmentation_ratio: float
    foreach_bytes: int
    optimizer_bytes: dict[str, float]
    fitted: str


class Checkpoints(Frozen):
    """Published checkpoints that no format describes."""

    source: str
    bytes: dict[str, dict[str, int]]
    """Model id → format → bytes."""
    with_draft_module: tuple[str, ...]
    """Models whose files are larger than what an engine loads."""


class Defaults(Frozen):
    """What is assumed when a question leaves a number open."""

    source: str
    context_tokens: int
    concurrent_sequences: int
    sequence_tokens: int
    micro_batch_size: int
    lora_rank: int
    data_parallel: int


class DefaultPixels(Frozen):
    """Picture and clip sizes assumed when none is stated."""

    image: int
    old_image: int
    """Stable Diffusion 1.x, trained at 512 pixels."""
    video_width: int
    video_height: int
    video_frames: int
    clip_by_family: dict[str, tuple[int, int, int]]
    """Width, height and frames a family was trained for, where they differ."""
    frame_rate: int
    """Frames a second of a clip whose seconds alone are said."""
    frame_rate_by_family: dict[str, int]
    section_frames_by_family: dict[str, int]
    """Frames of one pass, of families that make a clip section by section: its length takes time and no memory."""


class BytesByFamily(Frozen):
    """Bytes a pixel that families of picture models are known for."""

    source: str
    bytes_per_pixel: dict[str, float]


class Diffusion(Frozen):
    """Image and video pipelines."""

    source: str
    step_bytes_per_token: float
    in_place_step_ratio: float
    """Of that in ComfyUI, which works in place and in halves where the publishers' scripts keep copies."""
    streaming_step_ratio: float
    """Of that where weights are streamed block by block, in programs written to spare memory."""
    streaming_source: str
    unet_bytes_per_pixel: float
    unet_saved: BytesByFamily
    """What U-Nets save for the backward pass where nothing is recomputed."""
    vae_bytes_per_pixel: float
    wide_decoders: BytesByFamily
    vae_fp32_families: tuple[str, ...]
    """Families whose decoder runs at 32 bits and so takes twice the bytes."""
    guidance_batched_families: tuple[str, ...]
    """Families that denoise with and without the prompt in one batch of two."""
    script_families: tuple[str, ...]
    tiled_decode_ratio: float
    swapped_ratio: float
    """Of the denoiser's weights, what stays in host memory while adapters are trained with blocks swapped."""
    swapped_source: str
    filled_ratio: float
    """Of a card, what such a training may fill by the estimate."""
    video_vae_bytes_per_pixel: float
    video_vae_frames: int
    video_vae_frames_by_family: dict[str, int]
    base_bytes: int
    context_bytes: int
    default_hidden: int
    text_tokens: int
    latent_scale: int
    patch: int
    frame_scale: int
    fitted: str
    default_px: DefaultPixels


class Encoder(Frozen):
    """Encoders, embedding models and rerankers."""

    source: str
    context_bytes: int


class Speech(Frozen):
    """Speech recognition."""

    source: str
    context_bytes: int
    base_bytes: int
    sequence_bytes: int
    reference_width: int
    training_ratio: float
    """Kept of a window to learn from it, against running it."""
    logit_bytes: int
    """Of a sample's words while the loss is computed."""
    training_sample_bytes: dict[str, int]
    """Families that are no transformers over windows: kept of a sample."""
    training_batch: dict[str, int]
    """Samples a GPU takes in a family's own recipe."""


class Width(Frozen):
    """Half-width of the 90 % interval, as shares of what is known exactly and of what is not."""

    known_ratio: float
    uncertain_ratio: float


class Intervals(Frozen):
    """Widths by class of workload."""

    source: str
    serving: Width
    training: Width
    adapters: Width
    diffusion: Width
    encoder: Width
    vision: Width
    speech: Width
    guess_ratios: tuple[float, float, float]
    """Share of the total added when details, or the whole shape, are guessed."""


class Reinforcement(Frozen):
    """Policies that learn from their own answers."""

    source: str
    copy_most_bytes: int
    """A GPU's share of the generating engine's copy of the weights, from which it is split further."""
    utilisation_ratio: float
    """Share of a card that an engine beside the trainer reserves, where it needs no more."""
    utilisation_step: float
    engine_bytes: int
    generations: int


class MemoryConstants(Frozen):
    """Everything in `facts/memory.yaml`."""

    formats: Formats
    kv: Kv
    vllm: Vllm
    sglang: Sglang
    tensorrt_llm: TensorrtLlm
    llama_cpp: LlamaCpp
    transformers: TransformersEngine
    litgpt: Litgpt
    training: Training
    diffusion: Diffusion
    encoder: Encoder
    reinforcement: Reinforcement
    speech: Speech
    intervals: Intervals
    checkpoints: Checkpoints
    defaults: Defaults


@lru_cache(maxsize=1)
def constants() -> MemoryConstants:
    """The constants, loaded on first use."""
    return MemoryConstants.model_validate(load_yaml(_FACTS / "memory.yaml"))


@lru_cache(maxsize=1)
def memory_sources() -> dict[str, Source]:
    """Sources of the formulas and constants, by id."""
    return {key: Source(id=key, **row) for key, row in load_yaml(_FACTS / "memory_sources.yaml").items()}
