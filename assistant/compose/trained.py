"""How fast cards train, or for how long, in a line beside the verdict whether they hold it: in the way that they do."""

from assistant.answer import ToolCallRecord
from assistant.compose import pace, ranges
from assistant.compose.arithmetic import column_name
from assistant.compose.material import Estimate, Material
from assistant.plan import requests

TRAINED_SO = ("precision", "optimizer", "offload", "sequence_tokens", "pipeline_parallel")
"""Settings of a training that decide what it takes: memory worked out with others is not that of the one timed."""


def told(material: Material, main: Estimate) -> tuple[str, list[str]]:
    """The line, and what was taken for it; the way is named where it is not that of `main`."""
    timed_ones = list(material.records("estimate_training_time"))
    of_main = (one for one in timed_ones if (one.result["gpu"], one.result["gpu_count"]) == (main.gpu, main.gpus))
    record = next(of_main, next(iter(timed_ones), None))
    if record is None:
        timed = any((one.speed or {}).get("time_s") for one in material.configurations)
        return "", pace.data_taken(material, {"time_s": timed}) if requests.is_training(material.need) else []
    if "training_time" in material.intents:
        return "", []
    whole, say = record.result.get("tokens_per_s_total"), material.say
    with_time = record.result.get("time_s") is not None
    if with_time:
        values = {"value": pace.lasting(material, record)}
    elif whole is None:
        return "", []
    else:
        values = ranges.figures(material, whole)
    held = next((one for one in material.estimates if one.fits and vouches(one, record)), None)
    other = held is not None and not main.fits
    how = say("pace.with_way", how=column_name(material, held, (main, held))) if held is not None and other else ""
    text = how + say("pace.trains" if with_time else "pace.trains_at", **values)
    text = text[:1].upper() + text[1:] if not how else text
    return text + pace.cite_pace(material, record.tool, record.result), pace.data_taken(material, record.result)


def vouches(one: Estimate, record: ToolCallRecord) -> bool:
    """Whether this is the memory of what was timed, on the same cards; spread alike where that was set."""
    result, sharding = record.result, record.request.get("sharding")
    cards = (one.gpu, one.gpus, one.task) == (result["gpu"], result["gpu_count"], result["task"])
    alike = all(one.request.get(key) == record.request.get(key) for key in TRAINED_SO)
    return cards and alike and sharding in (None, one.request.get("sharding"))
