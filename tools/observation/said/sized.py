"""Which tensor an allocation is, by its size: logits and attention scores have sizes that the set-up tells."""

import math
from collections.abc import Iterator
from typing import NamedTuple

from kb.base import AdvisorError
from kb.observation import observation_facts
from tools.memory.shape import Shape, shape_of
from tools.observation.estimates.memory import SHARDED, memory_request
from tools.observation.setup import Setup

NEAR = 0.01
"""How far a size may be off: texts round to hundredths of a GiB."""
WIDTHS = (2, 4)
CACHE_WIDTHS = (2, 1)
"""Bytes of a number of the cache: 16 bits, and 8."""
RUNAWAY = 2.0
"""Times the card from which a single request is no part of a set-up that was planned."""
USUAL_HEADS = 16
"""Heads of vision towers: ViT-L/14 and the towers of Qwen2-VL and Qwen2.5-VL have 16 (num_heads of vision_config)."""
LEAST = 64 << 20
"""Bytes below which many tensors have any size."""


class Tensor(NamedTuple):
    """A tensor of the size that was asked for."""

    cause: str
    formula: str
    bytes: int


def tensor_of(requested: int | None, setup: Setup) -> Tensor | None:
    """The tensor whose size is what was asked for; None where none is, or the set-up says too little.

        logits            samples · tokens · vocabulary · bytes
        cache             sequences · tokens · heads of keys · width of a head · bytes, twice; of a layer or of all
        tables            vocabulary · width of the model · bytes
        attention scores  samples · heads · tokens² · bytes
        optimizer state   parameters / cards · 4, of a sharded optimizer alone

    Both at 16 and 32 bits; preference pairs are two samples.
    """
    if not requested or requested < LEAST or not setup.named:
        return None
    return next((one for one in _tensors(setup) if abs(one.bytes / requested - 1) <= NEAR), None)


def runaway(requested: int | None, setup: Setup) -> Tensor | None:
    """Attention scores of a request larger than several cards, with the length worked out; None for a lesser one.

        n = √(bytes / (heads · width))

    Only what grows with the square of a length comes to so much: a sample that nobody bounded, or pictures of a batch
    packed into one sequence, without FlashAttention. The heads are the language model's where the model is known, else
    `USUAL_HEADS`, which is what vision towers have.
    """
    whole = setup.card_memory
    if not requested or whole is None or requested < RUNAWAY * whole:
        return None
    heads = USUAL_HEADS if _pictures(setup) else _heads(setup) or USUAL_HEADS
    low, high = (math.sqrt(requested / (heads * width)) for width in (max(WIDTHS), min(WIDTHS)))
    words = (f"attention scores: {heads} heads × n² × 2 bytes = {requested:,} bytes, n ≈ {high:,.0f} tokens at once "
             f"({low:,.0f} in 32 bits)")  # fmt: skip
    return Tensor(observation_facts().oom_beside["sizes"]["far_beyond"], words, requested)


def _pictures(setup: Setup) -> bool:
    return setup.model_kind == "vlm"


def _heads(setup: Setup) -> int | None:
    if not setup.named:
        return None
    try:
        return shape_of(memory_request(setup)).heads or None
    except (AdvisorError, ValueError):
        return None


def _shards(setup: Setup) -> Iterator[Tensor]:
    """A card's share of the weights in 32 bits, as a sharding optimizer makes its states of at its first step."""
    if setup.kind != "training" or setup.cards < 2 or setup.request.sharding not in SHARDED:
        return
    try:
        params = shape_of(memory_request(setup)).params
    except (AdvisorError, ValueError):
        return
    words = f"one state of the optimizer: {params:,} parameters / {setup.cards} cards × 4 bytes"
    yield Tensor("oom_optimizer", words, 4 * params // setup.cards)


def _tensors(setup: Setup) -> Iterator[Tensor]:
    asked = setup.request
    yield from _shards(setup)
    yield from _of_weights(setup)
    tokens = asked.sequence_tokens if setup.kind == "training" else asked.input_tokens or asked.context_tokens
    if tokens is None:
        return
    try:
        shape = shape_of(memory_request(setup))
    except (AdvisorError, ValueError):
        return
    samples = (asked.micro_batch_size or 1) * (2 if asked.method == "dpo" else 1)
    for width in WIDTHS:
        if shape.vocab:
            words = f"logits: {samples} × {tokens:,} tokens × vocabulary {shape.vocab:,} × {width} bytes"
            yield Tensor("oom_logits", words, samples * tokens * shape.vocab * width)
        words = f"attention scores: {samples} × {shape.heads} heads × {tokens:,}² × {width} bytes"
        yield Tensor("oom_attention", words, samples * shape.heads * tokens * tokens * width)
    if setup.kind == "serving" and shape.latent is None:
        yield from _of_cache(setup, shape, tokens)


def _of_cache(setup: Setup, shape: Shape, tokens: int) -> Iterator[Tensor]:
    """Blocks of the cache, of a layer and of all: sequences · tokens · heads of keys · width of a head · bytes."""
    asked = setup.request
    for several in dict.fromkeys((asked.concurrent_sequences or 1, asked.max_num_sequences or 1, 1)):
        for width in CACHE_WIDTHS:
            one = several * tokens * shape.kv_heads * shape.head_dim
            said = f"{several} × {tokens:,} tokens × {shape.kv_heads} heads × {shape.head_dim} × {width} bytes"
            yield Tensor("oom_kv_cache", f"keys and values of all layers: 2 × {shape.layers} × {said}",
                         round(2 * shape.layers * one * width))  # fmt: skip
            yield Tensor("oom_kv_cache", f"keys and values of a layer: 2 × {said}", round(2 * one * width))


def _of_weights(setup: Setup) -> Iterator[Tensor]:
    """The tables of a vocabulary, and all of a dense layer: what loading asks for in one piece."""
    try:
        shape = shape_of(memory_request(setup))
    except (AdvisorError, ValueError):
        return
    for width in WIDTHS:
        if shape.vocab and shape.hidden:
            words = f"table of the vocabulary: {shape.vocab:,} × {shape.hidden:,} × {width} bytes"
            yield Tensor("oom_weights", words, shape.vocab * shape.hidden * width)
    if shape.experts is None and shape.intermediate:
        several, shared = 2 if shape.gated else 1, setup.request.tensor_parallel or 1
        words = f"feed-forward matrix of a layer: {several} × {shape.hidden:,} × {shape.intermediate:,} × 2 bytes"
        size = several * shape.hidden * shape.intermediate * 2 // shared
        yield Tensor("oom_weights", words + (f" / {shared} cards" if shared > 1 else ""), size)
