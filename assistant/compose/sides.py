"""One line for the same work on some cards: what they hold of it, and how fast it is there."""

from typing import Any

from assistant.answer import ToolCallRecord
from assistant.compose import amounts, names, numbers
from assistant.compose.arithmetic import cite, total, workload
from assistant.compose.material import Estimate, Material
from assistant.compose.pace import cite_pace
from assistant.plan import requests
from assistant.plan.widest import Way
from tools.need import GpuCount

Rate = tuple[str, dict[str, Any]]
"""What is counted, and how much of it a second; for pictures, seconds for one."""
_RATES = ("tokens_per_s_total", "samples_per_s_total", "tokens_per_s_per_user", "images_per_s", "audio_s_per_s",
          "documents_per_s")  # fmt: skip


class Side:
    """Some cards with the work on them: its memory, and its pace where it fits."""

    def __init__(self, material: Material, way: Way) -> None:
        self.way = way
        self.estimate = next((one for one in material.estimates if one.request == way.call.request), None)
        self.record = paced(material, way.card, way.weight_format) if way.fits else None
        self.rate = rate_of(material, self.record)

    @property
    def cards(self) -> str:
        """ "4×V100"."""
        return names.cards(self.way.card.gpu, self.way.card.count or 1)

    @property
    def per_second(self) -> float | None:
        """The rate as a number that is larger for what is faster."""
        return float(self.rate[1]["value"]) if self.rate else None


def paced(material: Material, card: GpuCount, weight_format: str | None) -> ToolCallRecord | None:
    """The pace of the work on so many of the card, in that format."""
    training = requests.is_training(material.need)
    tool = "estimate_training_time" if training else "estimate_inference_speed"
    for record in material.records(tool):
        asked = record.request
        if (asked.get("gpu"), asked.get("gpu_count") or 1) != (card.gpu, card.count or 1):
            continue
        if training or asked.get("weight_format") == weight_format:
            return record
    return None


def rate_of(material: Material, record: ToolCallRecord | None) -> Rate | None:
    """The rate of one user where one is served, else of all."""
    if record is None:
        return None
    alone = (material.need.concurrent_sequences or material.need.users or 1) == 1
    order = ("tokens_per_s_per_user", *_RATES) if alone else _RATES
    key = next((key for key in order if record.result.get(key)), None)
    return (key, record.result[key]) if key else None


def line(material: Material, side: Side, beside: str = "") -> str:
    """The cards, what they hold and how fast it is there; `beside` only where it fits."""
    say, one = material.say, side.estimate
    if one is None:
        return ""
    usable, what = numbers.gib(one.placed.usable_bytes, digits=1), workload(material, one).strip()
    text = say(f"sides.line_{side.way.verdict}", cards=side.cards, what=what, total=total(one), usable=usable)
    text += cite(material, one)
    if side.record is not None and (shown := _shown(side.record, side.rate)) is not None:
        text += say(f"sides.pace_{shown[0]}", value=amounts.figure_range(shown[1]))
        text += cite_pace(material, side.record.tool, side.record.result) + _run(material, side.record)
    return text + (beside if side.way.fits else "")


def pace(material: Material, record: ToolCallRecord | None) -> str:
    """The rate with its unit, alone."""
    shown = _shown(record, rate_of(material, record)) if record is not None else None
    return material.say(f"sides.unit_{shown[0]}", value=numbers.figure(shown[1]["value"])) if shown else ""


def way_name(material: Material, one: Estimate | None) -> str:
    """The format in which it is served, or the way in which it is trained."""
    if one is None:
        return ""
    if one.task != "inference":
        return names.task_name(one.task, material.say)
    return names.format_name(one.result.weight_format)


def _shown(record: ToolCallRecord, rate: Rate | None) -> Rate | None:
    """The rate as people speak of it: seconds for a picture rather than pictures a second."""
    each = record.result.get("time_per_image_s")
    return ("image", each) if each else rate


def _run(material: Material, record: ToolCallRecord) -> str:
    """How long the run takes, where its data are known."""
    found = record.result.get("time_s") if record.tool == "estimate_training_time" else None
    if not found:
        return ""
    value, unit = numbers.duration(found["value"])
    return material.say("sides.run", value=value, unit=material.say(f"unit.{unit}"))
