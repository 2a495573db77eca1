"""Which tensor-parallel sizes cut the blocks that quantised weights are scaled by."""

from kb.launch import launch_facts
from kb.models import models
from tools.memory.shape import Shape

BLOCK = 128
"""Weights of a quantisation block: a card's share of an expert must be whole blocks."""
BLOCKED = ("fp8", "awq", "gptq", "int4", "int8")
"""Formats quantised in such blocks."""


def experts_whole(shape: Shape, ways: int, form: str) -> bool:
    """Whether experts must stay whole on a card because its share of one would cut a quantisation block."""
    experts = shape.experts
    return experts is not None and form in BLOCKED and experts.expert_intermediate_size % (ways * BLOCK) != 0


def checkpoint_id(model: str) -> str:
    """Hugging Face id of what is served of a model: its chat version, where it has one."""
    known = models().get(model)
    return known.chat_id if known and known.chat_id else model


def block_of(model: str | None, form: str) -> int | None:
    """Side of those blocks in the model's own checkpoint of a format; null where it has none."""
    return launch_facts().block(checkpoint_id(model), form) if model else None


def cut_layers(shape: Shape, ways: int, block: int | None) -> str | None:
    """Why so many cards cannot share the dense layers: a card's part of some matrix is no whole number of blocks.

    columns / cards must be a multiple of the block for the feed-forward part, heads · head_dim / cards for attention.
    Servers refuse to load such a checkpoint. Latent attention projects by heads too, in whole blocks.
    """
    if block is None or ways == 1:
        return None
    widths = {"heads": shape.heads * shape.head_dim} if shape.latent is None and shape.attention != "none" else {}
    if shape.experts is None or shape.experts.dense_layers:
        widths["feed-forward layers"] = shape.intermediate
    for what, width in widths.items():
        if width % ways == 0 and width // ways % block:
            return f"{what} of {width:,} columns over {ways} cards are {width // ways:,} each, no multiple of {block}"
    return None
