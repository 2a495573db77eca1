"""What a model costs to host over the time stated: the cheapest cards that hold it, and the next."""

from typing import Any

from assistant.answer import ToolCallRecord
from assistant.compose import amounts, clarify, names, numbers
from assistant.compose.arithmetic import arithmetic, workload
from assistant.compose.assume import assumed
from assistant.compose.material import Estimate, Material
from assistant.compose.pace import cite_pace
from assistant.compose.section import Section
from assistant.compose.span import span
from assistant.compose.table import table
from kb.units import HOUR_S


def hosting(material: Material) -> Section | None:
    """The least rent for the time with its offer and date; a table of the next, and the memory behind it."""
    found = sorted((one for one in material.records("estimate_cost") if _first(one)), key=_least)
    if not found or not material.estimates:
        return None
    say, best = material.say, found[0]
    first, money = _first(best) or {}, best.result["currency"]
    held = _held(material, best) or material.estimates[0]
    headline = say(
        "hosting.least" if held.task == "inference" else "hosting.trained", model=workload(material, held).strip(),
        time=span(material, first),
        cards=names.cards(best.result["gpu"], best.result["gpu_count"]), total=_money(first["term_cost"]["low"], money),
        hourly=numbers.money(first["hourly_cost"]["low"], money, hourly=True),
        where=say("bill.where", where=first["cheapest"], date=first["as_of"] or say("cost.undated")),
    )  # fmt: skip
    section = Section("recommendation", headline + cite_pace(material, "estimate_cost", best.result), settled=True)
    section.body = [_table(material, found), arithmetic(material, [held])]
    section.caveats = [say("cost.warn_old_offers")] if first["stale"] else []
    section.assumptions = [*assumed(material, held), *clarify.ambiguous_names(material)]
    section.configurations = material.configurations
    return section


def _held(material: Material, best: ToolCallRecord) -> Estimate | None:
    """The memory on the cards that are rented, in the format that they hold it in."""
    taken = (best.result["gpu"], best.result["gpu_count"])
    return next((one for one in material.estimates if one.fit and (one.gpu, one.gpus) == taken), None)


def _first(record: ToolCallRecord) -> dict[str, Any] | None:
    """Renting on demand over the time, where an offer of it was read."""
    ways = (one for one in record.result["rent"] if one["purchase"] == "on_demand" and one["term_cost"])
    return next((one for one in ways if one["cheapest"]), None)


def _least(record: ToolCallRecord) -> float:
    return float((_first(record) or {})["term_cost"]["low"])


def _money(value: float, currency: str) -> str:
    return numbers.money(amounts.rounded(value), currency)


def _table(material: Material, found: list[ToolCallRecord]) -> str:
    say, hours = material.say, numbers.count((_first(found[0]) or {})["term_s"] / HOUR_S)
    head = [say("clouds.offer"), say("hosting.total", hours=hours), say("clouds.hour"), say("clouds.read")]
    rows = []
    for one in found:
        first, money = _first(one) or {}, one.result["currency"]
        cards = names.cards(one.result["gpu"], one.result["gpu_count"])
        rows.append([
            f"{cards}: {first['cheapest']}", _money(first["term_cost"]["low"], money),
            numbers.money(first["hourly_cost"]["low"], money, hourly=True), first["as_of"] or say("cost.undated"),
        ])  # fmt: skip
    return table(head, rows)
