"""The models one can run or train, loaded once on first use, and strict resolution of what people call them."""

from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from kb.base import UnknownName
from kb.records.model import Model
from kb.records.source import Source

FACTS = Path(__file__).parent / "facts"
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
FORMAT_WORDS = frozenset(
    ("awq", "gptq", "gguf", "fp8", "fp4", "nvfp4", "mxfp4", "int4", "int8", "bf16", "fp16", "bnb", "4bit", "8bit")
    + ("w8a8", "w4a16", "exl2", "mlx", "quantized", "dynamic", "hf")
)
"""Endings of checkpoint names that say how the weights are stored, not what the model is."""


@lru_cache(maxsize=1)
def models() -> dict[str, Model]:
    """Every model by catalog id."""
    rows = [row for path in sorted((FACTS / "models").glob("*.yaml")) for row in _load(path)]
    return {row["id"]: Model.model_validate(row) for row in rows}


@lru_cache(maxsize=1)
def model_sources() -> dict[str, Source]:
    """Sources of facts about models, by id."""
    return {key: Source(id=key, **row) for key, row in _load(FACTS / "model_sources.yaml").items()}


@lru_cache(maxsize=1)
def brands() -> dict[str, tuple[str, ...]]:
    """Makers' names of model families → how else people write them."""
    return {brand: tuple(names) for brand, names in _load(FACTS / "model_brands.yaml").items()}


def model(name: str) -> Model:
    """The model with this id, Hugging Face id or alias, or the one a `config.json` at this path describes.

    Raises:
        UnknownName: with the closest names.
        AmbiguousName: models of different shape bear the name.
        BadDocument: the configuration cannot be read.
        BadInput: it describes no transformer.
    """
    found = models().get(name)
    if found is not None:
        return found
    if name.endswith(".json") and Path(name).is_file():
        from kb.model_config import shape_from_config

        return shape_from_config(name)
    from kb.names import model_names

    try:
        return models()[model_names().resolve(name)]
    except UnknownName:
        plain = _without_format(name)
        if plain == name:
            raise
    return models()[model_names().resolve(plain)]


def of_size(ids: tuple[str, ...], params: float, tolerance: float = 0.12) -> tuple[str, ...]:
    """Which of `ids` have about `params` parameters: 「Qwen2.5 的 72B 版本」 names a family and a size."""
    return tuple(key for key in ids if abs(models()[key].params - params) <= tolerance * params)


def _without_format(name: str) -> str:
    """`Qwen2.5-72B-Instruct-GPTQ-Int4` → `Qwen2.5-72B-Instruct`."""
    words = name.split("-")
    while len(words) > 1 and words[-1].lower() in FORMAT_WORDS:
        words.pop()
    return "-".join(words)


def _load(path: Path) -> Any:
    with path.open(encoding="utf-8") as file:
        return yaml.load(file, Loader=_Loader)  # noqa: S506 - both loaders are safe ones
