"""The models one can run or train, loaded once on first use, and strict resolution of what people call them."""

from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from kb.base import BadInput, ClosedModel, Frozen, UnknownName
from kb.configs.parameters import count_active, count_parameters
from kb.records.model import Model
from kb.records.source import Source
from kb.snapshot import load_yaml

FACTS = Path(__file__).parent / "facts"
LIKE_ANOTHER = "same-shape"
FORMATS = {
    "awq": "awq", "gptq": "gptq", "int4": "int4", "int8": "int8", "fp8": "fp8", "nvfp4": "nvfp4", "mxfp4": "mxfp4",
    "4bit": "int4", "8bit": "int8", "bnb": "nf4", "w8a8": "int8", "w4a16": "int4", "bf16": "bf16", "fp16": "fp16",
    "w8a16": "int8", "w4a4": "int4", "mxfp8": "fp8", "fp4": "nvfp4",
}  # fmt: skip
"""Endings of checkpoint names that say how the weights are stored → the format."""
PACKAGING = frozenset({"gguf", "mlx", "exl2", "quantized", "dynamic", "hf", "diffusers"})
"""Endings that say nothing of the format by themselves."""
HOW = frozenset({"qat", "qad", "ct", "block", "static", "pertensor", "v1", "v2", "w", "a"})
"""Words beside a format that say how it was come by: they end a name only together with one (`qat-w4a16-ct`)."""
WIDTHS = frozenset({"int8", "int4", "fp8"})
"""Formats that yield to a more telling word before them: `GPTQ-Int4`, `w-mxfp4-a-fp8`, `NVFP4-W4A4`."""


@lru_cache(maxsize=1)
def models() -> dict[str, Model]:
    """Every model by catalog id."""
    rows = [row for path in sorted((FACTS / "models").glob("*.yaml")) for row in load_yaml(path)]
    own = {row["id"]: Model.model_validate(row) for row in rows if "like" not in row}
    return own | {row["id"]: _like(row, own) for row in rows if "like" in row}


NOT_OF_THE_SHAPE = frozenset(
    {"id", "name", "family", "aliases", "chat_id", "checkpoint_bytes", "licence", "released", "notes", "sources"}
)
"""Fields that a model does not share with the one it is shaped like."""


def _like(row: Mapping[str, Any], models: Mapping[str, Model]) -> Model:
    """A fine-tune, or a language model with a tower beside it: the shape of `row["like"]` with the row's own fields.

    Parameters are counted anew when a field of the shape is its own.

    Raises:
        KeyError: no such model to be like.
    """
    base = models[row["like"]]
    shape = {key: getattr(base, key) for key in base.model_fields_set - NOT_OF_THE_SHAPE}
    own = {key: value for key, value in row.items() if key not in ("like", "sources")}
    vouched = {LIKE_ANOTHER: tuple(key for key in shape if key not in own), **row.get("sources", {})}
    made = Model.model_validate({**shape, **own, "sources": vouched})
    difference = (count_parameters(made) or 0) - (count_parameters(base) or 0)
    active = count_active(made) if base.active_params else None
    return made.model_copy(update={"params": base.params + difference, "active_params": active})


@lru_cache(maxsize=1)
def model_sources() -> dict[str, Source]:
    """Sources of facts about models, by id."""
    return {key: Source(id=key, **row) for key, row in load_yaml(FACTS / "model_sources.yaml").items()}


@lru_cache(maxsize=1)
def brands() -> dict[str, tuple[str, ...]]:
    """Makers' names of model families → how else people write them."""
    return {brand: tuple(names) for brand, names in load_yaml(FACTS / "model_brands.yaml").items()}


class Closed(Frozen):
    """Models of one maker that run only as its service."""

    id: str
    maker: str
    names: tuple[str, ...]
    open: str | None = None
    """Catalog id of an open model of the same maker or kind."""
    mixed: bool = False
    """Whether the maker publishes other models under the same name: a version not listed is then not said closed."""


@lru_cache(maxsize=1)
def closed_models() -> dict[str, Closed]:
    """Models nobody can host themselves, by group."""
    return {row["id"]: Closed.model_validate(row) for row in load_yaml(FACTS / "closed_models.yaml")}


def closed(name: str) -> Closed | None:
    """The closed models that `name` is one of ("gpt-4o-2024-08-06", 「豆包」); None for any other name."""
    from kb.naming.names import closed_names

    tail = name.rpartition("/")[2].strip()
    first = next(iter(closed_names().scan(tail)), None)
    return closed_models()[first.ids[0]] if first is not None and first.start == 0 else None


def model(name: str) -> Model:
    """The model with this id, Hugging Face id or alias, or the one that the `config.json` or GGUF file here describes.

    Raises:
        UnknownName: with the closest names.
        ClosedModel: it runs only as its maker's service.
        AmbiguousName: models of different shape bear the name.
        BadDocument: the configuration cannot be read.
        BadInput: it describes no transformer.
    """
    found = models().get(name)
    if found is not None:
        return found
    if name.endswith(".json") and _is_file(name):
        from kb.configs.model_config import shape_from_config

        return shape_from_config(name)
    if name.endswith(".gguf") and _is_file(name):
        from kb.configs.gguf_shape import shape_from_gguf

        return shape_from_gguf(Path(name))
    from kb.naming.names import model_names

    try:
        return models()[model_names().resolve(name)]
    except UnknownName as unknown:
        _refuse_closed(name)
        if (published := _from_hub(name)) is not None:
            return published
        plain, stored = _without_format(name)
        if plain == name:
            raise unknown from None
    published = models()[model_names().resolve(plain)]
    return published.model_copy(update={"native_format": stored, "checkpoint_bytes": {}}) if stored else published


def _refuse_closed(name: str) -> None:
    """Raise ClosedModel when `name` is one."""
    if (service := closed(name)) is not None:
        raise ClosedModel(name, service.maker, (service.open,) if service.open else ())


def of_size(ids: tuple[str, ...], params: float, tolerance: float = 0.12) -> tuple[str, ...]:
    """Which of `ids` have about `params` parameters: 「Qwen2.5 的 72B 版本」 names a family and a size."""
    return tuple(key for key in ids if abs(models()[key].params - params) <= tolerance * params)


def _without_format(name: str) -> tuple[str, str | None]:
    """`Qwen2.5-72B-Instruct-GPTQ-Int4` → `Qwen2.5-72B-Instruct`, gptq; the method tells more than its width."""
    words, stored = name.replace("-quantized.", "-quantized-").split("-"), None
    while len(words) > 1:
        taken = next((count for count in (4, 3, 2, 1) if _ends_in_format(words, count)), 0)
        if not taken:
            break
        for word in reversed(words[-taken:]):
            found = FORMATS.get(word.lower())
            if found and (stored is None or (stored in WIDTHS and not (found == "gptq" and stored == "int8"))):
                stored = found
        words = words[:-taken]
    return "-".join(words), stored


def _ends_in_format(words: list[str], count: int) -> bool:
    """Whether the last `count` words are a format, or packaging, and words that say how it was come by."""
    if len(words) <= count:
        return False
    first, rest = words[-count].lower(), [word.lower() for word in words[len(words) - count + 1 :]]
    own = first in FORMATS or first in PACKAGING
    led = first in HOW and any(word in FORMATS for word in rest)
    return (own or led) and all(word in HOW or word in FORMATS for word in rest)


def read_local_configs() -> None:
    """Let `model()` read a `config.json` or GGUF file of this machine by its path, in this process.

    Only the command line asks for it: a server must not open files that a caller names.
    """
    _LOCAL.append(True)


_LOCAL: list[bool] = []
_HUB: list[bool] = []


def read_hub_configs() -> None:
    """Let `model()` ask the hub, in this process, for the configuration of an id the catalog lacks."""
    _HUB.append(True)


def _from_hub(name: str) -> Model | None:
    """The model a hub publishes under this id; None where that is not allowed or the hub has none that can be read."""
    if not _HUB:
        return None
    from kb.configs.hub import hub_config
    from kb.configs.model_config import shape_from_config

    config = hub_config(name)
    if config is None:
        return None
    with suppress(BadInput):
        read = shape_from_config({**config, "_name_or_path": name})
        _, stored = _without_format(name)
        told = stored if stored and "quantization_config" not in config else read.native_format
        return read.model_copy(update={"native_format": told})
    return None


def _is_file(name: str) -> bool:
    try:
        return bool(_LOCAL) and Path(name).is_file()
    except OSError:
        return False
