"""Which tensor an allocation is, by its size: logits and attention scores have sizes that the set-up tells."""

import math
from collections.abc import Iterator
from typing import NamedTuple

from kb.base import AdvisorError
from kb.observation import observation_facts
from tools.memory.shape import shape_of
from tools.observation.estimates.memory import SHARDED, memory_request
from tools.observation.setup import Setup

NEAR = 0.01
"""How far a size may be off: texts round to hundredths of a GiB."""
WIDTHS = (2, 4)
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
