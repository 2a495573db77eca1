"""How many pictures or pages the cards get through, and whether that keeps up with those that come."""

from assistant.answer import ToolCallRecord
from assistant.compose import clarify, names, numbers, ranges
from assistant.compose.arithmetic import arithmetic
from assistant.compose.by_then import by_then
from assistant.compose.material import Material
from assistant.compose.pace import cite_pace
from assistant.compose.section import Section
from assistant.compose.table import table
from assistant.plan import sights as planned


def sights(material: Material) -> Section | None:
    """The day's count of each kind of card; first whether a stated load is kept up with, and what would."""
    records = [one for one in material.records("estimate_inference_speed") if one.result.get("requests_per_day")]
    if not records:
        return None
    say, load, first = material.say, planned.read(material.text), records[0]
    what = say("sights.pages" if load.pages else "sights.pictures")
    paced = say(
        "sights.pace", what=what, cards=names.cards(first.result["gpu"], first.result["gpu_count"]),
        model=names.model_name(first.result["model"]), format=names.format_name(first.result["weight_format"]),
        **_span(first, "requests_per_day"), second=numbers.figure(first.result["requests_per_s"]["value"]),
    )  # fmt: skip
    gap = "" if say.language == "zh" else " "
    section = Section(
        "estimate",
        _verdict(material, first, load, gap)
        + _whole(material, first, gap)
        + paced
        + cite_pace(material, first.tool, first.result),
    )
    section.settled = True
    section.body = [_table(material, records, what), arithmetic(material, material.estimates[:1])]
    section.caveats = [say("sights.measure")]
    section.assumptions = [
        say("sights.lengths", tokens=numbers.count(first.result["input_tokens"]),
            answer=numbers.count(load.answer_tokens), count=numbers.count(first.request["concurrent_sequences"])),
        *clarify.ambiguous_names(material),
    ]  # fmt: skip
    if load.per_s is not None:
        sure = first.result["requests_per_s"]["low"] >= load.per_s
        section.verdict = "fits" if sure else "fits_with_changes"
    return section


def _whole(material: Material, record: ToolCallRecord, gap: str) -> str:
    """How long all of them take, and whether that is in time; nothing where they come again and again."""
    time = record.result.get("time_s")
    if not time:
        return ""
    told = ranges.told_of(material, "pace.time", "work_s", {"work_s": time})
    return by_then(material, time) + told + gap


def _span(record: ToolCallRecord, key: str) -> dict[str, str]:
    found = record.result[key]
    return {end: numbers.figure(found[end]) for end in ("value", "low", "high")}


def _verdict(material: Material, record: ToolCallRecord, load: planned.Load, gap: str) -> str:
    """Yes, probably or no to a stated load; nothing where none was."""
    if load.per_s is None or load.count is None:
        return ""
    rate = record.result["requests_per_s"]
    key = "keeps" if rate["low"] >= load.per_s else "likely" if rate["value"] >= load.per_s else "short"
    need = planned.enough(load, record.result)
    key = "many" if key == "short" and need > planned.MOST_CARDS else key
    told = material.say(f"sights.{key}", cards=names.cards(record.result["gpu"], need))
    return told + gap


def _table(material: Material, records: list[ToolCallRecord], what: str) -> str:
    say = material.say
    head = [say("keeping_up.card"), say("sights.a_second", what=what), say("sights.a_day", what=what)]
    rows = []
    for one in records:
        second, day = (one.result[key] for key in ("requests_per_s", "requests_per_day"))
        rows.append([
            names.cards(one.result["gpu"], one.result["gpu_count"]),
            f"{numbers.figure(second['value'])} ({numbers.figure(second['low'])}–{numbers.figure(second['high'])})",
            f"{numbers.figure(day['value'])} ({numbers.figure(day['low'])}–{numbers.figure(day['high'])})",
        ])  # fmt: skip
    return table(head, rows)
