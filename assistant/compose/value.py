"""Which of the cards compared does the work for less."""

from typing import Any

from assistant.answer import ToolCallRecord
from assistant.compose import amounts, names, numbers
from assistant.compose.material import Material
from assistant.compose.pace import cite_pace
from assistant.plan import value as planned

EVEN = 1.1
"""Costs closer than this are the same: rents differ by more from one day to the next."""


def cheaper_work(material: Material) -> str:
    """One sentence: who is cheaper for the work and by how much; empty where it was not asked or not worked out."""
    if not planned.asked(material.understanding):
        return ""
    found = [(cost, one) for one in material.records("estimate_cost") if (cost := _cost(one.result)) is not None]
    if len(found) < 2:
        return ""
    found.sort(key=lambda pair: pair[0])
    say, (least, best) = material.say, found[0]
    money = best.result["currency"]
    told = say.listed([say("compare.pace", card=_cards(one), value=_money(cost, money)) for cost, one in found])
    what = say("value.tokens") if best.result["tokens"] else _run(material, best)
    key = "value.even" if found[-1][0] < EVEN * least else "value.cheaper"
    return say(key, card=_cards(best), what=what, figures=told, how=_how(best)) + cite_pace(
        material, "estimate_cost", best.result
    )


def _cards(record: ToolCallRecord) -> str:
    return names.cards(record.result["gpu"], record.result["gpu_count"])


def _how(record: ToolCallRecord) -> str:
    used = record.request.get("weight_format")
    return f" ({names.format_name(used)})" if used and record.result["tokens"] else ""


def _run(material: Material, record: ToolCallRecord) -> str:
    return material.say("value.run", tokens=numbers.count(record.request["dataset_tokens"]))


def _cost(result: dict[str, Any]) -> float | None:
    """Rent of the work; what it costs on hardware of one's own where no rent is known."""
    if tokens := result["tokens"]:
        million = tokens["rent_million_cost"] or tokens["own_million_cost"]
        return float(million["value"]) if million else None
    if run := result["run"]:
        cost = run["rent_cost"] or run["own_cost"]
        return float(cost["value"]) if cost else None
    return None


def _money(cost: float, currency: str) -> str:
    return numbers.money(amounts.rounded(cost), currency, hourly=cost < amounts.EXACT_BELOW)
