"""Clouds against each other: the cheapest offer of each with its date, the lowest first."""

from typing import Any

from assistant.answer import ToolCallRecord
from assistant.compose import amounts, clarify, names, numbers
from assistant.compose.material import Material
from assistant.compose.pace import cite_pace
from assistant.compose.section import Section
from assistant.compose.span import span
from assistant.compose.table import table
from assistant.plan.clouds import pairs
from kb.catalog import providers


def clouds(material: Material) -> Section | None:
    """Which is cheapest an hour, by how much, and what each asks."""
    found = sorted((one for one in material.records("estimate_cost") if one.result["rent"]), key=_least)
    if not found:
        doubts = clarify.ambiguous_names(material)
        return Section("fact", _missing(material, found).strip(), settled=True, assumptions=doubts)
    best, say = found[0], material.say
    headline = _headline(material, found) + _missing(material, found)
    section = Section("comparison", headline + cite_pace(material, "estimate_cost", best.result), settled=True)
    section.body.append(_table(material, found))
    section.caveats = [say("cost.warn_old_offers")] if any(_first(one)["stale"] for one in found) else []
    section.assumptions = clarify.ambiguous_names(material)
    return section


def _headline(material: Material, found: list[ToolCallRecord]) -> str:
    """The cheapest and what the others ask: what the time stated comes to, where one was, else an hour."""
    best, say = found[0], material.say
    undated, over = say("cost.undated"), "_term" if _first(best)["term_cost"] else ""
    if len(found) == 1:
        return say(f"clouds.cheapest{over}", one=_named(material, best), **_price(material, best, undated))
    told = [
        say(f"clouds.other{over}", one=_named(material, one), **_price(material, one, undated)) for one in found[1:]
    ]
    values = _price(material, best, undated) | {"others": say.listed(told)}
    return say(f"clouds.cheaper{over}", one=_named(material, best), **values)


def _first(record: ToolCallRecord) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in record.result["rent"] if one["purchase"] == "on_demand")
    return found


def _least(record: ToolCallRecord) -> float:
    """Of one card, so that a whole instance is not held against a single card."""
    return float(_first(record)["gpu_hourly_cost"]["low"])


def _named(material: Material, record: ToolCallRecord) -> str:
    key = record.request.get("provider")
    cards = _cards(record)
    return material.say("clouds.at", cards=cards, cloud=providers()[key].name) if key in providers() else cards


def _cards(record: ToolCallRecord) -> str:
    """What is rented: the cards asked about, or all of an instance that is not let in smaller parts."""
    count = max(record.result["gpu_count"], _first(record)["instance_gpus"] or 1)
    return names.cards(record.result["gpu"], count)


def _price(material: Material, record: ToolCallRecord, undated: str) -> dict[str, str]:
    first, money = _first(record), record.result["currency"]
    term = first["term_cost"]
    over = {
        "total": numbers.money(amounts.rounded(term["low"]), money), "time": span(material, first)
    } if term else {}  # fmt: skip
    return {**over, "hourly": numbers.money(first["hourly_cost"]["low"], money, hourly=True),
            "where": str(first["cheapest"] or ""), "date": str(first["as_of"] or undated)}  # fmt: skip


def _missing(material: Material, found: list[ToolCallRecord]) -> str:
    """The clouds that nothing was read of."""
    read = {(one.request.get("provider"), one.result["gpu"]) for one in found}
    lacking = [pair for pair in pairs(material.understanding) if pair not in read]
    named = [
        material.say("clouds.at", cards=names.gpu_name(card), cloud=providers()[cloud].name)
        if cloud in providers() else names.gpu_name(card)
        for cloud, card in lacking
    ]  # fmt: skip
    return material.say("clouds.missing", what=material.say.listed(named, conjunction="or")) if named else ""


def _month(material: Material, found: list[ToolCallRecord]) -> str:
    """What a month means: all of it, or the hours of use stated."""
    if material.need.hours_per_month is None:
        return material.say("clouds.month")
    return material.say("clouds.month_used", hours=numbers.count(found[0].result["hours_per_month"]))


def _table(material: Material, found: list[ToolCallRecord]) -> str:
    say = material.say
    head = [
        say("clouds.offer"),
        say("clouds.hour"),
        say("clouds.gpu_hour"),
        _month(material, found),
        say("clouds.read"),
    ]
    if _first(found[0])["term_s"]:
        head.insert(1, say("clouds.total", time=span(material, _first(found[0]))))
    rows = []
    for one in found:
        first, money = _first(one), one.result["currency"]
        total = [numbers.money(amounts.rounded(first["term_cost"]["low"]), money)] if first["term_cost"] else []
        rows.append([
            f"{_cards(one)}: {first['cheapest']}",
            *total,
            numbers.money(first["hourly_cost"]["low"], money, hourly=True),
            numbers.money(first["gpu_hourly_cost"]["low"], money, hourly=True),
            numbers.money(amounts.rounded(first["monthly_cost"]["low"]), money),
            str(first["as_of"] or say("cost.undated")),
        ])  # fmt: skip
    return table(head, rows)
