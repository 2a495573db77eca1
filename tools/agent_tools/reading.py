"""Requests in people's words as the typed fields of the registered tools."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from kb.base import AdvisorError, BadInput, UnknownName
from kb.catalog import gpus
from kb.lexicon import (
    CardCount,
    ModelSize,
    Money,
    read_cards,
    read_count,
    read_duration,
    read_format,
    read_host_memory,
    read_memory,
    read_model,
    read_money,
    read_params,
    read_picture_size,
    size_in_name,
)  # fmt: skip
from kb.lexicon.memory.rules import amounts
from kb.lexicon.text import plain
from kb.models import models
from kb.records.gpu import Gpu
from tools.memory.diffusion import usual_frames

LANGUAGE_KINDS = frozenset({"llm", "vlm"})
ENGINES = {
    "llamacpp": "llama.cpp", "llama cpp": "llama.cpp", "llama-server": "llama.cpp", "lmstudio": "lm-studio",
    "lm studio": "lm-studio", "trt-llm": "tensorrt-llm", "tensorrt": "tensorrt-llm", "tensorrtllm": "tensorrt-llm",
    "hf": "transformers", "huggingface": "transformers", "text-generation-webui": "transformers", "mlx": "llama.cpp",
    "exllama": "llama.cpp", "exllamav2": "llama.cpp", "koboldcpp": "llama.cpp", "llamafactory": "llama-factory",
    "trl": "peft", "ms-swift": "peft", "swift": "peft", "llama.cpp server": "llama.cpp",
}  # fmt: skip
"""Names of engines as people write them, and programs that are one of them underneath."""
CACHES = {"q8": "q8_0", "8bit": "q8_0", "int8": "int8", "q4": "q4_0", "4bit": "q4_0", "f16": "bf16", "16bit": "bf16"}
FRAME_RATE = r"fps|frames?\s*(?:/|per|a)\s*s(?:ec(?:ond)?)?\b|帧\s*[/每]\s*秒"
CLIP_SECONDS = re.compile(r"(?<![\d.])(\d{1,4}(?:\.\d{1,2})?)\s*-?\s*(?:(?:s|secs?|seconds?)(?![a-z])|秒)", re.I)
NO_CARD = re.compile(r"(?:cpu|the cpu|no gpu|none|无|没有|不用显卡|纯)(?:[ -]?only|[ -]?cpu)?", re.I)
"""The processor alone."""
SIZE_INSTEAD = "Of a model that is not in the catalog give the size in its place: “8.5B”, “35B-A3B”."
OWNED_SINCE = 2020
MIXED_FROM = 90_000_000_000
"""Weights from which most open models are mixtures of experts."""
DENSE = (
    "taken as dense. Models of that size are mostly mixtures: as much memory, several times as fast. Say which, or "
    "give “120B-A12B”."
)
PARALLEL = re.compile(r"\b(tp|pp|dp|ep)\s*[=: ]?\s*(\d{1,4})", re.I)
CARDS = ("consumer", "workstation", "data_center")
"""Markets of what people call a card, the likeliest first."""


def count(text: str | None, field: str) -> int | None:
    """A whole number as people write it: "32k" tokens are 32,768 where that is the power of two they mean."""
    if text is None:
        return None
    kilo = re.fullmatch(r"\s*(\d{1,4})\s?[kK]\s*(?:tokens?|ctx|context)?\s*", text)
    if kilo and field in {"context_tokens", "sequence_tokens"} and int(kilo[1]) & (int(kilo[1]) - 1) == 0:
        return int(kilo[1]) * 1024
    return round(read_count(text, field))


def number(text: str | None, field: str) -> float | None:
    """A number as people write it."""
    if text is None:
        return None
    found = re.match(r"\s*[<>≥≤~≈]?\s*(\d+(?:\.\d+)?)\s*(?:tok(?:en)?s?|t)?\s*(?:/|per|a)\s*s", text)
    return float(found[1]) if found else read_count(text, field)


def ratio(text: str | None, field: str) -> float | None:
    """A share: "13%", "0.13"."""
    if text is None:
        return None
    value = read_count(text.replace("%", "").replace("％", ""), field)
    return value / 100 if "%" in text or "％" in text or value > 1 else value


def seconds(text: str | None, field: str) -> float | None:
    """A time as people write it."""
    return None if text is None else _bare(text) or read_duration(text, field)


def _bare(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\s*\d+(?:\.\d+)?\s*", text) else None


def memory(text: str | None, field: str) -> int | None:
    """An amount of memory as people write it; none of it is nothing said."""
    return None if text is None or re.fullmatch(r"\s*0+(?:\.0+)?\s*[A-Za-z]*\s*", text) else read_memory(text, field)


def money(text: str | None, field: str) -> Money | None:
    """An amount of money with its currency, and per what."""
    return None if text is None else read_money(text, field)


def cards(text: Sequence[str] | str | None, field: str = "cards") -> tuple[CardCount, ...]:
    """Cards with their counts.

    Raises:
        BadInput, UnknownName: none can be read out of it, or one is not in the catalog.
    """
    if not text or (isinstance(text, str) and NO_CARD.fullmatch(text.strip())):
        return ()
    return read_cards(text if isinstance(text, str) else " + ".join(text), field)


def stated(found: Sequence[CardCount], field: str = "cards") -> list[dict[str, Any]]:
    """Cards as requests of solvers take them.

    A card without a name is taken for the usual one of its memory.

    Raises:
        BadInput: one has no name, and no card has its memory.
    """
    found = [one if one.gpu else one.model_copy(update={"gpu": usual(one.memory_bytes)}) for one in found]
    for one in found:
        if one.gpu is None:
            raise BadInput(
                field,
                f"names no product in “{one.name or 'a card'}”.",
                "Name a card of that memory: find_cards lists them.",
            )

    return [
        {
            "gpu": one.gpu,
            "count": one.count,
            **{name: value for name in ("memory_bytes", "profile") if (value := getattr(one, name))},
        }
        for one in found
    ]


def usual(memory_bytes: int | None) -> str | None:
    """The card that people mean by its memory alone: the consumer card of that size, else the usual one."""
    alike = [
        card
        for card in gpus().values()
        if card.memory_bytes == memory_bytes and card.market in CARDS and card.status != "modified"
    ]
    if not alike:
        return None
    return min(alike, key=_likelihood).id


def _likelihood(card: Gpu) -> tuple[int, bool, bool, float, str]:
    """What people own: consumer cards of the usual maker that are not ten years old, the slowest where several are."""
    old = (card.year or 0) < OWNED_SINCE
    return CARDS.index(card.market), card.vendor != "NVIDIA", old, card.bandwidth_bytes_per_s or 0.0, card.id


def one_kind(found: Sequence[CardCount], field: str = "cards") -> tuple[str | None, int | None]:
    """The card and its count where there is one kind; of unlike ones the smallest, with the count of all."""
    if not found:
        return None, None
    named = [row["gpu"] for row in stated(found, field)]
    smallest = min(named, key=lambda key: gpus()[key].memory_bytes)
    return smallest, sum(one.count for one in found)


def model_and_format(
    text: str | None, weight_format: str | None, *, published: bool = False
) -> tuple[dict[str, Any], str | None]:
    """The fields that name a model, and its format where either says one; `published`: also where it is its own.

    A size alone ("a 70B model") gives the parameter count.
    """
    form = None if weight_format is None else read_format(weight_format)
    if text is None:
        return {}, form
    try:
        found = read_model(text)
    except AdvisorError as unknown:
        return _size_alone(text, form, unknown)
    return {"model": found.model}, form or (found.said_format if published else found.weight_format)


def _size_alone(text: str, form: str | None, unknown: AdvisorError) -> tuple[dict[str, Any], str | None]:
    """The counts of a model that is named by its size alone, "70b awq", "35B-A3B", "561M", or of which nothing but the
    size in its name is known: "my-7b-chat".

    Raises:
        AdvisorError: it is no size either, or names a family that is known and has none of that size.
    """
    size = _unlisted(text, unknown)
    if size is None:
        try:
            size = read_params(text)
        except AdvisorError:
            if type(unknown) is UnknownName:
                unknown.args = (f"{unknown} {SIZE_INSTEAD}",)
            raise unknown from None
    counts = {"params": size.params, "active_params": size.active_params}
    return {name: value for name, value in counts.items() if value}, form or size.weight_format


def _unlisted(text: str, unknown: AdvisorError) -> ModelSize | None:
    return size_in_name(text) if type(unknown) is UnknownName else None


DYNAMIC = re.compile(r"(?<![a-z0-9])ud[-_](?=[a-z]*q?\d)", re.I)
"""What Unsloth marks its files with whose layers have unlike widths."""


def format_read_as(text: str | None) -> str | None:
    """That a file of layers of unlike widths is reckoned as a plain one of the name; null where none is named."""
    if text is None or DYNAMIC.search(text) is None:
        return None
    return (
        "A dynamic file (UD-) is reckoned as the plain one of its name: its layers differ in width, so its own size "
        "decides what fits, and its loss is another than the one told."
    )


def model_read_as(text: str | None) -> str | None:
    """That a model is reckoned by the size in its name; null where it is known, or no name at all."""
    if text is None:
        return None
    if (alone := _size_without_model(text)) is not None:
        return alone
    try:
        read_model(text)
    except AdvisorError as unknown:
        size = _unlisted(text, unknown)
        if size is not None:
            return (
                f"“{text[:60]}” is not in the catalog: only its size of {size.params / 1e9:g}B is used, shape guessed"
                f"{', ' + DENSE if size.params >= MIXED_FROM and not size.active_params else '.'}"
            )
    return None


def _size_without_model(text: str) -> str | None:
    """That a size alone is reckoned as a dense model; null where a model is named, a mixture's size, or a small one."""
    try:
        size = read_params(text)
    except AdvisorError:
        return None
    if size.active_params or size.params < MIXED_FROM:
        return None
    return f"“{text[:60]}” names no model: {DENSE}"


def kind_of(named: dict[str, Any]) -> str:
    """The catalog's kind of a model: llm, vlm, diffusion, …; a size alone is a language model's."""
    model = models().get(named.get("model", ""))
    return model.kind if model else "llm"


def engine(text: str | None) -> str | None:
    """An engine by the name people use."""
    if text is None:
        return None
    plain = text.strip().lower()
    return ENGINES.get(plain, ENGINES.get(plain.split()[0], plain.split()[0] if plain.split() else plain))


def cache(text: str | None) -> str | None:
    """The format of a cache."""
    if text is None:
        return None
    plain = text.strip().lower().replace("-", "").replace("_", "_")
    return CACHES.get(plain, plain)


def host(text: str | None) -> dict[str, Any]:
    """Memory of the machine itself, with its channels and bandwidth where they are said."""
    if text is None:
        return {}
    stated = bool(amounts(plain(text)))
    found = read_host_memory(text if stated else f"64GB {text}", "host_memory")
    return {
        "host_memory_bytes": found.bytes if stated else None, "memory_channels": found.channels,
        "host_bandwidth_bytes_per_s": found.bandwidth_bytes_per_s,
    }  # fmt: skip


def host_read_as(text: str) -> tuple[str, ...]:
    """What was taken for granted in reading the memory of a machine."""
    found = read_host_memory(text if amounts(plain(text)) else f"64GB {text}", "host_memory")
    if found.bandwidth_bytes_per_s is None and found.channels is not None:
        return (*found.assumptions, f"No kind or speed of modules is read in “{text[:60]}”: usual ones are taken.")
    return found.assumptions


def size(text: str | None, named: Mapping[str, Any] | None = None) -> dict[str, int]:
    """Pixels, frames and steps of a picture or clip: "832x480 81 frames 20 steps", 「720p 5 秒 24fps」.

    Seconds become frames by the rate said, else by the usual one of the model `named`.

    Raises:
        BadInput: it says none of them.
    """
    if text is None:
        return {}
    found: dict[str, int] = {}
    rest = text
    for name, unit in (("rate", FRAME_RATE), ("frames", r"f(?:rames?)?\b|帧"), ("steps", r"steps?\b|步")):
        if match := re.search(rf"(\d{{1,5}})\s*(?:{unit})", rest, re.I):
            found[name] = int(match[1])
            rest = rest.replace(match[0], " ")
    if match := CLIP_SECONDS.search(rest):
        family = models()[named["model"]].family if named and named.get("model") in models() else ""
        long, rate = float(match[1]), found.get("rate")
        found.setdefault("frames", round(long * rate) + 1 if rate else usual_frames(family, long))
        rest = rest.replace(match[0], " ")
    found.pop("rate", None)
    with suppress(BadInput):
        pixels = read_picture_size(rest)
        found |= {"width_px": pixels.width_px, "height_px": pixels.height_px}
    if not found:
        raise BadInput(
            "size", "names no pixels, frames, seconds or steps.", "Write e.g. “1024x1024 30 steps”, “720p 5 s”."
        )
    return found


def parallel(text: str | None) -> dict[str, int]:
    """A layout: "TP2 PP2"."""
    if text is None:
        return {}
    found = {name.lower(): int(value) for name, value in PARALLEL.findall(text)}
    if not found:
        raise BadInput("parallel", "names no layout.", "Write e.g. “tp 2 pp 2”.")
    return found
