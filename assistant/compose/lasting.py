"""The sentence that says how long the stated work takes on the cards of an answer, and what was taken for it."""

from assistant.answer import ToolCallRecord
from assistant.compose import names, pace, whole_job
from assistant.compose.material import Material
from assistant.plan.amounts import model_kind
from tools.configuration import Configuration


def on_order(material: Material, one: Configuration) -> str:
    """How long the work takes on a configuration; empty where that was not asked or is not known."""
    return _told(material, whole_job.of_order(material, one))


def on_cards(material: Material, gpu: str | None, count: int) -> str:
    """The same on so many cards of a kind."""
    return _told(material, whole_job.record_of(material, gpu, count))


def taken(material: Material) -> list[str]:
    """What was taken for the time: how the work is put through the cards."""
    record = next((one for one in material.records("estimate_inference_speed") if one.result.get("time_s")), None)
    if record is None:
        return []
    said = {"speech": "jobs.batched", "diffusion": "jobs.steps"}.get(model_kind(material.need) or "")
    if record.request.get("tokens"):
        asked = {name: record.result[name] for name in ("concurrent_sequences", "input_tokens", "output_tokens")}
        return [material.say("jobs.written", **asked)]
    if record.request.get("documents"):
        return [material.say("jobs.at_once", concurrent_sequences=record.result["concurrent_sequences"])]
    return [material.say(said)] if said else []


def _told(material: Material, record: ToolCallRecord | None) -> str:
    if record is None:
        return ""
    gap = "" if material.say.language == "zh" else " "
    told = material.say(
        "jobs.lasts", work=whole_job.work(material, record), value=pace.lasting(material, record),
        cards=names.cards(record.result["gpu"], record.result["gpu_count"]),
    )  # fmt: skip
    return gap + told + pace.cite_pace(material, record.tool, record.result)
