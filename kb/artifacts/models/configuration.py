"""JSON files of models: `config.json`, `generation_config.json`, the index of safetensors, Meta's `params.json`."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from kb.artifacts.artifact import Block, Fact, Format, Read, Spot
from kb.artifacts.json_text import documents, lines_of_keys, loads
from kb.artifacts.sheet import Sheet
from kb.artifacts.state.tables import stated
from kb.base import AdvisorError
from kb.configs.model_config import KEYS, shape_from_config

_NAMES = {
    "layers": "layers", "hidden_size": "hidden_size", "heads": "heads", "kv_heads": "kv_heads", "head_dim": "head_dim",
    "intermediate_size": "intermediate_size", "vocab_size": "vocab_size", "max_context_tokens": "context_max_tokens",
    "experts": "experts", "experts_per_token": "experts_per_token",
}  # fmt: skip
_INNER = ("text_config", "llm_config", "language_config", "thinker_config")


def _is_config(value: Any) -> bool:
    if not isinstance(value, Mapping):
        return False
    inner = next((value[key] for key in _INNER if isinstance(value.get(key), Mapping)), value)
    known = sum(any(name in inner or name in value for name in names) for names in KEYS.values())
    return known >= 3 and ("model_type" in value or "architectures" in value or known >= 5)


def _is_generation(value: Any) -> bool:
    keys = {
        "temperature",
        "top_p",
        "top_k",
        "do_sample",
        "eos_token_id",
        "pad_token_id",
        "bos_token_id",
        "repetition_penalty",
    }
    return isinstance(value, Mapping) and len(keys & set(value)) >= 3 and not _is_config(value) and "model" not in value


def _is_index(value: Any) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("weight_map"), Mapping)


def _is_params(value: Any) -> bool:
    return isinstance(value, Mapping) and {"dim", "n_layers", "n_heads"} <= set(value)


def _detector(fits: Callable[[Any], bool]) -> Callable[[Sheet], Iterable[Spot]]:
    def detects(sheet: Sheet) -> Iterable[Spot]:
        return [one.spot for one in documents(sheet) if fits(one.value)]

    return detects


def _value(block: Block) -> Mapping[str, Any]:
    read = loads(block.text)
    return read[0] if read is not None and isinstance(read[0], Mapping) else {}


def _read_config(block: Block) -> Read:
    document = _value(block)
    return Read(tuple(_config(document, block)))


def _config(document: Mapping[str, Any], block: Block) -> Iterator[Fact]:
    lines, first = lines_of_keys(block), block.lines[0]
    inner: Mapping[str, Any] = next((document[key] for key in _INNER if isinstance(document.get(key), Mapping)), {})
    config = {**document, **inner}
    for field, names in KEYS.items():
        name = next(
            (one for one in names if isinstance(config.get(one), int) and not isinstance(config[one], bool)), None
        )
        if name is not None and field in _NAMES:
            yield from stated({_NAMES[field]: config[name]}, lines.get(name, first))
    architectures = document.get("architectures")
    if isinstance(architectures, list) and architectures:
        yield from stated({"architecture_name": str(architectures[0])}, lines.get("architectures", first))
    elif document.get("model_type"):
        yield from stated({"architecture_name": str(document["model_type"])}, lines.get("model_type", first))
    scaling = config.get("rope_scaling")
    if isinstance(scaling, Mapping) and (kind := scaling.get("rope_type") or scaling.get("type")):
        yield from stated({"rope_scaling": str(kind)}, lines.get("rope_scaling", first))
    if document.get("_name_or_path"):
        yield from stated({"model": str(document["_name_or_path"])}, lines.get("_name_or_path", first))
    try:
        shape = shape_from_config(document)
    except (AdvisorError, ValueError, TypeError, ArithmeticError):
        return
    yield from stated({"params": shape.params, "active_params": shape.active_params}, first)
    quantised = "quantization_config" if "quantization_config" in lines else "torch_dtype"
    yield from stated({"weight_format": str(shape.native_format)}, lines.get(quantised, lines.get("dtype", first)))


def _read_generation(block: Block) -> Read:
    document, lines = _value(block), lines_of_keys(block)
    known = {"temperature": "temperature_sampling", "top_p": "top_p", "top_k": "top_k"}
    facts = [
        fact
        for key, name in known.items()
        if isinstance(document.get(key), int | float)
        for fact in stated({name: document[key]}, lines.get(key, block.lines[0]))
    ]
    return Read(tuple(facts))


def _read_index(block: Block) -> Read:
    document, lines = _value(block), lines_of_keys(block)
    meta = document.get("metadata")
    size = meta.get("total_size") if isinstance(meta, Mapping) else None
    files = (
        {one for one in document["weight_map"].values() if isinstance(one, str)} if "weight_map" in document else set()
    )
    facts = [
        *stated(
            {"file_bytes": int(size)} if isinstance(size, int | float) else {}, lines.get("total_size", block.lines[0])
        )
    ]
    facts += stated({"shards": len(files)}, lines.get("weight_map", block.lines[0]))
    return Read(tuple(facts))


def _read_params(block: Block) -> Read:
    document, lines = _value(block), lines_of_keys(block)
    known = {
        "dim": "hidden_size",
        "n_layers": "layers",
        "n_heads": "heads",
        "n_kv_heads": "kv_heads",
        "vocab_size": "vocab_size",
    }
    facts = [
        fact
        for key, name in known.items()
        if isinstance(document.get(key), int) and document[key] > 0
        for fact in stated({name: document[key]}, lines.get(key, block.lines[0]))
    ]
    return Read(tuple(facts))


CONFIG = Format("model_config", "model", ("hidden", "n_embd", "d_model"), _detector(_is_config), _read_config, weight=2)
GENERATION = Format("generation_config", "model", ("top_p", "token_id"), _detector(_is_generation), _read_generation)
INDEX = Format("safetensors_index", "model", ("weight_map",), _detector(_is_index), _read_index, weight=2)
PARAMS = Format("params_json", "model", ("n_layers",), _detector(_is_params), _read_params, weight=2)
