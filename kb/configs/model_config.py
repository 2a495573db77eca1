"""Read a model's shape from the `config.json` that Hugging Face checkpoints carry."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kb.base import BadDocument, BadInput
from kb.configs.config_compressed import compressed, compressed_parameters
from kb.configs.config_fields import KEYS, number, required
from kb.configs.config_layers import MIXERS, blocks_of_one_part, experts, recurrent_layers, sliding_window, wide_heads
from kb.configs.model_types import ModelType, model_types
from kb.configs.parameters import count_active, count_parameters
from kb.configs.vision_tower import tower_parameters
from kb.configs.weight_format import weight_format
from kb.records.model import Attention, LatentAttention, LinearState, Model

__all__ = ["KEYS", "shape_from_config"]

LARGEST_FILE_BYTES = 4_000_000
INNER = ("text_config", "llm_config", "language_config", "thinker_config")
"""Parts of a configuration of several models that describe the language model."""
NOT_COUNTED = "Give params instead."
BRIDGES = ("qformer_config", "perceiver_config", "talker_config", "vq_config")
"""Parts between or beside tower and language model that are models themselves."""


def shape_from_config(source: str | Path | Mapping[str, Any]) -> Model:
    """The model that a `config.json`, given as a path or already parsed, describes.

    Parameters are counted from the shape, a vision tower's from its layers (`kb.configs.vision_tower`).

    Raises:
        BadDocument: the file is missing, too large or not a JSON object.
        BadInput: a number is missing or absurd, the file describes no transformer, or one whose layers or whose way
            of storing weights is not understood: then nothing is worked out from it.
    """
    if isinstance(source, Mapping):
        name, document = str(source.get("_name_or_path") or "config"), dict(source)
    else:
        name, document = _name(Path(source)), _with_quantisation(Path(source), _read(Path(source)))
    if bridge := next((key for key in BRIDGES if isinstance(document.get(key), dict)), None):
        raise BadInput(bridge, "a part of the model that is not counted.", NOT_COUNTED)
    config = _flat(document)
    kind = _kind(document, config)
    draft = Model(
        id=name,
        name=name,
        family=kind.name,
        kind="vlm" if "vision_config" in document else "encoder" if kind.encoder else "llm",
        params=1,
        native_format=weight_format(document, config),
        vision_params=tower_parameters(document),
        notes="Read from a config.json; parameters counted from the shape.",
        **_shape(config, kind),
    )
    if kind.layers == "compressed":
        params, active = compressed_parameters(config, draft.layers or 0)
        return draft.model_copy(update={"params": params + draft.vision_params, "active_params": active})
    counted = count_parameters(draft)
    if counted is None:
        raise BadInput("model", "the configuration does not give every width.", NOT_COUNTED)
    return draft.model_copy(update={"params": counted, "active_params": count_active(draft) if draft.experts else None})


def _flat(document: dict[str, Any]) -> dict[str, Any]:
    """The language model's part over the rest; whether head and embedding are one is the whole's to say."""
    inner = _inner(document)
    if not isinstance(inner, dict):
        return document
    tied = {key: document[key] for key in ("tie_word_embeddings",) if isinstance(document.get(key), bool)}
    return {**document, **inner, **tied}


def _kind(document: Mapping[str, Any], config: Mapping[str, Any]) -> ModelType:
    """What is known of the `model_type`.

    Raises:
        BadInput: nothing is, or the file does not say which it is.
    """
    for told in (config.get("model_type"), document.get("model_type")):
        if (found := model_types().get(str(told or "").lower())) is not None:
            return found
    said = str(config.get("model_type") or document.get("model_type") or "")[:60]
    raise BadInput(
        "model_type",
        f"the layers of “{said}” are not understood, so nothing is worked out from its numbers."
        if said
        else "missing from the configuration.",
        NOT_COUNTED,
    )


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


def _with_quantisation(path: Path, document: dict[str, Any]) -> dict[str, Any]:
    """The configuration with what ModelOpt wrote into a file of its own beside it."""
    beside = path.parent / "hf_quant_config.json"
    if "quantization_config" in document or not beside.is_file():
        return document
    told = _read(beside).get("quantization")
    return {**document, "quantization_config": told} if isinstance(told, dict) else document


def _inner(document: Mapping[str, Any]) -> Any:
    """The language model's own part of a configuration of several models."""
    for key in INNER:
        if isinstance(inner := document.get(key), dict):
            deeper = inner.get("text_config")
            return deeper if isinstance(deeper, dict) else inner
    return None


def _shape(config: dict[str, Any], kind: ModelType) -> dict[str, Any]:
    hidden, heads = number(config, "hidden_size"), number(config, "heads")
    if hidden is None or heads is None:
        missing = "hidden_size" if hidden is None else "heads"
        raise BadInput(missing, "missing from the configuration, which describes no transformer.")
    vocab = required(config, "vocab_size")
    if "block_configs" in config or "per_layer_config" in config:
        raise BadInput("model", "its layers differ one by one, which this reader does not count.", "Give params.")
    if kind.layers == "blocks_of_one_part":
        return _blocks(config, kind, hidden, heads, vocab)
    layers = number(config, "layers")
    if layers is None:
        raise BadInput("layers", "missing from the configuration, which describes no transformer.")
    shape = _attention(config, kind, hidden, heads) | _traits(config, kind)
    mixture = experts(config, kind, layers)
    recurrent = recurrent_layers(config, kind, layers)
    shape |= {
        "layers": layers,
        "hidden_size": hidden,
        "heads": heads,
        "intermediate_size": _intermediate(config, kind, mixture is not None, hidden),
        "vocab_size": vocab,
        "experts": mixture,
        "sliding": sliding_window(config, kind, layers),
        "linear": recurrent,
        "other_params": _others(config, kind, hidden, layers, recurrent),
    }
    if kind.layers == "compressed":
        shape |= compressed(config, layers)
    return shape | wide_heads(config, kind)


def _traits(config: Mapping[str, Any], kind: ModelType) -> dict[str, Any]:
    """What the class decides, and the file may say otherwise."""
    context = number(config, "max_context_tokens")
    projection = config.get("feed_forward_proj")
    return {
        "max_context_tokens": context,
        "gated_mlp": "gated" in projection if isinstance(projection, str) else kind.gated_mlp,
        "tied_embeddings": kind.encoder or bool(config.get("tie_word_embeddings", kind.tied)),
        "qkv_bias": kind.qkv_bias or bool(config.get("attention_bias") or config.get("add_qkv_bias")),
        "linear_bias": kind.linear_bias,
        "qk_norm": kind.qk_norm or bool(config.get("use_qk_norm")),
        "attention_gate": kind.attention_gate or bool(config.get("attn_output_gate")),
        "norms_per_layer": kind.norms_per_layer,
        "position_embeddings": context or 0 if kind.positions else 0,
        "sparse_attention": kind.sparse_attention,
    }


def _attention(config: dict[str, Any], kind: ModelType, hidden: int, heads: int) -> dict[str, Any]:
    kv_heads = _kv_heads(config, kind, heads)
    if heads % kv_heads:
        raise BadInput("kv_heads", f"{kv_heads} do not divide the {heads} heads.")
    latent = _latent(config)
    form: Attention = "mla" if latent else "mha" if kv_heads == heads else "mqa" if kv_heads == 1 else "gqa"
    return {
        "kv_heads": None if latent else kv_heads,
        "head_dim": None if latent else _head_dim(config) or hidden // heads,
        "attention": form,
        "latent": latent,
    }


def _blocks(config: dict[str, Any], kind: ModelType, hidden: int, heads: int, vocab: int) -> dict[str, Any]:
    """Blocks that are a mixer or a feed-forward each, counted as layers of a mixer of which some have a feed-forward.

    Dense feed-forwards are spread over all mixers: their width is the mean, so that the weights come out right.
    """
    recurrent, attending, mixtures, dense = blocks_of_one_part(config)
    layers = recurrent + attending
    if (mixtures and dense) or mixtures > layers:
        raise BadInput("layers_block_type", "a mix of feed-forwards that is not counted.", NOT_COUNTED)
    mixture = experts(config, kind, layers) if mixtures else None
    if mixtures and mixture is None:
        raise BadInput("experts", "the blocks name a mixture, the configuration no experts.")
    params, state = MIXERS["blocks_of_one_part"](config) if recurrent else (0, 0)
    spread = round(required(config, "intermediate_size") * dense / layers) if dense else 0
    return {
        **_attention(config, kind, hidden, heads),
        **_traits(config, kind),
        "layers": layers,
        "hidden_size": hidden,
        "heads": heads,
        "vocab_size": vocab,
        "intermediate_size": spread,
        "experts": mixture.model_copy(update={"dense_layers": layers - mixtures}) if mixture else None,
        "linear": LinearState(linear_layers=recurrent, state_bytes_per_layer=state, params_per_layer=params)
        if recurrent
        else None,
    }


def _intermediate(config: Mapping[str, Any], kind: ModelType, mixture: bool, hidden: int) -> int | None:
    """Width of a dense feed-forward; a dense LFM2 takes two thirds of what its file says, rounded up, unless told."""
    stated = number(config, "dense_intermediate_size") if mixture else None
    stated = stated or number(config, "block_ff_dim") or number(config, "intermediate_size")
    if kind.name == "lfm2" and stated and config.get("block_auto_adjust_ff_dim", True):
        factor, step = config.get("block_ffn_dim_multiplier", 1.0), number(config, "block_multiple_of") or 256
        narrowed = int(2 * stated / 3)
        narrowed = int(factor * narrowed) if isinstance(factor, int | float) else narrowed
        return step * -(-narrowed // step)
    return stated or (None if mixture else 4 * hidden)


def _others(config: Mapping[str, Any], kind: ModelType, hidden: int, layers: int, recurrent: LinearState | None) -> int:
    """Parameters outside embedding, attention, feed-forwards, norms and head."""
    if kind.sparse_attention == "dsa":  # an indexer a layer: queries, one key with its norm, weights of the heads
        heads, width = required(config, "index_n_heads"), required(config, "index_head_dim")
        return layers * (heads * width * required(config, "q_lora_rank") + hidden * (width + heads) + 2 * width)
    if kind.encoder:  # pooler, kinds of tokens, the embedding's norm
        return hidden * (hidden + 1) + (number(config, "type_vocab_size") or 0) * hidden + 2 * hidden
    if config.get("mla_use_output_gate"):
        attending = layers - (recurrent.linear_layers if recurrent else 0)
        return attending * hidden * required(config, "heads") * required(config, "v_head_dim")
    return 0


def _head_dim(config: Mapping[str, Any]) -> int | None:
    """Width of a head; the mean where keys and values differ, so that the cache and the weights come out right."""
    keys, values = number(config, "head_dim"), number(config, "v_head_dim")
    return (keys + values) // 2 if keys and values else keys


def _kv_heads(config: Mapping[str, Any], kind: ModelType, heads: int) -> int:
    if kind.name == "falcon" and not config.get("new_decoder_architecture"):
        return 1 if config.get("multi_query", True) else heads
    if kind.name == "gpt_bigcode":
        return 1 if config.get("multi_query", True) else heads
    if kind.name == "chatglm" and not config.get("multi_query_attention", True):
        return heads
    return number(config, "kv_heads") or heads


def _latent(config: Mapping[str, Any]) -> LatentAttention | None:
    rank = number(config, "kv_lora_rank")
    if rank is None:
        return None
    for key in ("qk_rope_head_dim", "qk_nope_head_dim", "v_head_dim"):
        if config.get(key) is None:
            raise BadInput(key, "missing beside kv_lora_rank.")
    return LatentAttention(
        kv_lora_rank=rank,
        qk_rope_dim=number(config, "qk_rope_head_dim") or 0,
        qk_nope_dim=number(config, "qk_nope_head_dim") or 0,
        v_head_dim=required(config, "v_head_dim"),
        q_lora_rank=number(config, "q_lora_rank"),
    )
