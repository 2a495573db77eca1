"""Layers of a configuration that are not all alike: recurrent mixers, windows, experts, heads of two widths."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

from kb.base import BadInput
from kb.configs.config_fields import number, required
from kb.configs.model_types import ModelType
from kb.records.model import Experts, LinearState, SlidingWindow

FP32, BF16 = 4, 2
LOCAL = ("sliding_attention", "chunked_attention", 1)
RECURRENT = ("linear_attention", "mamba", "conv", "recurrent")
Config = Mapping[str, Any]


def recurrent_layers(config: Config, kind: ModelType, layers: int) -> LinearState | None:
    """Layers with a constant state instead of a cache, and the weights of one of their mixers; None without any."""
    read = MIXERS.get(kind.layers or "")
    count = _recurrent_count(config, layers) if read is not None else 0
    if read is None or count == 0:
        return None
    params, state_bytes = read(config)
    return LinearState(linear_layers=count, state_bytes_per_layer=state_bytes, params_per_layer=params)


def _recurrent_count(config: Config, layers: int) -> int:
    """How many layers are recurrent, in the ways configurations say so.

    Raises:
        BadInput: the file does not say.
    """
    types = config.get("layer_types") or config.get("layers_block_type")
    if isinstance(types, list):
        return sum(1 for entry in types[:layers] if entry in RECURRENT)
    if isinstance(linear := config.get("linear_attn_config"), Mapping):
        return len(linear.get("kda_layers") or ())
    if isinstance(attending := config.get("full_attn_idxs") or config.get("attn_layer_indices"), list):
        return layers - len(attending)
    if isinstance(kinds := config.get("attn_type_list"), list):
        return sum(1 for entry in kinds[:layers] if entry == 0)
    if period := number(config, "attn_layer_period"):
        return layers - len(range(number(config, "attn_layer_offset") or 0, layers, period))
    if period := number(config, "full_attention_interval"):
        return layers - layers // period
    raise BadInput("layer_types", "the configuration does not say which layers are recurrent.", "Give params instead.")


def _delta_net(config: Config) -> tuple[int, int]:
    """Gated DeltaNet (Qwen3-Next, Qwen3.5): a matrix a value head and a short convolution, both fp32."""
    k_heads, v_heads, k_dim, v_dim = (
        required(config, f"linear_{name}")
        for name in ("num_key_heads", "num_value_heads", "key_head_dim", "value_head_dim")
    )
    hidden, kernel = required(config, "hidden_size"), number(config, "linear_conv_kernel_dim") or 4
    keys, values = k_heads * k_dim, v_heads * v_dim
    mixed = 2 * keys + values
    weights = hidden * (mixed + values + 2 * v_heads) + kernel * mixed + values * hidden + 2 * v_heads + v_dim
    return weights, FP32 * (v_heads * k_dim * v_dim + (kernel - 1) * mixed)


def _mamba2(config: Config) -> tuple[int, int]:
    """Mamba-2 (arXiv:2405.21060): one projection in, a convolution, a state [heads, head width, state] in fp32."""
    heads, width = required(config, "mamba_heads"), required(config, "mamba_head_dim")
    groups, state = required(config, "mamba_groups"), required(config, "mamba_state")
    kernel, hidden = required(config, "mamba_kernel"), required(config, "hidden_size")
    inner, mixed = heads * width, heads * width + 2 * groups * state
    weights = hidden * (inner + mixed + heads) + mixed * (kernel + 1) + 3 * heads + inner + inner * hidden
    return weights, FP32 * (heads * width * state + (kernel - 1) * mixed)


def _mamba(config: Config) -> tuple[int, int]:
    """Mamba (arXiv:2312.00752) with Jamba's three norms: a state [inner width, state] in fp32."""
    hidden, state = required(config, "hidden_size"), required(config, "mamba_state")
    inner, kernel = hidden * (number(config, "mamba_expand") or 2), required(config, "mamba_kernel")
    rank = number(config, "mamba_dt_rank") or -(-hidden // 16)
    weights = hidden * 2 * inner + inner * (kernel + 1) + inner * (rank + 2 * state) + rank * inner + inner
    weights += inner * state + inner + inner * hidden + rank + 2 * state
    return weights, FP32 * (inner * state + (kernel - 1) * inner)


def _short_convolution(config: Config) -> tuple[int, int]:
    """LFM2: a gated convolution over the last few tokens, which are all it keeps."""
    hidden, kernel = required(config, "hidden_size"), number(config, "conv_L_cache") or 3
    return hidden * 3 * hidden + hidden * kernel + hidden * hidden, BF16 * hidden * kernel


def _lightning(config: Config) -> tuple[int, int]:
    """Lightning attention (MiniMax-01): queries, keys, values and a gate of all heads, a matrix a head in fp32."""
    hidden, heads = required(config, "hidden_size"), required(config, "heads")
    width = number(config, "head_dim") or hidden // heads
    inner = heads * width
    return 5 * hidden * inner + inner, FP32 * heads * width * width


def _kimi_delta(config: Config) -> tuple[int, int]:
    """Kimi delta attention (arXiv:2510.26692): decay and gate through a low rank, a matrix a head in fp32."""
    inside = config.get("linear_attn_config")
    told: Config = inside if isinstance(inside, Mapping) else {}
    heads = number(told, "num_heads") or required(config, "linear_num_heads")
    width = number(told, "head_dim") or required(config, "linear_head_dim")
    kernel = number(told, "short_conv_kernel_size") or number(config, "linear_conv_kernel_dim") or 4
    hidden, inner = required(config, "hidden_size"), heads * width
    low, full = width * hidden + inner * width, inner * hidden
    gate = full if told.get("use_full_rank_gate") else low
    weights = 3 * full + 3 * inner * kernel + inner + heads + low + gate + heads * hidden + width + full
    return weights, FP32 * (heads * width * width + (kernel - 1) * 3 * inner)


MIXERS: dict[str, Callable[[Config], tuple[int, int]]] = {
    "delta_net": _delta_net, "mamba2": _mamba2, "blocks_of_one_part": _mamba2, "mamba": _mamba,
    "short_convolution": _short_convolution, "lightning": _lightning, "kimi_delta": _kimi_delta,
}  # fmt: skip


def blocks_of_one_part(config: Config) -> tuple[int, int, int, int]:
    """Nemotron-H: every block is a mixer or a feed-forward. Counts of recurrent, attending, expert and dense blocks.

    Raises:
        BadInput: the file does not list them, or lists one of another kind.
    """
    letters = {"M": "mamba", "*": "attention", "E": "moe", "-": "mlp"}
    names = {"linear_attention": "mamba", "full_attention": "attention"}
    listed = config.get("layers_block_type") or config.get("hybrid_override_pattern")
    if isinstance(listed, str):
        kinds = [letters.get(letter, letter) for letter in listed]
    else:
        kinds = [names.get(one, one) for one in listed if isinstance(one, str)] if isinstance(listed, list) else []
    counts = [kinds.count(kind) for kind in letters.values()]
    if not kinds or sum(counts) != len(kinds) or not counts[0] + counts[1]:
        raise BadInput("layers_block_type", "the blocks are not listed, or are of kinds that are not understood.")
    return counts[0], counts[1], counts[2], counts[3]


def sliding_window(config: Config, kind: ModelType, layers: int) -> SlidingWindow | None:
    """Layers that see a window only."""
    window = number(config, "sliding_window") or number(config, "attention_chunk_size")
    if window is None or config.get("use_sliding_window") is False or kind.name.startswith(("mixtral", "minimax")):
        return None
    types, pattern = (
        config.get("layer_types") or config.get("hybrid_layer_pattern"),
        config.get("sliding_window_pattern"),
    )
    if isinstance(types, list):
        local = sum(1 for entry in types[:layers] if entry in LOCAL)
    elif isinstance(pattern, str) and pattern:
        local = sum(1 for at in range(layers) if pattern[at % len(pattern)] == "L")
    elif isinstance(no_rope := config.get("no_rope_layers"), list) and no_rope and kind.layers == "llama4":
        local = sum(1 for entry in no_rope[:layers] if entry)
    else:
        period = number(config, "sliding_window_pattern") or kind.global_every
        local = layers - layers // period if period else layers
    return SlidingWindow(window_tokens=window, local_layers=local) if local else None


def experts(config: Config, kind: ModelType, layers: int) -> Experts | None:
    """The mixture; None for a dense model.

    Raises:
        BadInput: the file names experts but not their width or how many a token visits.
    """
    count = number(config, "experts")
    if count is None or count == 1 or config.get("enable_moe_block") is False:
        return None
    width = number(config, "expert_intermediate_size") or number(config, "intermediate_size")
    visited = number(config, "experts_per_token")
    if width is None or visited is None:
        raise BadInput("experts", "the configuration names experts but not their width or how many a token visits.")
    shared_width = number(config, "shared_intermediate_size")
    if kind.layers == "gemma4":  # a dense feed-forward stands beside the experts of every layer
        shared_width = number(config, "intermediate_size")
    one_shared = kind.layers == "llama4" or shared_width
    return Experts(
        experts=count,
        experts_per_token=visited,
        shared_experts=number(config, "shared_experts") or (1 if one_shared else 0),
        expert_intermediate_size=width,
        shared_intermediate_size=shared_width,
        dense_layers=dense_layers(config, layers),
        expert_hidden_size=number(config, "expert_hidden_size"),
    )


def dense_layers(config: Config, layers: int) -> int:
    """Layers without experts, in the ways configurations say so."""
    types, pattern = config.get("mlp_layer_types"), config.get("moe_layer_freq")
    if isinstance(types, list):
        return sum(1 for entry in types[:layers] if entry == "dense")
    if isinstance(pattern, list):
        return sum(1 for entry in pattern[:layers] if not entry)
    if isinstance(sparse := config.get("moe_layers") or config.get("moe_layers_enum"), list | str):
        return layers - len(sparse.split(",") if isinstance(sparse, str) else sparse)
    if only := config.get("mlp_only_layers"):
        return len(only)
    step = number(config, "interleave_moe_layer_step") or number(config, "expert_layer_period") or 1
    step = number(config, "decoder_sparse_step") or step
    return min(layers, number(config, "first_dense") or 0) if step == 1 else layers - layers // step


def wide_heads(config: Config, kind: ModelType) -> dict[str, Any]:
    """Heads of layers that see everything, where they differ from the local layers' (Gemma 4, MiMo-V2).

    Raises:
        BadInput: what differs is told in a way that is not understood.
    """
    if kind.layers == "two_kinds_of_heads":
        return {"kv_heads": required(config, "swa_num_key_value_heads"), "global_kv_heads": number(config, "kv_heads")}
    if kind.layers != "gemma4":
        return {}
    wide = number(config, "global_head_dim")
    shared, by_layer = number(config, "num_kv_shared_layers"), number(config, "hidden_size_per_layer_input")
    if wide is None or shared or by_layer:
        raise BadInput("model_type", "layers that share a cache or have embeddings of their own are not counted.")
    twofold: Literal[True] | bool = bool(config.get("attention_k_eq_v"))
    return {
        "global_head_dim": wide,
        "global_kv_heads": number(config, "num_global_key_value_heads") if twofold else None,
        "global_keys_are_values": twofold,
        "norms_per_layer": 7 if config.get("enable_moe_block") else 4,
    }
