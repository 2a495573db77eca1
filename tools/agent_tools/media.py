"""Models of pictures, clips, speech and embeddings on cards in hand: memory, ways to make it fit, and their time."""

from collections.abc import Mapping
from typing import Any, Protocol

from kb.catalog import gpus, models
from kb.constants.item_work import item_work
from kb.constants.speed_constants import speed_sources
from kb.programs.engines import program
from kb.units import format_bytes
from tools.agent_tools import reading
from tools.agent_tools.desk import Desk
from tools.agent_tools.shown import shown, shown_row

PARTS = {
    None: "all on the card at once", "components": "one after the other on the card (CPU offload)",
    "all": "weights in host memory, those the card lacks room for sent block by block (block swap, group offload)",
}  # fmt: skip
"""What may leave the card, the fastest first."""
BY_ITSELF = {"comfyui": "one after the other on the card, as ComfyUI moves them by itself"}
"""What a program does with the parts where it is not told."""
DECODES = "Decoder"
"""The label of a decoder's weights; what is held at the peak are they alone where the picture is decoded last."""
IN_PARTS = frozenset({"diffusion", "video"})
"""Kinds of models whose parts may leave the card."""
NARROWER = ("fp8", "gguf:Q8_0", "gguf:Q4_K_M")
RATES = ("time_per_image_s", "time_per_clip_s", "images_per_s", "realtime_factor", "audio_s_per_s", "documents_per_s",
         "live", "host_bytes", "streamed_ratio")  # fmt: skip
PROGRAMS = ("comfyui", "diffusers")
READERS = frozenset({"embedding", "reranker", "encoder"})
"""Kinds whose memory grows with the length of texts and their number in a batch."""
EAGER_FROM = 2048
"""Tokens of a text from which attention that writes its scores out may decide the memory."""
READ = frozenset({
    "model", "cards", "host_memory", "context_tokens", "input_tokens", "concurrent_sequences", "users", "weight_format",
    "engine", "size",
})  # fmt: skip
"""Fields of a request that count for such models."""
NOT_TIMED = (
    "How fast this model is was not estimated: no formula here holds for its kind (speech that is generated, sound). "
    "What others measured is told as it is; measure the real-time factor, seconds of work over seconds of sound."
)
WEIGHTS_FIT = "weights_fit"
"""The verdict on a model of which nothing but the weights is known to fit."""
DEALT = "the weights fit"
WEIGHTS_ALONE = (
    "Only weights are counted, as the shape of this model is not known: what it holds while it works grows with its "
    "input (of structures and of attention written out, with the square or the cube) and may be many times that."
)
HOST_SHARE = 0.85
"""Of the machine's memory, what weights may take beside the system and the program."""
WAYS_MAX = 6
Found = tuple[str | None, dict[str, Any]]
"""What leaves the card, and the estimate of it."""


class Asked(Protocol):
    """What is read of a request."""

    @property
    def cards(self) -> str | None:
        """As in the request."""

    @property
    def size(self) -> str | None:
        """As in the request."""

    @property
    def engine(self) -> str | None:
        """As in the request."""

    @property
    def host_memory(self) -> str | None:
        """As in the request."""

    @property
    def input_tokens(self) -> str | None:
        """As in the request."""

    @property
    def context_tokens(self) -> str | None:
        """As in the request."""

    @property
    def concurrent_sequences(self) -> str | None:
        """As in the request."""

    @property
    def users(self) -> str | None:
        """As in the request."""


def read_of(request: Asked) -> frozenset[str]:
    """Fields that count; a program whose memory is not known does not."""
    return READ if _engine(request.engine) else READ - {"engine"}


def run(request: Asked, desk: Desk, named: dict[str, Any], form: str | None) -> dict[str, Any]:
    """Memory whole, by parts in turn, and with weights in host memory; the time of the first way that fits."""
    card, number = reading.one_kind(reading.cards(request.cards))
    size = reading.size(request.size, named)
    steps, said = size.pop("steps", None), _engine(request.engine)
    kind = reading.kind_of(named)
    batch = reading.count(request.concurrent_sequences or request.users, "concurrent_sequences")
    length = reading.count(request.input_tokens or request.context_tokens, "input_tokens")
    load = {"images_per_batch": batch} if kind in IN_PARTS else {"concurrent_sequences": batch}
    if kind in READERS:
        load["context_tokens"] = length
    base = {**named, "gpu": card, "task": "inference", "engine": said, **size, **load}
    parted = kind in IN_PARTS
    found = list(_estimates(desk, base, form, parted=parted))
    timed = {
        **named, "gpu": card, "gpu_count": number, "weight_format": form, "engine": said if parted else None, **size,
        "steps": steps, "input_tokens": length, "concurrent_sequences": batch,
    }  # fmt: skip
    first, speed = _first(request, desk, timed, [one for one in found if _fits(one[1])] if card else [], parted=parted)
    rate = {name: speed[name] for name in (*RATES, "steps", "label") if speed.get(name) is not None}
    ways = [_way(estimate, offload, said, parted=parted) for offload, estimate in _told(found, first)]
    uncounted = _uncounted(found)
    verdict = WEIGHTS_FIT if first and uncounted else _verdict(found, first)
    spread = _spread_over(found, number) if verdict == "does_not_fit" and not parted else None
    fewer = _fewer(desk, base, form, batch or 1) if verdict == "does_not_fit" else None
    verdict = WEIGHTS_FIT if DEALT in (spread or "") else verdict
    return {
        "answer": {
            "verdict": "fits_with_changes" if fewer else verdict, "model": named.get("model"),
            **({"fits_in_batches_of": fewer} if fewer else {}),
            **({"over_all_cards": spread} if spread else {}),
            **({"way": f"{first[1]['weight_format']}, {_parts(first[0], said)}"} if first and parted else {}),
        },
        "ways": ways, "speed": shown(rate) if rate else None,
        **({} if rate else _spoken(named)),
        **(_eager(desk, base, form) if kind in READERS and (length or 0) >= EAGER_FROM else {}),
        "assumptions": speed.get("assumptions", [])[:3],
        "warnings": [
            *uncounted, *([NOT_TIMED] if card and not rate else []), *_host(request, speed), *speed.get("warnings", [])
        ][:3],
    }  # fmt: skip


def _spoken(named: Mapping[str, Any]) -> dict[str, Any]:
    """What was measured of a family that speaks, on whichever card it was."""
    known = models().get(named.get("model") or "")
    found = item_work().spoken.get(known.family) if known else None
    if found is None:
        return {}
    told = found.model_dump(exclude_none=True)
    return {"measured_by_others": {**told, "source": speed_sources()[found.source].url}}


def _spread_over(found: list[Found], cards: int | None) -> str | None:
    """What each card holds where the program deals the layers out over all of them, with the cards that then do."""
    one = found[0][1]
    usable, per = (one.get("fit") or {}).get("usable_bytes"), one["per_gpu"]
    if not usable:
        return None
    weights = sum(part["bytes"] for part in per["parts"] if part["name"] == "weights")
    rest = per["total_bytes"] - weights
    needed = -(-weights // max(usable - rest, 1)) if usable > rest else None
    if cards is None or cards < 2:
        return f"dealt out by layers, {needed} of this card hold the weights" if needed else None
    each = weights / cards + rest
    more = f"; {needed} would hold them" if needed else ""
    return (
        f"dealt out by layers (device_map, or the model's own program) {format_bytes(each)} of {format_bytes(usable)} "
        f"on each of {cards}: {DEALT if each <= usable else 'they do not fit' + more}. Cards then work in turn; see "
        "that the program splits this model"
    )


def _fewer(desk: Desk, base: Mapping[str, Any], form: str | None, batch: int) -> int | None:
    """The largest batch that fits, by halving; null where not even one does."""
    field = "images_per_batch" if base.get("images_per_batch") else "concurrent_sequences"
    while batch > 1:
        batch //= 2
        found = desk.tried("estimate_memory", {**base, "weight_format": form, field: batch})
        if found is not None and _fits(found):
            return batch
    return None


def _eager(desk: Desk, base: Mapping[str, Any], form: str | None) -> dict[str, Any]:
    """The memory where attention writes its scores out, layer by layer: batch · heads · length² beside the rest.

    Transformers without SDPA or FlashAttention does; TEI, vLLM and llama.cpp do not.
    """
    found = desk.tried("estimate_memory", {**base, "weight_format": form, "attention": "eager"})
    usual = desk.tried("estimate_memory", {**base, "weight_format": form})
    if found is None or usual is None or found["per_gpu"]["total_bytes"] == usual["per_gpu"]["total_bytes"]:
        return {}
    return {"if_attention_is_eager": shown_row({"needed_bytes": interval(found["per_gpu"]),
                                                "fit": (found.get("fit") or {}).get("verdict")})}  # fmt: skip


def _uncounted(found: list[Found]) -> list[str]:
    """What is said where the shape of a model is not known: its weights alone are no verdict on it at work."""
    counted = any(
        part["name"] == "activations" and part["bytes"] for _, one in found for part in one["per_gpu"]["parts"]
    )
    return [] if counted else [WEIGHTS_ALONE]


def _first(
    request: Asked, desk: Desk, timed: dict[str, Any], fitting: list[Found], *, parted: bool
) -> tuple[Found | None, dict[str, Any]]:
    """The first way that the host holds as well, with its speed; where none is, the first that the card holds."""
    if not parted or not fitting:
        speed = desk.tried("estimate_inference_speed", timed) if timed["gpu"] else None
        return (fitting[0] if fitting else None), speed or {}
    tried: list[tuple[Found, dict[str, Any]]] = []
    for one in fitting:
        asked = {**timed, "weight_format": one[1]["weight_format"], "offload": one[0]}
        speed = desk.tried("estimate_inference_speed", asked) or {}
        tried.append((one, speed))
        if not _host(request, speed) or not request.host_memory:
            return one, speed
    return tried[0]


def _engine(text: str | None) -> str | None:
    """The program, where it is one whose memory is known."""
    named = reading.engine(text)
    return named if named in PROGRAMS else "comfyui" if text and program(text) is None and "comfy" in text else None


def _estimates(desk: Desk, base: Mapping[str, Any], form: str | None, *, parted: bool) -> list[Found]:
    """(what leaves the card, estimate), what gives up least first: parts in turn, then a narrower format, then the
    weights themselves."""
    forms = dict.fromkeys([form, *(NARROWER if parted and not form else ())])
    order = [(offload, each) for each in forms for offload in ((None, "components") if parted else (None,))]
    order += [("all", each) for each in forms] if parted and base["gpu"] else []
    found: list[Found] = []
    for offload, each in order:
        asked = {**base, "weight_format": each, "offload": offload}
        one = desk.tried("estimate_memory", asked) if found else desk.call("estimate_memory", asked)
        if one and not any(other == offload and _same(row, one) for other, row in found):
            found.append((offload, one))
    return found


def _same(row: dict[str, Any], one: dict[str, Any]) -> bool:
    return bool(row["weight_format"] == one["weight_format"])


def _fits(estimate: dict[str, Any]) -> bool:
    return (estimate.get("fit") or {}).get("verdict") in {"yes", "tight"}


def _told(found: list[Found], first: Found | None) -> list[Found]:
    """The way that is meant first, then the widest whose weights come from the host, then the others on the card."""
    sent = next((one for one in found if one[0] == "all" and _fits(one[1])), None)
    lead = [one for one in (first, sent if first is not found[0] else None) if one is not None]
    rest = [one for one in found if one[0] != "all" or first is None]
    unique: dict[tuple[Any, ...], Found] = {}
    for one in lead + rest:
        unique.setdefault(_numbers(one), one)
    return list(unique.values())[:WAYS_MAX]


def _numbers(one: Found) -> tuple[Any, ...]:
    return one[1]["weight_format"], one[1]["per_gpu"]["total_bytes"]


def _verdict(found: list[Found], first: Found | None) -> str:
    """Whether it fits as published, or with a narrower format, its parts in turn or its weights in host memory."""
    if not any(estimate.get("fit") for _, estimate in found):
        return "no card given"
    if first is None:
        return "does_not_fit"
    return "fits" if first is found[0] else "fits_with_changes"


def _host(request: Asked, speed: Mapping[str, Any]) -> list[str]:
    """What the host has to hold, against what it has."""
    needed = speed.get("host_bytes")
    if not needed:
        return []
    has = reading.host(request.host_memory).get("host_memory_bytes")
    if has is None:
        return ["The host's memory was not stated: it has to hold host_bytes of weights beside the system."]
    if needed > has * HOST_SHARE:
        return [
            "The host's memory is too small to hold host_bytes of weights beside the system: it would page to disk."
        ]
    return []


def _parts(offload: str | None, engine: str | None) -> str:
    """What is on the card at once: as it is told, else as the program does by itself."""
    return BY_ITSELF.get(engine or "", PARTS[None]) if offload is None else PARTS[offload]


def _peak(found: Mapping[str, Any]) -> str:
    """When the card is fullest, where that is not while the picture is made: its weights are those of that moment."""
    held = {one["label"] for one in found.get("derivation") or ()}
    return "; fullest while the picture is decoded" if DECODES in held and "Denoiser" not in held else ""


def _way(found: dict[str, Any], offload: str | None, engine: str | None, *, parted: bool) -> dict[str, Any]:
    per, fit = found["per_gpu"], found.get("fit") or {}
    return shown_row({
        "weight_format": found["weight_format"],
        "parts": _parts(offload, engine) + _peak(found) if parted else None,
        "needed_bytes": interval(per),
        "made_of": {part["name"]: {"value": part["bytes"], "unit": "bytes"} for part in per["parts"] if part["bytes"]},
        "card": gpus()[fit["gpu"]].name if fit else None, "usable_bytes": fit.get("usable_bytes"),
        "fit": fit.get("verdict"), "warnings": found["warnings"][:1],
    })  # fmt: skip


def interval(per: dict[str, Any]) -> dict[str, Any]:
    """What a memory estimate says of one card, with its ends."""
    return {"value": per["total_bytes"], "low": per["low_bytes"], "high": per["high_bytes"], "unit": "bytes"}
