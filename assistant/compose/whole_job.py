"""How long the stated amount of work takes on the cards put forward."""

from assistant.answer import ToolCallRecord
from assistant.compose import names, numbers
from assistant.compose.material import Material
from assistant.plan.amounts import amounts, model_kind
from kb.units import HOUR_S
from tools.configuration import Configuration


def record_of(
    material: Material, gpu: str | None, count: int, weight_format: str | None = None
) -> ToolCallRecord | None:
    """The estimate of the time on so many of these cards, in this format where one is given."""
    for one in material.records("estimate_inference_speed"):
        result = one.result
        same = (result.get("gpu"), result.get("gpu_count")) == (gpu, count)
        if same and result.get("time_s") and weight_format in (None, one.request.get("weight_format")):
            return one
    return None


def at_once(material: Material) -> bool:
    """Whether the time of work was reckoned with several requests at once, which is said in its own words."""
    timed = (one for one in material.records("estimate_inference_speed") if one.result.get("time_s"))
    return any(one.request.get("tokens") or one.request.get("documents") for one in timed)


def of_order(material: Material, one: Configuration) -> ToolCallRecord | None:
    """The estimate of the time on a configuration."""
    return record_of(material, one.gpu, one.gpu_count, one.weight_format) if len(one.cards) < 2 else None


def taken(material: Material) -> list[str]:
    """What was taken for the time: how the work is put through the cards."""
    record = next((one for one in material.records("estimate_inference_speed") if one.result.get("time_s")), None)
    if record is None:
        return []
    said = {"speech": "jobs.batched"}.get(model_kind(material.need) or "")
    if record.request.get("tokens"):
        asked = {name: record.result[name] for name in ("concurrent_sequences", "input_tokens", "output_tokens")}
        return [material.say("jobs.written", **asked)]
    if record.request.get("documents"):
        told = [material.say("jobs.at_once", concurrent_sequences=record.result["concurrent_sequences"])]
        unsaid = "input_tokens" not in amounts(material.need, material.text)
        return [*told, material.say("jobs.length", tokens=record.result["input_tokens"])] if unsaid else told
    return [material.say(said)] if said else []


def work(material: Material, record: ToolCallRecord) -> str:
    """The work in a few words: "transcribing 2,000 hours of audio with whisper-large-v3"."""
    asked, say = record.request, material.say
    model = names.model_name(asked["model"]) if asked.get("model") else numbers.params(asked["params"])
    if seconds := asked.get("audio_s"):
        return say("jobs.audio", hours=numbers.count(seconds / HOUR_S), model=model)
    if images := asked.get("images"):
        kind = "seen" if model_kind(material.need) == "vision" else "made"
        return say(f"jobs.{kind}", count=numbers.count(images), model=model)
    if tokens := asked.get("tokens"):
        return say("jobs.tokens", count=numbers.count(tokens), model=model)
    kind = "ranked" if model_kind(material.need) == "reranker" else "texts"
    return say(f"jobs.{kind}", count=numbers.count(asked["documents"]), tokens=asked["input_tokens"], model=model)
