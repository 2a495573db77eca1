"""How many sequences the memory of a layout holds, and what happens beyond."""

from kb.constants.memory_constants import constants as memory_constants
from kb.constants.speed_constants import constants
from tools.speed.work import Work

SHARED = "unified"
"""How the catalog marks memory that processor and GPU share."""


def weight_bytes_per_card(work: Work) -> float:
    """Weights each card of a copy holds."""
    arch, form, layout = work.arch, work.format, work.layout
    table = arch.head_params * form.embed_bits / 8 * (0 if arch.tied else 1)
    dense = (arch.dense_params * form.body_bits + arch.head_params * form.head_bits) / 8 + table
    routed = arch.routed_params * form.expert_bits / 8
    cards = layout.tensor * layout.pipeline
    return (dense / (layout.pipeline if layout.attention_copies else cards)) + routed / cards


def room_bytes(work: Work) -> float:
    """Memory of one card that is left for the cache; negative when the weights alone do not fit."""
    capacity = constants().capacity
    overhead = capacity.engine_bytes if work.hbm else capacity.engine_bytes / 4
    return work.gpu.usable_bytes * capacity.usable_ratio - weight_bytes_per_card(work) - overhead


def sequences_that_fit(work: Work) -> int | None:
    """Sequences of the asked length that one copy holds at once; None when the weights alone do not fit."""
    room = room_bytes(work)
    if room <= 0:
        return None
    layout, arch = work.layout, work.arch
    heads = 1 if arch.latent else arch.kv_heads
    split = layout.tensor if layout.attention_copies else min(layout.tensor, heads)
    each = work.cache_bytes(work.input_tokens + work.output_tokens) / (split * layout.pipeline)
    return int(room / each) if each else 10**6


def spilled_share(work: Work) -> float:
    """Share of the weights that llama.cpp leaves in host memory because the cards are full.

        (weights + cache + compute buffers - usable memory) / (weights + cache)

    The cache is reserved whole when the model is loaded, for the context asked or the usual one, and a layer in host
    memory keeps its own there; experts alone leave theirs on the card.
    A chip that shares its memory with the processor has no other: what its driver grants it can be raised.
    """
    if work.engine != "llama.cpp" or SHARED in (work.gpu.memory_type or ""):
        return 0.0
    resident = weight_bytes_per_card(work)
    cards = work.layout.tensor * work.layout.pipeline
    cache = work.cache_bytes(work.reserved_tokens) * work.sequences / cards
    over = resident + cache + _buffer_bytes(work) / cards - work.gpu.usable_bytes
    moved = resident if work.arch.moe else resident + cache
    return min(max(over / moved, 0.0), 1.0)


def _buffer_bytes(work: Work) -> float:
    """What llama.cpp holds beside weights and cache: the logits of a physical batch, and a context on each card."""
    llama, cards = memory_constants().llama_cpp, work.layout.tensor * work.layout.pipeline
    return llama.ubatch_tokens * work.arch.vocab * 4 + cards * (llama.base_bytes + llama.context_bytes)
