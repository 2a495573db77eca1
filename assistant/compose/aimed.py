"""The card that makes a picture or a clip in the time wished for: the cheapest first, by what was measured."""

from assistant.answer import ToolCallRecord
from assistant.compose import facts, names, ranges
from assistant.compose.arithmetic import arithmetic
from assistant.compose.aspects import BY_KEY
from assistant.compose.assume import assumed
from assistant.compose.by_then import stated
from assistant.compose.clarify import ambiguous_names
from assistant.compose.material import Material
from assistant.compose.pace import cite_pace
from assistant.compose.section import Section
from assistant.compose.table import table
from assistant.plan import aimed as planned
from assistant.plan import picture_cards, requests
from assistant.plan.amounts import model_kind
from tools.gpu_row import GpuRow

_TOLD = tuple(BY_KEY[key] for key in ("memory", "power", "price"))
SLOW = 1.3
"""Times the upper end of the usual time from which what was measured is said to be slow for the card."""


def aimed(material: Material) -> Section | None:
    """The verdict, a table of the cards, and whether the card in hand is slower than it should be."""
    say, found = material.say, planned.aim(material.understanding)
    ways = planned.chosen(material.understanding, material.need)
    rows = {row.id: row for row in facts.cards(material)}
    paced = {one.result["gpu"]: one for one in material.records("estimate_inference_speed")}
    if found is None or not ways or any(way.card.gpu not in rows or way.card.gpu not in paced for way, _ in ways):
        return None
    need = picture_cards.of(material.understanding.need)
    best, seconds = ways[0]
    record, row = paced[best.card.gpu], rows[best.card.gpu]
    values = {
        "card": names.gpu_name(best.card.gpu), "time": _time(material, record),
        "model": names.model_name(need.model or ""),
        "wanted": stated(material, found.wanted_s), "price": BY_KEY["price"].value(row) or "–",
        "measured": stated(material, found.measured_s) if found.measured_s else "",
    }  # fmt: skip
    reached = seconds <= found.wanted_s
    key = ("reached" if reached else "none") + ("_from" if found.measured_s else "")
    headline = say(f"aimed.{key}", **values) + cite_pace(material, record.tool, record.result)
    headline += facts.cite_card(material, row, [BY_KEY["price"]])
    section = Section("recommendation" if reached else "does_not_fit", headline, settled=True)
    section.body = [
        _table(material, [(rows[way.card.gpu], paced[way.card.gpu]) for way, _ in ways]),
        _usual(material, found.measured_s, paced),
        arithmetic(material, material.estimates[:1]),
    ]
    section.levers = [say("picture_cards.sooner" if model_kind(need) != "video" else "aimed.fewer")]
    section.caveats = [say("unit_price.old")] if any(row.price_stale for row in rows.values()) else []
    section.assumptions = assumed(material, material.estimates[0]) if material.estimates else []
    if not requests.sized(material.understanding.need):
        section.assumptions.insert(0, say("assume.stand_in", model=values["model"]))
    section.assumptions += [line for line in ambiguous_names(material) if line not in section.assumptions]
    return section


def _time(material: Material, record: ToolCallRecord) -> str:
    """Of one picture or clip, by what was measured where that is known."""
    keys = ("time_as_measured_s", "time_per_image_s", "time_per_clip_s")
    key = next(key for key in keys if record.result.get(key))
    return ranges.ranged(material, key, record.result[key])


def _table(material: Material, cards: list[tuple[GpuRow, ToolCallRecord]]) -> str:
    say = material.say
    head = [say("table.card"), say("aimed.time"), *(say(f"aspect.{one.key}") for one in _TOLD)]
    lines = [
        [
            names.gpu_name(row.id) + cite_pace(material, record.tool, record.result), _time(material, record),
            *(one.value(row) or "–" for one in _TOLD),
        ]
        for row, record in cards
    ]  # fmt: skip
    return table(head, lines)


def _usual(material: Material, measured_s: float | None, paced: dict[str, ToolCallRecord]) -> str:
    """What is usual on the card in hand, where what was measured is well beyond it."""
    owned = planned.own(material.need)
    record = paced.get(owned.gpu) if owned else None
    if owned is None or record is None or measured_s is None:
        return ""
    key = "time_per_image_s" if record.result.get("time_per_image_s") else "time_per_clip_s"
    time = record.result.get(key)
    if time is None or measured_s < SLOW * time["high"]:
        return ""
    told = material.say(
        "aimed.slow", card=names.gpu_name(owned.gpu), time=ranges.ranged(material, key, time),
        measured=stated(material, measured_s),
    )  # fmt: skip
    return told + cite_pace(material, record.tool, record.result)
