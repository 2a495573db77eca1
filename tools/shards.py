"""Which tensor-parallel sizes cut the blocks that quantised weights are scaled by."""

from kb.models import models
from kb.programs.launch import launch_facts
from tools.memory.shape import Shape

BLOCK = 128
"""Weights of a quantisation block: a card's share of an expert must be whole blocks."""
GROUPED = ("awq", "gptq")
"""Formats whose checkpoints scale their weights by groups of as many inputs, unless their maker says otherwise."""
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
    """Side of those blocks in the model's checkpoint of a format; null where it has none.

    Who quantises a dense model by AWQ or GPTQ groups its inputs by 128, and servers refuse a share that cuts a group
    (https://github.com/vllm-project/vllm/issues/5675). Mixtures are quantised in narrower groups as their experts need.
    """
    if model is None:
        return None
    own, known = checkpoint_id(model), models().get(model)
    if form in GROUPED:
        dense = known is not None and known.experts is None
        return BLOCK if dense and not launch_facts().is_padded(own, form) else None
    return launch_facts().block(own, form)


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
