"""What the network between machines costs a training: all of them over it, beside one alone and a faster network."""

import re

from assistant.answer import ToolCallRecord
from assistant.compose import names, numbers, ranges
from assistant.compose.material import Material
from assistant.compose.pace import cite_pace, lasting
from assistant.compose.section import Section
from assistant.compose.table import table
from assistant.plan import network as plan
from tools.need import GpuCount

_WHY = re.compile(
    r"\bwhy\b|slow|bottleneck|no faster|only \d|\bnetwork\b|为什么|为啥|慢|瓶颈|拖|影响|够不够|够吗|网络", re.I
)
"""Words that suspect the network; without them it is only a circumstance."""
LITTLE = 0.8
"""Share of what the faster network gives from which the stated one is not the cause."""


def network(material: Material) -> Section | None:
    """Whether the network is the cause, and what each remedy gives; None where none was stated."""
    found = plan.spread(material.need, material.understanding)
    rows = _rows(material) if found else {}
    if found is None or "stated" not in rows:
        return None
    card, count = found
    say, stated, fast = material.say, rows["stated"], rows.get("fast")
    held = any(one.gpus * count == card.count and one.fits for one in material.estimates)
    alone = rows.get("alone") if held else None
    many, one = _rate(stated), _rate(alone) if alone else None
    cause = fast is not None and many < LITTLE * _rate(fast)
    held_back = not cause and one is not None and many < LITTLE * one * count
    blamed = _WHY.search(material.text) is not None
    key = ("slower" if one is not None and many < one else "cause") if cause else "fine" if blamed else "enough"
    key = "held_back" if held_back else key
    machine = names.cards(card.gpu, (card.count or 1) // count)
    headline = say(
        f"network.{key}", speed=_speed(material, stated), cards=names.cards(card.gpu, card.count or 1),
        many=numbers.figure(many), one=numbers.figure(one or 0), machine=machine,
        faster=_speed(material, fast) if fast else "",
        fast=numbers.figure(_rate(fast)) if fast else "",
    )  # fmt: skip
    headline += cite_pace(material, stated.tool, stated.result)
    best = rows["hybrid"] if held and "hybrid" in rows and _rate(rows["hybrid"]) * LITTLE > many else stated
    if material.intents[0] == "training_time" and best.result.get("time_s"):
        timed = material.say("network.timed", time=lasting(material, best), way=_named(material, best, card))
        headline = (
            timed + cite_pace(material, best.tool, best.result) + ("" if say.language == "zh" else " ") + headline
        )
    section = Section("estimate", headline, settled=True)
    shown = {name: row for name, row in rows.items() if held or name not in ("alone", "hybrid")}
    section.body = [_table(material, shown)]
    section.levers = (
        [
            say(f"network.lever_{name}", faster=_speed(material, fast) if fast else "")
            for name in _levers(rows, held=held)
            if (fast or name != "faster") and (material.need.task != "pretrain" or name != "adapters")
        ]
        if cause or held_back
        else []
    )
    return section


def _named(material: Material, row: ToolCallRecord, card: GpuCount) -> str:
    """The way of spreading it that this estimate stands for, as the table names it."""
    name = "hybrid" if row.request.get("sharding") == "ddp" else "stated"
    return material.say(
        f"network.way_{name}", cards=names.cards(card.gpu, card.count or 1), speed=_speed(material, row)
    )


def _rows(material: Material) -> dict[str, ToolCallRecord]:
    """The estimates by what they stand for."""
    found: dict[str, ToolCallRecord] = {}
    for one in material.records("estimate_training_time"):
        if not one.result.get("tokens_per_s_total"):
            continue
        speed = one.request.get("network_bytes_per_s")
        key = "alone" if speed is None else "hybrid" if one.request.get("sharding") == "ddp" else "stated"
        found.setdefault("fast" if key in found and key == "stated" else key, one)
    return found


def _rate(record: ToolCallRecord) -> float:
    return float(record.result["tokens_per_s_total"]["value"])


def _speed(material: Material, record: ToolCallRecord) -> str:
    return material.say(
        "network.speed", gigabit=f"{record.request['network_bytes_per_s'] / plan.GIGABIT_BYTES_PER_S:g}"
    )


def _table(material: Material, rows: dict[str, ToolCallRecord]) -> str:
    say, lines = material.say, []
    for name in ("alone", "stated", "hybrid", "fast"):
        if (row := rows.get(name)) is None:
            continue
        shown = ranges.figures(material, row.result["tokens_per_s_total"])
        cards = names.cards(row.result["gpu"], row.result["gpu_count"])
        speed = _speed(material, row) if name != "alone" else ""
        lines.append([say(f"network.way_{name}", cards=cards, speed=speed), f"{shown['value']}{shown['range']}"])
    return table([say("link.head_way"), say("link.rate_training")], lines)


def _levers(rows: dict[str, ToolCallRecord], *, held: bool) -> list[str]:
    return [*(["hybrid"] if held and "hybrid" in rows else []), "stages", "adapters", "faster"]
