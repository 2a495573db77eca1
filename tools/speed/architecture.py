"""What a token makes a GPU read and compute: the counts of a model that its speed follows from."""

from dataclasses import dataclass, replace
from functools import lru_cache

from kb.base import BadInput
from kb.catalog import model as catalog_model
from kb.records.model import Model
from tools.memory.request import MemoryRequest
from tools.memory.shape import TYPICAL_ASPECT, shape_of
from tools.model_fields import ModelFields

MOE_ROUTED_SHARE = 0.97
"""Routed share of a mixture of experts of which only the totals are known (median of the catalog)."""


@dataclass(frozen=True, slots=True)
class Architecture:
    """One model, without its input embedding table and towers: neither is multiplied with while answering."""

    id: str | None
    name: str
    kind: str
    """`llm` for whatever generates tokens; else the catalog's kind."""
    params: int
    """All parameters, as published."""
    dense_params: float
    """Weights every token visits: mixers, dense feed-forwards, shared experts, norms."""
    head_params: float
    """Output head (the embedding table itself, when tied)."""
    routed_params: float
    """Routed experts of all layers."""
    experts: int
    experts_per_token: int
    shared_experts: int
    moe_layers: int
    """Layers with routed experts."""
    expert_width: float
    """Columns of one routed expert."""
    expert_hidden: int
    """Width that tokens are sent to routed experts in: the model's own, or a narrower one they work in."""
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    full_width: float
    """Cached elements a token over all layers that see everything."""
    local_width: float
    """Cached elements a token over all sliding-window layers."""
    window: int
    attention_layers: int
    local_layers: int
    linear_layers: int
    state_bytes: float
    """Constant state a sequence, over all linear layers."""
    latent: bool
    tied: bool
    vocab: int
    native_format: str
    max_context: int | None
    released: str | None
    """Year or month the model came out; null for one given by its shape."""
    compressed: bool
    """Whether layers keep one entry of the cache for several tokens (DeepSeek-V4)."""
    guesses: tuple[str, ...]
    guessed: bool
    """Whether the whole shape was guessed from a parameter count."""

    @property
    def active_params(self) -> float:
        """Weights one token is multiplied with."""
        share = self.experts_per_token / self.experts if self.experts else 0.0
        return self.dense_params + self.head_params + self.routed_params * share

    @property
    def moe(self) -> bool:
        """Whether there are routed experts."""
        return self.experts > 1 and self.routed_params > 0

    def coverage(self, tokens: float) -> float:
        """Share of the routed experts that `tokens` tokens visit together: 1 - (1 - k/E)^tokens.

        Uniform routing; real routers are a little less even, so it is an upper bound.
        """
        if not self.moe:
            return 0.0
        return float(1.0 - (1.0 - self.experts_per_token / self.experts) ** max(tokens, 1.0))


def architecture_of(fields: ModelFields) -> Architecture:
    """The architecture the request speaks of.

    Raises:
        UnknownName: the catalog has no such model.
        BadInput: neither `model` nor `params` is given, or the model is no transformer.
    """
    if fields.model is not None and fields.params is None:
        return _of_name(fields.model)
    if fields.params is None:
        raise BadInput("model", "neither a model nor its parameter count is given.", "Give `model`, or `params`.")
    return _of_counts(fields)


@lru_cache(maxsize=1024)
def _of_name(name: str) -> Architecture:
    return _of_model(catalog_model(name))


def _of_model(model: Model) -> Architecture:
    layers, hidden = model.layers or 0, model.hidden_size or 0
    if model.kind in ("llm", "vlm") and not hidden and not model.components:
        return _of_unread(model)
    if not layers or not hidden or model.kind in ("diffusion", "video"):
        raise BadInput("model", f"{model.name} does not generate tokens.", "Name a language model.")
    heads = model.heads or 1
    head_dim = model.head_dim or max(hidden // heads, 1)
    linear = model.linear.linear_layers if model.linear else 0
    attending = max(layers - linear, 0)
    local = min(model.sliding.local_layers, attending) if model.sliding else 0
    narrow = 2 * (model.kv_heads or heads) * head_dim
    wide = 2 * (model.global_kv_heads or model.kv_heads or heads) * (model.global_head_dim or head_dim)
    if model.latent:
        narrow = wide = model.latent.kv_lora_rank + model.latent.qk_rope_dim
    table = (model.vocab_size or 0) * hidden
    routed = _routed(model, layers, hidden)
    resident = model.params - model.vision_params - table * (1 if model.tied_embeddings else 2)
    return Architecture(
        id=model.id, name=model.name, kind="llm" if model.encoder_layers else model.kind, params=model.params,
        dense_params=max(resident - routed, 0.0), head_params=table, routed_params=routed,
        experts=model.experts.experts if model.experts else 0,
        experts_per_token=model.experts.experts_per_token if model.experts else 0,
        shared_experts=model.experts.shared_experts if model.experts else 0,
        moe_layers=layers - model.experts.dense_layers if model.experts else 0,
        expert_width=float(model.experts.expert_intermediate_size) if model.experts else 0.0,
        expert_hidden=(model.experts.expert_hidden_size if model.experts else None) or hidden,
        layers=layers, hidden=hidden, heads=heads, kv_heads=model.kv_heads or heads, head_dim=head_dim,
        full_width=float(wide * (attending - local)) * model.kv_compression,
        local_width=float(narrow * local) * model.kv_compression,
        window=model.sliding.window_tokens if model.sliding else 0, attention_layers=attending, local_layers=local,
        linear_layers=linear, state_bytes=float(linear * (model.linear.state_bytes_per_layer if model.linear else 0)),
        latent=model.latent is not None, tied=model.tied_embeddings, vocab=model.vocab_size or 0,
        native_format=model.native_format, max_context=model.max_context_tokens, released=model.released,
        compressed=model.kv_compression < 1, guesses=(), guessed=False,
    )  # fmt: skip


def _of_unread(model: Model) -> Architecture:
    """A language model known by its parameters alone: built like others of its size, and said so."""
    counted = _of_counts(ModelFields(params=model.params, active_params=model.active_params))
    said = f"The catalog knows {model.name} by its parameters, not by its shape."
    return replace(
        counted, id=model.id, name=model.name, native_format=model.native_format, released=model.released,
        max_context=model.max_context_tokens, guesses=(said, *counted.guesses), guessed=True,
    )  # fmt: skip


def _routed(model: Model, layers: int, hidden: int) -> float:
    """Routed experts: counted from their width; from totals and active parameters where the width is unknown.

    P_routed = (P - P_active) / (1 - k/E)
    """
    experts = model.experts
    if experts is None:
        return 0.0
    matrices = 3 if model.gated_mlp else 2
    counted = (layers - experts.dense_layers) * experts.experts * matrices * hidden * experts.expert_intermediate_size
    if 0 < counted <= model.params:
        return float(counted)
    active = model.active_params or model.params
    return (model.params - active) / max(1.0 - experts.experts_per_token / experts.experts, 0.01)


def _of_counts(fields: ModelFields) -> Architecture:
    shape = shape_of(MemoryRequest(**{name: getattr(fields, name) for name in ModelFields.model_fields}))
    experts = shape.experts.experts if shape.experts else 0
    chosen = shape.experts.experts_per_token if shape.experts else 0
    guesses = shape.guesses
    routed = float(shape.expert_params)
    if fields.active_params and fields.active_params < shape.params:
        share = chosen / experts if experts else 0.0
        routed = (shape.params - fields.active_params) / max(1.0 - share, 0.01)
        if not experts:
            routed = MOE_ROUTED_SHARE * shape.params
            experts, chosen = 128, max(round(128 * (fields.active_params - 0.03 * shape.params) / routed), 1)
            guesses = (*guesses, f"experts not stated: {chosen} of {experts} a token assumed.")
    table = float(shape.vocab * shape.hidden)
    resident = shape.params - table * (1 if shape.tied else 2)
    layers = shape.layers
    if fields.layers is None and not shape.experts and fields.active_params and fields.active_params < shape.params:
        # Experts lie side by side: as many layers as a dense decoder of this width has, not as hold every parameter.
        layers = min(layers, max(round(shape.hidden / TYPICAL_ASPECT), 1))
    return Architecture(
        id=None, name=shape.name, kind="llm", params=shape.params, dense_params=max(resident - routed, 0.0),
        head_params=table, routed_params=min(routed, resident), experts=experts, experts_per_token=chosen,
        shared_experts=shape.experts.shared_experts if shape.experts else 0,
        moe_layers=layers if experts else 0,
        expert_width=min(routed, resident) / (3 * shape.hidden * layers * experts) if experts else 0.0,
        expert_hidden=shape.hidden,
        layers=layers, hidden=shape.hidden, heads=shape.heads, kv_heads=shape.kv_heads, head_dim=shape.head_dim,
        full_width=float(2 * shape.kv_heads * shape.head_dim * layers), local_width=0.0, window=0,
        attention_layers=layers, local_layers=0, linear_layers=0, state_bytes=0.0, latent=False, tied=shape.tied,
        vocab=shape.vocab, native_format=shape.native_format, max_context=None, released=None, compressed=False,
        guesses=guesses, guessed=shape.guess_level == 2,
    )  # fmt: skip
