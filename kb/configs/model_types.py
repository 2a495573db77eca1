"""Which `model_type`s of configurations are understood, and what their code decides that the file does not say."""

from functools import lru_cache
from typing import Literal

from kb.base import Frozen
from kb.catalog import FACTS, load_yaml

Layers = Literal[
    "delta_net", "mamba", "mamba2", "short_convolution", "lightning", "kimi_delta", "blocks_of_one_part", "compressed",
    "gemma4", "llama4", "two_kinds_of_heads",
]  # fmt: skip
"""How layers that are not all alike are read; see `kb.configs.config_layers`."""


class ModelType(Frozen):
    """What the class of one `model_type` builds where its configuration is silent."""

    name: str
    gated_mlp: bool = True
    linear_bias: bool = False
    qkv_bias: bool = False
    qk_norm: bool = False
    attention_gate: bool = False
    tied: bool = False
    """Whether head and embedding share weights when the file does not say."""
    positions: bool = False
    """Whether positions are learned."""
    encoder: bool = False
    norms_per_layer: int = 2
    global_every: int | None = None
    """One layer in so many sees everything, where the file lists no layers."""
    sparse_attention: Literal["dsa"] | None = None
    layers: Layers | None = None
    source: str


@lru_cache(maxsize=1)
def model_types() -> dict[str, ModelType]:
    """Every type that is understood, by its name."""
    held: dict[str, ModelType] = {}
    for row in load_yaml(FACTS / "model_types.yaml"):
        every = row.get("global_every", {})
        shared = {key: value for key, value in row.items() if key not in ("names", "global_every")}
        for name in row["names"]:
            held[name] = ModelType.model_validate({**shared, "name": name, "global_every": every.get(name)})
    return held
