"""How many cards keep up with texts that come at some rate: embedding and ranking are bound by computing."""

from typing import Any

from assistant.compose import names, numbers, pace
from assistant.compose.arithmetic import arithmetic
from assistant.compose.material import Material
from assistant.compose.section import Section
from assistant.compose.table import table
from assistant.plan.usual import stands_in
from assistant.understand import worded
from assistant.understand.usage import NIGHT_H
from kb.catalog import gpu
from kb.units import DAY_S, HOUR_S
from tools.configuration import Configuration, MemoryFit, Price


def keeping_up(material: Material) -> Section | None:
    """The cards it takes of each kind, with the rate of one; None where no rate was asked for."""
    found = [one for one in material.records("estimate_inference_speed") if one.result.get("gpus_needed")]
    if not found:
        return None
    records = [
        one for index, one in enumerate(found) if one.result["gpu"] not in [r.result["gpu"] for r in found[:index]]
    ]
    say, first = material.say, records[0]
    kind, key = next(((kind, key) for kind, key in _ITEMS if first.result.get(key)), ("", "documents_per_s"))
    kind = "camera_" if kind == "picture_" and worded.CAMERAS.search(material.text) else kind
    live = kind == "speech_" and "audio_s" not in {name for name, value in first.request.items() if value}
    ways, rows = [], []
    for record in records:
        result = record.result
        marker = pace.cite_pace(material, record.tool, result)
        needed = result["gpus_needed"]
        cards = names.cards(result["gpu"], round(needed["value"]))
        low, high = _whole(needed["low"]), _whole(needed["high"])
        ways.append((say("keeping_up.way", cards=cards, low=low, high=high) if low != high else cards) + marker)
        one = result[key]
        span = f"{numbers.figure(one['low'])}–{numbers.figure(one['high'])}"
        rows.append([names.gpu_name(result["gpu"]), numbers.figure(one["value"]), span, _whole(needed["value"])])
    rate, period_s = first.request[key], _span_s(material)
    headline = say(
        f"keeping_up.{'live_' if live else kind}headline",
        what=names.model_name(first.result["model"]),
        format=names.format_name(first.result["weight_format"]),
        rate=numbers.count(rate if live or kind in ("", "camera_") else rate * period_s / _UNIT_S[kind]),
        every=say(_EVERY[period_s] if _due_s(material) is None else "keeping_up.due"),
        tokens=numbers.tokens(first.result["input_tokens"]),
        ways=say.listed(ways, conjunction="or"),
    )
    head = [say(f"keeping_up.{name}") for name in ("card", f"{kind}one", "range", "cards")]
    section = Section("recommendation", headline, [table(head, rows), arithmetic(material, material.estimates[:1])])
    section.configurations = [_configuration(rank, record.result) for rank, record in enumerate(records, 1)]
    section.caveats.append(say(f"keeping_up.{'live_' if live else kind}measure"))
    section.levers.append(say(f"keeping_up.{kind}faster"))
    if stands_in(material.understanding):
        section.assumptions.append(say("assume.stand_in", model=names.model_name(first.result["model"])))
    return section


_ITEMS = (("speech_", "audio_s_per_s"), ("picture_", "images_per_s"))
"""Prefix of the phrases and figure of each kind of item that is told by the day."""
_UNIT_S = {"speech_": HOUR_S, "picture_": 1, "camera_": 1}
"""Seconds of what each is counted in: hours of speech, pictures."""
_EVERY: dict[float, str] = {
    NIGHT_H * HOUR_S: "keeping_up.night",
    DAY_S: "keeping_up.day",
    7 * DAY_S: "keeping_up.week",
    30 * DAY_S: "keeping_up.month",
}


def _due_s(material: Material) -> float | None:
    """Seconds until the work is to be done, where it comes once."""
    return material.need.deadline_s if worded.period_s(material.text) is None else None


def _span_s(material: Material) -> float:
    """Seconds over which the work is told: until it is to be done, else those between its comings."""
    return float(worded.period_s(material.text) or _due_s(material) or DAY_S)


def asked(material: Material) -> bool:
    """Whether the number of cards for a rate of texts is what was asked."""
    return material.intents[0] == "how_many_gpus" and any(
        one.result.get("gpus_needed") for one in material.records("estimate_inference_speed")
    )


def _whole(value: float) -> str:
    return f"{round(value):,}"


def _configuration(rank: int, result: dict[str, Any]) -> Configuration:
    """So many copies, one a card; what they cost was not asked."""
    card, count = gpu(result["gpu"]), round(result["gpus_needed"]["value"])
    fit = MemoryFit(needed_bytes_per_gpu=0, usable_bytes_per_gpu=card.usable_bytes, verdict="yes")
    return Configuration(
        rank=rank, title=names.cards(card.id, count), acquisition="rent", gpu=card.id, gpu_count=count, nodes=1,
        data_parallel=count, weight_format=result["weight_format"], engine=result["engine"], memory=fit,
        price=Price(amount=None, complete=False), gpu_name=card.name,
    )  # fmt: skip
