"""What pictures, clips, speech and texts take: the figure asked for first, and what its width hangs on."""

import re
from typing import Any

from assistant.compose import by_then, names, numbers
from assistant.compose.material import Material
from assistant.compose.orders import SLOW_IMAGE_S
from assistant.plan.amounts import model_kind, shared
from assistant.understand.worded import READ, STEPS
from kb.units import HOUR_S

_PER_SECOND = re.compile(r"每秒|一秒|(?<![a-z])(?:per|a|each) second|/ ?s(?![a-z])|fps|吞吐|throughput", re.I)
_IN_TURN = re.compile(
    r"open ?ai[- /]?whisper|(?:original|official|vanilla|plain|reference) whisper|(?:原版|官方|原生)的? ?whisper"
    r"|whisper ?(?:原版|官方版)|(?:without|no|not) batch\w*|sequential|不(?:开|用|做)?批|逐(?:个|条)|whisper\.cpp",
    re.I,
)
"""Programs that hear one window after another, and words for that way."""


def figures(material: Material, result: dict[str, Any], rows: tuple[str, ...]) -> dict[str, Any]:
    """The figures to tell, the one asked for first; of speech those of one way to put windows through."""
    shown = {"work_s": result["time_s"]} if result.get("time_s") else {}
    shown |= {key: result[key] for key in rows if result.get(key)}
    if windows := result.get("windows"):
        way = "in_turn" if _IN_TURN.search(material.text) else "batched"
        shown |= {"audio_s_per_s": windows[way]}
        shown |= {"work_s": windows[f"{way}_time_s"]} if "work_s" in shown else {}
        shown.pop("realtime_factor", None)
    each = shown.get("time_per_image_s")
    waited = each is not None and each["value"] > SLOW_IMAGE_S and "work_s" not in shown
    if not waited or _PER_SECOND.search(material.text):
        return shown
    return {"time_per_image_s": each} | shown


def other_way(material: Material, result: dict[str, Any]) -> str:
    """What transcribing takes the other way than that told: many windows at once, or one after another; else ""."""
    windows, say = result.get("windows"), material.say
    if not windows:
        return ""
    told, other = ("in_turn", "batched") if _IN_TURN.search(material.text) else ("batched", "in_turn")
    if time := windows[f"{other}_time_s"]:
        ends = [_time(material, time[end]) for end in ("low", "high")]
        return say(f"heard.{told}_time", low=ends[0], high=ends[1])
    low, high = (numbers.figure(windows[other][end]) for end in ("low", "high"))
    return say(f"heard.{told}_pace", low=low, high=high)


def _time(material: Material, seconds: float) -> str:
    figure, unit = numbers.duration(seconds)
    return f"{figure} {material.say(f'unit.{unit}')}"


def steps_taken(material: Material, result: dict[str, Any]) -> list[str]:
    """How many steps the time of a picture or clip is of, where that was not said: it goes with them."""
    if not result.get("steps") or STEPS.search(material.text):
        return []
    kind = "clip" if result.get("time_per_clip_s") else "picture"
    waits = [material.say("heard.waiting")] if shared(material.need, material.text) else []
    return [*waits, material.say(f"heard.steps_of_{kind}", steps=result["steps"])]


def within(material: Material, result: dict[str, Any], span_s: float | None) -> str:
    """How many come out in the time that was asked about, with its cards; "" where none was."""
    made = result.get("items_within")
    if not made or not span_s:
        return ""
    kind = model_kind(material.need) or ""
    of = "texts" if kind in READ else "hours" if kind == "speech" else "clips" if kind == "video" else "pictures"
    size = HOUR_S if of == "hours" else 1
    value, low, high = (numbers.figure(made[end] / size) for end in ("value", "low", "high"))
    cards = names.cards(result["gpu"], result["gpu_count"])
    span = by_then.as_set(material, span_s)
    span = by_then.stated(material, span_s) if span == material.say("run.time_set") else span
    return material.say(f"heard.{of}_within", span=span, value=value, low=low, high=high, cards=cards)
