"""How many parameters the vision tower beside a language model has, counted from its configuration."""

from collections.abc import Mapping
from typing import Any

NAMES = (
    ("depth", "num_hidden_layers", "vt_num_hidden_layers", "layers"),
    ("embed_dim", "vt_hidden_size", "width", "hidden_size"),
    ("vt_intermediate_size", "mlp_dim", "intermediate_size"),
    ("patch_size",),
)
"""Depth, width, feed-forward width and patch, by the names they go by."""
GATED = frozenset({"gemma4_vision", "pixtral", "qwen2_5_vl", "qwen2_5_vl_vision", "glm4v_vision", "glm_ocr_vision"})
"""Towers whose feed-forward has a gate."""
FEED_FORWARD_OF_OUTPUT = frozenset({"glm4v", "glm4v_vision", "glm4v_moe_vision"})
"""Towers whose `intermediate_size` is the merger's; their feed-forward is as wide as what they hand on."""


def tower_parameters(document: Mapping[str, Any]) -> int:
    """Parameters of a vision transformer with what merges its patches; 0 without one, or where widths are untold.

        depth · width · (4 · width + 2 or 3 · inner) + 3 · patch² · width + mergers

    where a merger of m·m patches has (m²·width)² + m²·width·out weights, and each layer that hands on its own states
    another. Norms, positions and other projectors are left out. Domain: within a tenth of the tower for the towers of
    Qwen3-VL, Qwen3.5, Kimi-K2.5, SigLIP and CLIP, within three tenths for others: mostly under 0.5 % of the model.
    """
    told = document.get("vision_config")
    if not isinstance(told, Mapping):
        return 0
    depth, width, inner, patch = (next(filter(None, (_whole(told, key) for key in keys)), 0) for keys in NAMES)
    ratio, kind = told.get("mlp_ratio"), str(told.get("model_type") or "")
    handed = _whole(told, "out_hidden_size")
    if kind in FEED_FORWARD_OF_OUTPUT:
        inner = handed or inner
    inner = inner or (int(width * ratio) if isinstance(ratio, int | float) else 4 * width)
    if not 0 < depth <= 200 or not 0 < width <= 20_000 or not 0 < inner <= 200_000:
        return 0
    matrices = 3 if kind in GATED else 2
    layers = depth * width * (4 * width + matrices * inner)
    return layers + 3 * patch * patch * width + _mergers(told, width, handed)


def _mergers(told: Mapping[str, Any], width: int, handed: int) -> int:
    """Weights of what joins neighbouring patches, where the configuration tells their number and what comes out."""
    merged, deep = _whole(told, "spatial_merge_size"), told.get("deepstack_visual_indexes")
    if not merged or not handed:
        return 0
    joined = merged * merged * width
    return joined * (joined + handed) * (1 + (len(deep) if isinstance(deep, list) else 0))


def _whole(told: Mapping[str, Any], key: str) -> int:
    value = told.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
