"""Read a model's shape from the `config.json` that Hugging Face checkpoints carry."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from kb.base import BadDocument, BadInput
from kb.parameters import count_active, count_parameters
from kb.records.model import Attention, Experts, LatentAttention, LinearState, Model, SlidingWindow

LARGEST_FILE_BYTES = 4_000_000
LARGEST_NUMBER = 10**8
KEYS = {
    "layers": ("num_hidden_layers", "n_layer", "num_layers", "n_layers"),
    "hidden_size": ("hidden_size", "n_embd", "d_model"),
    "heads": ("num_attention_heads", "n_head", "num_heads", "n_heads"),
    "kv_heads": ("num_key_value_heads", "num_kv_heads", "multi_query_group_num", "n_head_kv"),
    "head_dim": ("head_dim", "kv_channels", "attention_head_dim", "d_kv"),
    "intermediate_size": ("intermediate_size", "ffn_hidden_size", "n_inner", "ffn_dim", "d_ff"),
    "vocab_size": ("vocab_size", "padded_vocab_size"),
    "max_context_tokens": ("max_position_embeddings", "n_positions", "seq_length", "max_seq_len", "n_ctx"),
    "experts": ("n_routed_experts", "num_local_experts", "num_experts", "moe_num_experts"),
    "experts_per_token": ("num_experts_per_tok", "experts_per_token", "moe_topk", "moe_k", "top_k_experts"),
    "shared_experts": ("n_shared_experts", "num_shared_experts", "num_shared_expert", "moe_num_shared_experts"),
    "expert_intermediate_size": ("moe_intermediate_size", "expert_intermediate_size", "moe_ffn_hidden_size"),
    "shared_intermediate_size": ("shared_expert_intermediate_size", "moe_shared_expert_intermediate_size"),
}
"""Field → the names it goes by, first found wins."""
UNGATED = {"gpt2", "gpt_neox", "gptj", "gpt_bigcode", "opt", "bloom", "falcon", "mpt", "phi", "starcoder2", "bert"} | {
    "roberta", "xlm-roberta", "whisper", "nemotron", "nemotron_h",
}  # fmt: skip
BIASED = {"gpt2", "gpt_neox", "gptj", "gpt_bigcode", "opt", "bloom", "phi", "starcoder2", "bert", "roberta"} | {
    "xlm-roberta", "whisper", "gpt_oss",
}  # fmt: skip
QKV_BIASED = {"qwen", "qwen2", "qwen2_moe", "qwen2_vl", "qwen2_5_vl", "chatglm", "glm", "glm4"}
QK_NORMED = {"qwen3", "qwen3_moe", "qwen3_vl", "qwen3_next", "qwen3_5", "qwen3_5_moe", "gemma3", "gemma3_text", "olmo2"}
TIED = {"gpt2", "opt", "bloom", "gemma", "gemma2", "gemma3", "gemma3_text", "bert", "roberta", "xlm-roberta", "mpt"} | {
    "gpt_bigcode", "falcon", "cohere", "cohere2", "whisper",
}  # fmt: skip
SANDWICHED = {"gemma2", "gemma3", "gemma3_text", "glm4"}
"""Kinds with a norm before and after each part of a layer."""
GLOBAL_EVERY = {"gemma2": 2, "gemma3_text": 6, "cohere2": 4, "llama4_text": 4}
"""Kinds of which one layer in so many sees everything, where the configuration does not list the layers."""
ENCODERS = {"bert", "roberta", "xlm-roberta", "distilbert", "electra", "deberta-v2"}
DTYPES = {"bfloat16": "bf16", "float16": "fp16", "half": "fp16", "float32": "fp32", "float": "fp32"}


def shape_from_config(source: str | Path | Mapping[str, Any]) -> Model:
    """The model that a `config.json`, given as a path or already parsed, describes.

    Parameters are counted from the shape; a vision tower beside the language model is not counted.

    Raises:
        BadDocument: the file is missing, too large or not a JSON object.
        BadInput: a number is missing or absurd, or the file describes no transformer.
    """
    if isinstance(source, Mapping):
        name, document = str(source.get("_name_or_path") or "config"), dict(source)
    else:
        name, document = _name(Path(source)), _read(Path(source))
    config = {**document, **text} if isinstance(text := _inner(document), dict) else document
    kind = str(config.get("model_type") or document.get("model_type") or "").lower()
    shape = _shape(config, kind)
    draft = Model(
        id=name,
        name=name,
        family=kind or "custom",
        kind="vlm" if "vision_config" in document else "encoder" if kind in ENCODERS else "llm",
        params=1,
        native_format=_native_format(document, config),
        notes="Read from a config.json; parameters counted from the shape.",
        **shape,
    )
    params = count_parameters(draft)
    if params is None:
        raise BadInput("model", "the configuration does not give every width.", "Give params instead.")
    active = count_active(draft) if draft.experts else None
    return draft.model_copy(update={"params": params, "active_params": active})


def _name(path: Path) -> str:
    """A config.json is called after its folder, any other file after itself."""
    return path.resolve().parent.name if path.name == "config.json" else path.stem


def _read(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > LARGEST_FILE_BYTES:
            raise BadDocument(str(path), "larger than any model configuration.")
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadDocument(str(path), error.strerror or "cannot be read") from error
    except (ValueError, RecursionError) as error:
        raise BadDocument(str(path), "is not valid JSON.") from error
    if not isinstance(document, dict):
        raise BadDocument(str(path), "is not a JSON object.")
    return document


def _inner(document: Mapping[str, Any]) -> Any:
    """The language model's own part of a multimodal configuration."""
    for key in ("text_config", "llm_config", "language_config", "thinker_config"):
        if isinstance(inner := document.get(key), dict):
            deeper = inner.get("text_config")
            return deeper if isinstance(deeper, dict) else inner
    return None


def _shape(config: dict[str, Any], kind: str) -> dict[str, Any]:
    hidden, heads, layers = (_number(config, field) for field in ("hidden_size", "heads", "layers"))
    if hidden is None or heads is None or layers is None:
        missing = "hidden_size" if hidden is None else "heads" if heads is None else "layers"
        raise BadInput(missing, "missing from the configuration, which describes no transformer.")
    vocab = _number(config, "vocab_size")
    if vocab is None:
        raise BadInput("vocab_size", "missing from the configuration.", "Give params instead.")
    if "hybrid_override_pattern" in config or "block_configs" in config:
        raise BadInput("model", "its layers are of several kinds that this reader does not count.", "Give params.")
    head_dim = _head_dim(config) or hidden // heads
    kv_heads = _kv_heads(config, kind, heads)
    if heads % kv_heads:
        raise BadInput("kv_heads", f"{kv_heads} do not divide the {heads} heads.")
    latent, experts, linear = _latent(config), _experts(config, kind, layers), _linear(config, layers)
    return {
        "layers": layers,
        "hidden_size": hidden,
        "heads": heads,
        "kv_heads": None if latent else kv_heads,
        "head_dim": None if latent else head_dim,
        "intermediate_size": _number(config, "intermediate_size") or (None if experts else 4 * hidden),
        "gated_mlp": _gated(config, kind),
        "vocab_size": vocab,
        "max_context_tokens": _number(config, "max_context_tokens"),
        "tied_embeddings": kind in ENCODERS or bool(config.get("tie_word_embeddings", kind in TIED)),
        "attention": _attention(latent, heads, kv_heads),
        "latent": latent,
        "experts": experts,
        "sliding": _sliding(config, kind, layers),
        "linear": linear,
        "qkv_bias": kind in QKV_BIASED or bool(config.get("attention_bias") or config.get("add_qkv_bias")),
        "linear_bias": kind in BIASED,
        "qk_norm": kind in QK_NORMED or bool(config.get("use_qk_norm")),
        "attention_gate": bool(config.get("attn_output_gate")) or kind == "qwen3_next",
        "norms_per_layer": 4 if kind in SANDWICHED else 2,
        "position_embeddings": _number(config, "max_context_tokens") or 0 if kind in BIASED - {"gpt_oss"} else 0,
    }


def _number(config: Mapping[str, Any], field: str) -> int | None:
    """The first of the field's names that is stated.

    Raises:
        BadInput: it is not a whole number between 1 and 10⁸.
    """
    for key in KEYS.get(field, (field,)):
        value = config.get(key)
        if value is None or (value == 0 and field not in {"layers", "hidden_size", "heads", "vocab_size"}):
            continue
        if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= LARGEST_NUMBER:
            raise BadInput(key, f"{str(value)[:40]!r} is not a whole number between 1 and {LARGEST_NUMBER:,}.")
        return value
    return None


def _head_dim(config: Mapping[str, Any]) -> int | None:
    """Width of a head; the mean where keys and values differ, so that the cache and the weights come out right."""
    keys, values = _number(config, "head_dim"), _number(config, "v_head_dim")
    return (keys + values) // 2 if keys and values else keys


def _kv_heads(config: Mapping[str, Any], kind: str, heads: int) -> int:
    if kind == "falcon" and not config.get("new_decoder_architecture"):
        return 1 if config.get("multi_query", True) else heads
    if kind == "gpt_bigcode":
        return 1 if config.get("multi_query", True) else heads
    if kind == "chatglm" and not config.get("multi_query_attention", True):
        return heads
    return _number(config, "kv_heads") or heads


def _gated(config: Mapping[str, Any], kind: str) -> bool:
    projection = config.get("feed_forward_proj")
    return "gated" in projection if isinstance(projection, str) else kind not in UNGATED


def _attention(latent: LatentAttention | None, heads: int, kv_heads: int) -> Attention:
    if latent:
        return "mla"
    return "mha" if kv_heads == heads else "mqa" if kv_heads == 1 else "gqa"


def _latent(config: Mapping[str, Any]) -> LatentAttention | None:
    rank = _number(config, "kv_lora_rank")
    if rank is None:
        return None
    widths = {key: _number(config, key) for key in ("qk_rope_head_dim", "qk_nope_head_dim", "v_head_dim")}
    for key, value in widths.items():
        if value is None:
            raise BadInput(key, "missing beside kv_lora_rank.")
    return LatentAttention(
        kv_lora_rank=rank,
        qk_rope_dim=widths["qk_rope_head_dim"] or 0,
        qk_nope_dim=widths["qk_nope_head_dim"] or 0,
        v_head_dim=widths["v_head_dim"] or 0,
        q_lora_rank=_number(config, "q_lora_rank"),
    )


def _experts(config: Mapping[str, Any], kind: str, layers: int) -> Experts | None:
    count = _number(config, "experts")
    if count is None or count == 1:
        return None
    width = _number(config, "expert_intermediate_size") or _number(config, "intermediate_size")
    visited = _number(config, "experts_per_token")
    if width is None or visited is None:
        raise BadInput("experts", "the configuration names experts but not their width or how many a token visits.")
    shared_width = _number(config, "shared_intermediate_size")
    llama4 = kind.startswith("llama4")
    return Experts(
        experts=count,
        experts_per_token=visited,
        shared_experts=1 if llama4 else _number(config, "shared_experts") or (1 if shared_width else 0),
        expert_intermediate_size=width,
        shared_intermediate_size=shared_width,
        dense_layers=_dense_layers(config, layers),
    )


def _dense_layers(config: Mapping[str, Any], layers: int) -> int:
    """Layers without experts, in the four ways configurations say so."""
    pattern = config.get("moe_layer_freq")
    if isinstance(pattern, list):
        return sum(1 for entry in pattern[:layers] if not entry)
    if only := config.get("mlp_only_layers"):
        return len(only)
    step = _number(config, "interleave_moe_layer_step") or _number(config, "expert_layer_period") or 1
    step = _number(config, "decoder_sparse_step") or step
    return min(layers, _number(config, "first_k_dense_replace") or 0) if step == 1 else layers - layers // step


def _sliding(config: Mapping[str, Any], kind: str, layers: int) -> SlidingWindow | None:
    window = _number(config, "sliding_window") or _number(config, "attention_chunk_size")
    if window is None or config.get("use_sliding_window") is False or kind.startswith("mixtral"):
        return None
    types = config.get("layer_types") or config.get("hybrid_layer_pattern")
    if isinstance(types, list):
        local = sum(1 for entry in types[:layers] if entry in ("sliding_attention", "chunked_attention", 1))
    else:
        period = _number(config, "sliding_window_pattern") or GLOBAL_EVERY.get(kind)
        local = layers - layers // period if period else layers
    return SlidingWindow(window_tokens=window, local_layers=local) if local else None


def _linear(config: Mapping[str, Any], layers: int) -> LinearState | None:
    """Gated DeltaNet layers (Qwen3-Next, Qwen3.5): a matrix a value head and a short convolution, both fp32."""
    types = config.get("layer_types")
    names: tuple[Literal["k_heads", "v_heads", "k_dim", "v_dim"], ...] = ("k_heads", "v_heads", "k_dim", "v_dim")
    keys = ("linear_num_key_heads", "linear_num_value_heads", "linear_key_head_dim", "linear_value_head_dim")
    read = {name: _number(config, key) for name, key in zip(names, keys, strict=True)}
    if any(value is None for value in read.values()):
        return None
    k_heads, v_heads, k_dim, v_dim = (read[name] or 0 for name in names)
    if isinstance(types, list):
        linear_layers = sum(1 for entry in types[:layers] if entry == "linear_attention")
    else:
        linear_layers = layers - layers // (_number(config, "full_attention_interval") or 4)
    hidden, kernel = _number(config, "hidden_size") or 0, _number(config, "linear_conv_kernel_dim") or 4
    keys_width, values_width = k_heads * k_dim, v_heads * v_dim
    mixed = 2 * keys_width + values_width
    weights = (
        hidden * (mixed + values_width + 2 * v_heads) + kernel * mixed + values_width * hidden + 2 * v_heads + v_dim
    )
    state_bytes = 4 * (v_heads * k_dim * v_dim + (kernel - 1) * mixed)
    return LinearState(linear_layers=linear_layers, state_bytes_per_layer=state_bytes, params_per_layer=weights)


def _native_format(document: Mapping[str, Any], config: Mapping[str, Any]) -> str:
    quantisation = document.get("quantization_config")
    if isinstance(quantisation, dict):
        method = str(quantisation.get("quant_method", "")).lower()
        if method in {"fp8", "awq", "gptq", "mxfp4"}:
            return method
        if method == "bitsandbytes":
            return "nf4" if quantisation.get("load_in_4bit") else "int8"
        if bits := quantisation.get("bits"):
            return "int8" if bits == 8 else "int4"
    dtype = config.get("dtype") or config.get("torch_dtype") or document.get("torch_dtype")
    return DTYPES.get(str(dtype).removeprefix("torch."), "bf16")
