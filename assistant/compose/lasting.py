"""The sentence that says how long the stated work takes on the cards of an answer, and what was taken for it."""

from assistant.answer import ToolCallRecord
from assistant.compose import names, pace, whole_job
from assistant.compose.material import Material
from tools.configuration import Configuration


def on_order(material: Material, one: Configuration) -> str:
    """How long the work takes on a configuration; empty where that was not asked or is not known."""
    return _told(material, whole_job.of_order(material, one))


def on_cards(material: Material, gpu: str | None, count: int) -> str:
    """The same on so many cards of a kind."""
    return _told(material, whole_job.record_of(material, gpu, count))


def _told(material: Material, record: ToolCallRecord | None) -> str:
    if record is None:
        return ""
    gap = "" if material.say.language == "zh" else " "
    told = material.say(
        "jobs.lasts", work=whole_job.work(material, record), value=pace.lasting(material, record),
        cards=names.cards(record.result["gpu"], record.result["gpu_count"]),
    )  # fmt: skip
    return gap + told + pace.cite_pace(material, record.tool, record.result)
