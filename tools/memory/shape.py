"""The shape of a model: every count a memory formula asks for, from the catalog or from what the request states."""

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

from kb.base import BadInput, UnknownName
from kb.catalog import model as catalog_model
from kb.records.model import (
    Attention,
    Component,
    Experts,
    LatentAttention,
    LinearState,
    Model,
    ModelKind,
    SlidingWindow,
)
from tools.memory.request import MemoryRequest
from tools.model_fields import ModelFields

HEAD_DIM = 128
"""Head width of nearly every decoder since Llama; assumed when none is stated."""
TYPICAL_ASPECT = 112
"""hidden_size / layers of dense decoders (Llama-3-8B 128, Qwen2.5-14B 107, Llama-3-70B 102)."""
TYPICAL_VOCABULARY = 151_936
"""Qwen's; Gemma's is larger, Llama 3's a little and Llama 2's much smaller."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Counts of one model. `*_params` add up to `params`."""

    id: str | None
    name: str
    family: str
    kind: ModelKind
    params: int
    active_params: int
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    intermediate: int
    gated: bool
    qk_norm: bool
    """Whether queries and keys are normalised head by head."""
    norms: int
    """Norms a layer."""
    vocab: int
    tied: bool
    attention: Attention
    latent: LatentAttention | None
    experts: Experts | None
    sliding: SlidingWindow | None
    linear: LinearState | None
    encoder_layers: int
    native_format: str
    checkpoint_bytes: tuple[tuple[str, int], ...]
    components: tuple[Component, ...]
    max_context: int | None
    global_kv_heads: int
    """Key-value heads of layers that see everything, where they differ from the local ones."""
    global_head_dim: int
    kv_compression: float
    """Cached entries a token and layer, averaged over the layers; 1 except where the architecture compresses."""
    embed_params: int
    """Input embedding."""
    head_params: int
    """Output head of its own; 0 when tied."""
    expert_params: int
    """Routed experts of all layers."""
    body_params: int
    """The other matrices of all layers: attention, dense feed-forward, shared experts."""
    plain_params: int
    """What quantisation leaves at 16 bits: norms, routers, vision towers."""
    guesses: tuple[str, ...]
    """What was guessed, as sentences."""
    guess_level: int
    """0: a catalog shape; 1: details inferred; 2: the whole shape guessed from the parameter count."""
    tower_params: int = 0
    """Of `plain_params`: the vision or audio tower and experts for images."""

    def __hash__(self) -> int:
        """By what tells models apart: a workload is looked up hundreds of times a turn, and there are forty fields."""
        return hash((self.id, self.name, self.params, self.layers, self.hidden))

    @property
    def attention_layers(self) -> int:
        """Layers that cache keys and values."""
        return self.layers - (self.linear.linear_layers if self.linear else 0)

    @property
    def layer_params(self) -> int:
        """Parameters of one average layer."""
        return (self.expert_params + self.body_params) // max(self.layers, 1)


def shape_of(request: MemoryRequest) -> Shape:
    """The shape the request speaks of.

    Raises:
        UnknownName: the catalog has no such model and the request gives no `params`.
        BadInput: neither `model` nor `params` is given.
    """
    if request.model is not None:
        try:
            if request.model.endswith(".json"):  # somebody's own config.json, which may change from call to call
                return shape_from_model(catalog_model(request.model))
            return _shape_of_name(request.model)
        except UnknownName:
            if request.params is None:
                raise
    if request.params is None:
        raise BadInput("model", "neither a model nor its parameter count is given.", "Give `model`, or `params`.")
    _refuse_contradictions(request)
    if is_size_of_mixture(request):
        return mixture_of_size(request.params, request.active_params or request.params, request.model)
    return _shape_of_counts(
        request.params, request.active_params, request.layers, request.hidden_size, request.heads, request.kv_heads,
        request.head_dim, request.intermediate_size, request.vocab_size, request.experts, request.experts_per_token,
        request.model,
    )  # fmt: skip


def _refuse_contradictions(request: ModelFields) -> None:
    """Refuse counts that no one model has together, naming the field."""
    params, layers, hidden = request.params or 0, request.layers or 0, request.hidden_size or 0
    if request.active_params and request.active_params > params:
        raise BadInput("active_params", f"{request.active_params:,} are more than all {params:,} parameters.")
    if request.kv_heads and request.heads and request.kv_heads > request.heads:
        raise BadInput("kv_heads", f"{request.kv_heads} are more than the {request.heads} attention heads.")
    if request.experts and (request.experts_per_token or 0) > request.experts:
        raise BadInput("experts_per_token", f"{request.experts_per_token} are more than the {request.experts} experts.")
    if layers * hidden * hidden > params:
        raise BadInput("params", f"{params:,} are too few for {layers} layers of width {hidden:,}.")


@lru_cache(maxsize=1024)
def _shape_of_name(name: str) -> Shape:
    return shape_from_model(catalog_model(name))


RECURRENT = ("mamba", "rwkv")
"""Words in the id of models without attention; others whose attention is not known are taken to have it."""


def _shape_of_unread(model: Model) -> Shape:
    """A language model of which the catalog knows little more than its parameters: the rest guessed, and said.

    A mixture is built around what a token visits; the other parameters are its experts.
    """
    active = model.active_params or model.params
    sized = ModelFields(params=model.params, active_params=active, layers=model.layers, hidden_size=model.hidden_size)
    guess = mixture_of_size(model.params, active, model.name) if is_size_of_mixture(sized) else _shape_of_counts(
        active, None, model.layers, model.hidden_size, model.heads, model.kv_heads, model.head_dim,
        model.intermediate_size, model.vocab_size, None, None, model.name,
    )  # fmt: skip
    recurrent = model.linear is None and any(word in model.id.lower() for word in RECURRENT)
    said = f"The catalog knows {model.name} by its parameters, not by its shape."
    return replace(
        guess, id=model.id, family=model.family, kind=model.kind, params=model.params, active_params=active,
        expert_params=guess.expert_params or model.params - active, native_format=model.native_format,
        checkpoint_bytes=tuple(model.checkpoint_bytes.items()), max_context=model.max_context_tokens,
        attention="none" if recurrent else guess.attention, guesses=(said, *guess.guesses), guess_level=2,
    )  # fmt: skip


def shape_from_model(model: Model) -> Shape:
    """The shape of a catalog row."""
    if model.kind in ("llm", "vlm") and model.hidden_size is None and not model.components:
        return _shape_of_unread(model)
    layers, hidden = model.layers or 0, model.hidden_size or 0
    heads = model.heads or 0
    head_dim = model.head_dim or (hidden // heads if heads else 0)
    kv_heads = model.kv_heads or heads
    experts = model.experts
    intermediate = model.intermediate_size or (experts.expert_intermediate_size if experts else 4 * hidden)
    vocab = model.vocab_size or 0
    embed = vocab * hidden
    head = 0 if model.tied_embeddings or model.kind in ("encoder", "embedding", "reranker", "speech") else embed
    routed, routers = _expert_params(experts, hidden, layers, model.gated_mlp)
    routed = min(routed, max(model.params - embed - head, 0))
    body = max(model.params - embed - head - routed - routers - model.vision_params, 0)
    plain = max(model.params - embed - head - routed - body, 0)
    return Shape(
        id=model.id, name=model.name, family=model.family, kind=model.kind, params=model.params,
        active_params=model.active_params or model.params, layers=max(layers, 1), hidden=hidden, heads=max(heads, 1),
        kv_heads=max(kv_heads, 1), head_dim=head_dim, intermediate=intermediate, gated=model.gated_mlp,
        qk_norm=model.qk_norm, norms=model.norms_per_layer, vocab=vocab,
        tied=model.tied_embeddings, attention=model.attention, latent=model.latent, experts=experts,
        sliding=model.sliding, linear=model.linear, encoder_layers=model.encoder_layers or 0,
        native_format=model.native_format, checkpoint_bytes=tuple(model.checkpoint_bytes.items()),
        components=model.components, max_context=model.max_context_tokens,
        global_kv_heads=model.global_kv_heads or max(kv_heads, 1), global_head_dim=model.global_head_dim or head_dim,
        kv_compression=model.kv_compression, embed_params=min(embed, model.params),
        head_params=head, expert_params=routed, body_params=body, plain_params=plain, guesses=(), guess_level=0,
        tower_params=min(model.vision_params, plain),
    )  # fmt: skip


@lru_cache(maxsize=1024)
def _shape_of_counts(
    params: int, active_params: int | None, layers: int | None, hidden: int | None, heads: int | None,
    kv_heads: int | None, head_dim: int | None, intermediate: int | None, vocab: int | None, experts: int | None,
    experts_per_token: int | None, name: str | None,
) -> Shape:  # fmt: skip
    """A shape from what is stated, the rest guessed as dense decoders are usually built; every guess is said."""
    guesses: list[str] = []
    level = 0 if layers and hidden else 2
    active = min(active_params or params, params)
    if hidden is None:
        hidden = _guess_hidden(active, layers)
        guesses.append(f"hidden_size not stated: {hidden:,} assumed, as decoders of this size have.")
    if head_dim is None:
        head_dim = hidden // heads if heads and heads <= hidden else min(HEAD_DIM, hidden)
    if heads is None:
        heads = max(hidden // head_dim, 1)
        guesses.append(f"heads not stated: {heads} of {head_dim} assumed.")
    if kv_heads is None:
        kv_heads = heads if heads < 8 else 8
        guesses.append(f"kv_heads not stated: {kv_heads} assumed (grouped-query attention).")
    if vocab is None:
        vocab = min(TYPICAL_VOCABULARY, max(params // (8 * hidden), 1))
        guesses.append(f"vocab_size not stated: {vocab:,} assumed.")
        level = max(level, 1)
    attention_params = _attention_params(hidden, heads, kv_heads, head_dim, None)
    if intermediate is None:
        intermediate = _guess_intermediate(params, layers, hidden, vocab, attention_params, bool(experts))
        guesses.append(f"intermediate_size not stated: {intermediate:,} assumed.")
    record = _experts(experts, experts_per_token, intermediate) if experts else None
    if layers is None:
        per_layer = attention_params + _feed_forward_params(record, hidden, 1, intermediate, True)
        per_layer += _expert_params(record, hidden, 1)[0]
        layers = max(round((params - 2 * vocab * hidden) / per_layer), 1)
        guesses.append(f"layers not stated: {layers} assumed, so that the parameters add up.")
    gated, tied = _guess_build(params, layers, hidden, intermediate, vocab, attention_params, record)
    embed = min(vocab * hidden, params // 2)
    head = 0 if tied else embed
    routed, routers = _expert_params(record, hidden, layers)
    counted = layers * attention_params + _feed_forward_params(record, hidden, layers, intermediate, gated)
    body, plain = _split(params, embed, head, min(routed, params - embed - head), counted, routers, tower=True)
    return Shape(
        id=None, name=name or f"{params / 1e9:.3g}B model", family="", kind="llm", params=params, active_params=active,
        layers=layers, hidden=hidden, heads=heads, kv_heads=min(kv_heads, heads), head_dim=head_dim,
        intermediate=intermediate, gated=gated, qk_norm=False, norms=2, vocab=vocab, tied=tied,
        attention="mha" if kv_heads >= heads else "gqa", latent=None, experts=record, sliding=None, linear=None,
        encoder_layers=0, native_format="bf16", checkpoint_bytes=(), components=(), max_context=None,
        global_kv_heads=min(kv_heads, heads), global_head_dim=head_dim, kv_compression=1.0,
        embed_params=embed, head_params=head, expert_params=min(routed, params - embed - head), body_params=body,
        plain_params=plain, guesses=tuple(guesses), guess_level=level,
    )  # fmt: skip


def is_size_of_mixture(fields: ModelFields) -> bool:
    """Whether all that is known is how large a mixture of experts is, in all and a token: "35b-a3b"."""
    sizes = bool(fields.params and fields.active_params and fields.active_params < fields.params)
    return sizes and not any((fields.layers, fields.hidden_size, fields.experts, fields.intermediate_size))


@lru_cache(maxsize=256)
def mixture_of_size(params: int, active: int, name: str | None) -> Shape:
    """A mixture of experts of which only the size is known, built as such mixtures are; the guesses are said.

        layers = e^2.72 · P^0.163 · A^0.122,  hidden = e^7.27 · P^0.028 · A^0.350     (P, A in billions)

    Whatever is neither attention nor table is routed experts, of which each token visits as many as make up what is
    active. Fitted to the 73 mixtures of the catalog: median error 13 and 12 %.
    """
    whole, visited = params / 1e9, active / 1e9
    layers = max(round(math.exp(2.717) * whole**0.163 * visited**0.122), 1)
    hidden = max(round(math.exp(7.269) * whole**0.028 * visited**0.350 / HEAD_DIM), 1) * HEAD_DIM
    heads, kv_heads = max(hidden // HEAD_DIM, 1), min(8, max(hidden // HEAD_DIM, 1))
    vocab = min(TYPICAL_VOCABULARY, max(params // (8 * hidden), 1))
    fixed = 2 * vocab * hidden + layers * _attention_params(hidden, heads, kv_heads, HEAD_DIM, None)
    routed = max(params - fixed, params // 2)
    share = min(max((active - fixed) / routed, 1 / 64), 0.5)
    chosen = 8 if share < 0.25 else 2
    experts = max(round(chosen / share), chosen)
    width = max(round(routed / (3 * layers * experts * hidden)), 1)
    found = _shape_of_counts(
        params, active, layers, hidden, heads, kv_heads, HEAD_DIM, width, vocab, experts, chosen, name
    )
    said = (
        f"Only its size is known: {layers} layers of {hidden:,}, {chosen} of {experts} experts a token and a cache of "
        f"{kv_heads} heads are assumed, as mixtures of this size have."
    )
    return replace(found, guesses=(said,), guess_level=2)


def _attention_params(hidden: int, heads: int, kv_heads: int, head_dim: int, latent: LatentAttention | None) -> int:
    """Query, key, value and output matrices of one layer.

    Grouped: 2 · h · (a·d + k·d). Latent (arXiv:2405.04434): down- and up-projections of queries and of the
    compressed keys and values.
    """
    if latent is None:
        return 2 * hidden * head_dim * (heads + kv_heads)
    query_dim = latent.qk_nope_dim + latent.qk_rope_dim
    rank = latent.q_lora_rank
    queries = hidden * rank + rank * heads * query_dim if rank else hidden * heads * query_dim
    compressed = hidden * (latent.kv_lora_rank + latent.qk_rope_dim)
    expanded = latent.kv_lora_rank * heads * (latent.qk_nope_dim + latent.v_head_dim)
    return queries + compressed + expanded + heads * latent.v_head_dim * hidden


def _feed_forward_params(experts: Experts | None, hidden: int, layers: int, intermediate: int, gated: bool) -> int:
    """Dense feed-forwards and shared experts of all layers; routed experts are counted apart."""
    matrices = 3 if gated else 2
    if experts is None:
        return layers * matrices * hidden * intermediate
    dense = min(experts.dense_layers, layers)
    shared = experts.shared_intermediate_size or experts.shared_experts * experts.expert_intermediate_size
    return matrices * hidden * (dense * intermediate + (layers - dense) * shared)


def _expert_params(experts: Experts | None, hidden: int, layers: int, gated: bool = True) -> tuple[int, int]:
    """Routed experts and routers of all layers."""
    if experts is None:
        return 0, 0
    sparse = layers - min(experts.dense_layers, layers)
    return (
        sparse * experts.experts * (3 if gated else 2) * hidden * experts.expert_intermediate_size,
        sparse * experts.experts * hidden,
    )


def _split(
    params: int, embed: int, head: int, routed: int, counted: int, routers: int, *, tower: bool
) -> tuple[int, int]:
    """(body, plain): what is left after embeddings and experts, and how much of it stays at 16 bits.

    What the formulas do not count is a vision tower (16 bits) when there can be one, else more of the same matrices.
    """
    left = max(params - embed - head - routed, 0)
    if counted > left:
        return left, 0
    uncounted = left - counted
    if tower or uncounted < 0.02 * params:
        return counted, uncounted
    return left - routers, routers


def _experts(experts: int, per_token: int | None, intermediate: int) -> Experts:
    return Experts(experts=experts, experts_per_token=per_token or 2, expert_intermediate_size=intermediate)


def _guess_hidden(active_params: int, layers: int | None) -> int:
    """A dense decoder has about 13·h² parameters a layer, and h ≈ 112 · layers."""
    hidden: float = (active_params / 13 / layers) ** 0.5 if layers else (active_params * TYPICAL_ASPECT / 13) ** (1 / 3)
    step = 8 * HEAD_DIM if hidden > 4 * HEAD_DIM * 8 else HEAD_DIM  # large models have a multiple of eight heads
    return max(round(hidden / step), 1) * step


def _guess_intermediate(
    params: int, layers: int | None, hidden: int, vocab: int, attention_params: int, sparse: bool
) -> int:
    if layers is None or sparse:
        return max(int(3.5 * hidden), 1)
    left = params - 2 * vocab * hidden - layers * attention_params
    return max(int(left / (3 * layers * hidden)), hidden)


def _guess_build(
    params: int, layers: int, hidden: int, intermediate: int, vocab: int, attention_params: int, experts: Experts | None
) -> tuple[bool, bool]:
    """(gated, tied): the combination whose count comes closest to the stated parameters."""

    def gap(build: tuple[bool, bool]) -> float:
        gated, tied = build
        total = (
            (1 if tied else 2) * vocab * hidden + layers * attention_params + _expert_params(experts, hidden, layers)[0]
        )
        return abs(total + _feed_forward_params(experts, hidden, layers, intermediate, gated) - params)

    return min(product((True, False), (False, True)), key=gap)
