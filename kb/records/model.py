"""A model one can run or train, with the shape its memory follows from."""

from typing import Literal

from pydantic import Field

from kb.base import Frozen

ModelKind = Literal["llm", "vlm", "embedding", "reranker", "encoder", "speech", "vision", "diffusion", "video"]
Attention = Literal["mha", "gqa", "mqa", "mla", "none"]


class LatentAttention(Frozen):
    """Multi-head latent attention (DeepSeek): one compressed vector a token."""

    kv_lora_rank: int
    qk_rope_dim: int
    qk_nope_dim: int
    v_head_dim: int
    q_lora_rank: int | None = None


class Experts(Frozen):
    """Mixture of experts."""

    experts: int
    """Routed experts a layer."""
    experts_per_token: int
    """Routed experts that each token visits."""
    shared_experts: int = 0
    """Experts every token visits."""
    expert_intermediate_size: int
    """Feed-forward width of one routed expert."""
    shared_intermediate_size: int | None = None
    """Feed-forward width of the shared part, when it differs from shared_experts · expert width."""
    dense_layers: int = 0
    """Layers with an ordinary feed-forward instead."""
    expert_hidden_size: int | None = None
    """Width the routed experts work in, when tokens are projected to a narrower one first."""


class SlidingWindow(Frozen):
    """Local attention on some layers."""

    window_tokens: int
    """Tokens a local layer looks back."""
    local_layers: int
    """How many layers are local; the others see everything."""


class LinearState(Frozen):
    """Linear-attention or state-space layers with a constant state a sequence."""

    linear_layers: int
    """Layers of this kind; the others cache keys and values."""
    state_bytes_per_layer: int
    """Convolution and recurrent state of one such layer for one sequence."""
    params_per_layer: int | None = None
    """Weights of one such mixer, without its feed-forward and norms."""


class Component(Frozen):
    """A part of a pipeline that is loaded on its own: text encoder, VAE, transformer …"""

    name: str
    params: int


class Model(Frozen):
    """One published model; null = not stated / not applicable."""

    id: str
    """Hugging Face id, which is the catalog id, e.g. `Qwen/Qwen2.5-72B-Instruct`."""
    name: str
    """Name as people write it, e.g. `Qwen2.5-72B-Instruct`."""
    family: str
    """Family, e.g. `Qwen2.5`."""
    kind: ModelKind
    """What sort of model it is; decides which memory formula applies."""
    params: int = Field(gt=0)
    """All parameters, vision towers and every expert included."""
    active_params: int | None = None
    """Parameters a token visits (mixture of experts); null = all."""
    layers: int | None = None
    hidden_size: int | None = None
    heads: int | None = None
    kv_heads: int | None = None
    head_dim: int | None = None
    intermediate_size: int | None = None
    """Feed-forward width of a dense layer."""
    gated_mlp: bool = True
    """Whether the feed-forward has a gate (SwiGLU, GeGLU): three matrices instead of two."""
    vocab_size: int | None = None
    max_context_tokens: int | None = None
    tied_embeddings: bool = False
    """Whether the output head shares the embedding's weights."""
    attention: Attention = "gqa"
    latent: LatentAttention | None = None
    sparse_attention: Literal["dsa"] | None = None
    """Attention to a choice of cached tokens, by kernels of its own: `dsa` = DeepSeek's, which GLM-5 took over."""
    experts: Experts | None = None
    sliding: SlidingWindow | None = None
    linear: LinearState | None = None
    encoder_layers: int | None = None
    """Encoder layers of an encoder–decoder (Whisper, T5); `layers` are then the decoder's."""
    qkv_bias: bool = False
    """Whether the query, key and value projections have a bias."""
    linear_bias: bool = False
    """Whether every linear layer and every norm has a bias (GPT-2, BERT, OPT)."""
    qk_norm: bool = False
    """Whether queries and keys are normalised a head."""
    attention_gate: bool = False
    """Whether the query projection also yields an output gate (twice the query's weights)."""
    norms_per_layer: int = 2
    """Norms over the hidden width a layer."""
    position_embeddings: int = 0
    """Learned positions."""
    global_head_dim: int | None = None
    """Head width of the layers that see everything, where it differs from the local layers'."""
    global_kv_heads: int | None = None
    """Key-value heads of the layers that see everything, where they differ from the local layers'."""
    global_keys_are_values: bool = False
    """Whether the layers that see everything use one projection for keys and values."""
    kv_compression: float = 1.0
    """Cached entries a token and layer, averaged over the layers (DeepSeek-V4 keeps one for every 4 or 128 tokens)."""
    vision_params: int = 0
    """Vision or audio tower with its projector; quantised checkpoints mostly leave it in 16 bits."""
    other_params: int = 0
    """Parameters that are neither embedding, layer, norm, head nor tower: pooler, indexer, convolution."""
    components: tuple[Component, ...] = ()
    """Parts of a pipeline (diffusion, video); their parameters sum to `params`."""
    native_format: str
    """Format the weights are published in: bf16, fp16, fp32, fp8, mxfp4, int4 …"""
    checkpoint_bytes: dict[str, int] = Field(default_factory=dict)
    """Published checkpoint sizes by format, when a source states them."""
    chat_id: str | None = None
    """Hugging Face id of the chat version of the same shape, when the row is the base model."""
    licence: str | None = None
    released: str | None = None
    """Release as year or year-month."""
    aliases: tuple[str, ...] = ()
    """Other names people write, both languages."""
    notes: str = ""
    sources: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Source id → the fields it vouches for."""
