"""The speed in a line beside another question."""

from typing import Any

from assistant.compose import items_done, layouts, names, numbers, pace, ranges
from assistant.compose.material import Estimate, Material
from assistant.plan import requests


def brief(material: Material, told: Estimate | None = None) -> str:
    """One line for each set of cards whose speed was estimated beside another question, and is not `told` already."""
    lines = []
    if requests.is_training(material.need):
        return ""  # how fast it runs is no matter of who trains it
    for record in material.records("estimate_inference_speed"):
        result = record.result
        item = next((key for key in pace.ITEM_TIMES if result.get(key)), None)
        if item and "speed" not in material.intents:
            said = ranges.told_of(material, "pace.time", item, items_done.figures(material, result, pace.ITEM_TIMES))
            ways, gap = items_done.other_way(material, result), "" if material.say.language == "zh" else " "
            lines.append("- " + said + (gap + ways if ways else "") + pace.cite_pace(material, record.tool, result))
        whole = record.request.get("tokens")  # whose time the configurations tell
        if (
            whole
            or not result.get("tokens_per_s_per_user")
            or any(_overflows(one, result) for one in material.estimates)
            or (told is not None and pace.what_of(record) == (told.gpu, told.gpus, told.result.weight_format))
        ):
            continue
        at_once = record.request.get("concurrent_sequences") or 1
        lines.append(
            "- "
            + material.say(
                "pace.brief" if at_once == 1 else "pace.brief_together",
                cards=layouts.apart(material, result),
                format=names.format_name(result["weight_format"]),
                count=numbers.tokens(at_once),
                together=numbers.figure(result["tokens_per_s_total"]["value"]),
                **ranges.figures(material, result["tokens_per_s_per_user"]),
            )
            + pace.cite_pace(material, record.tool, result)
        )
    return "\n".join(lines)


def beside(material: Material, one: Estimate) -> str:
    """The speed of an estimate's cards and format, as an aside; empty where none was worked out."""
    for record in material.records("estimate_inference_speed"):
        result = record.result
        alike = (result["gpu"], result["gpu_count"], result["weight_format"])
        if alike == (one.gpu, one.gpus, one.result.weight_format) and result.get("tokens_per_s_per_user"):
            return material.say("pace.beside", value=numbers.figure(result["tokens_per_s_per_user"]["value"]))
    return ""


def _overflows(one: Estimate, result: dict[str, Any]) -> bool:
    """Whether this is the memory of what the speed was estimated for, and it does not fit."""
    asked = (result["gpu"], result["gpu_count"], result["weight_format"])
    return (one.gpu, one.gpus, one.result.weight_format) == asked and not one.fits
