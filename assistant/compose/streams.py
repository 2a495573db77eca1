"""How many live streams of speech the cards keep up with: by what they hear in a second, not by memory."""

from assistant.compose import names, numbers
from assistant.compose.arithmetic import arithmetic
from assistant.compose.material import Material
from assistant.compose.pace import cite_pace
from assistant.compose.section import Section

WHOLE = 1000
"""Seconds of speech a second from which the pace is told in whole ones: rounded it would no longer be the tool's."""


def streams(material: Material) -> Section | None:
    """The streams that come in as fast as they are heard; None where no pace of speech was worked out."""
    record = next(
        (one for one in material.records("estimate_inference_speed") if one.result.get("audio_s_per_s")), None
    )
    if record is None:
        return None
    say, result = material.say, record.result
    heard = result["audio_s_per_s"]
    value, low, high = (round(heard[end]) for end in ("value", "low", "high"))
    headline = say(
        "streams.headline" if value else "streams.none",
        what=names.model_name(result["model"]), cards=names.cards(result["gpu"], result["gpu_count"]),
        value=_many(value), low=_many(low), high=_many(high),
        pace=numbers.figure(heard["value"]) if value < WHOLE else numbers.count(value),
    )  # fmt: skip
    section = Section("estimate", headline + cite_pace(material, record.tool, result))
    section.body = [arithmetic(material, material.estimates[:1])]
    section.caveats = [say("streams.measure")]
    section.levers = [say("keeping_up.speech_faster")]
    return section


def _many(streams: int) -> str:
    return numbers.count(streams) if streams < WHOLE else numbers.figure(streams)
