"""What a known amount of work costs to rent: the card that does it for least, its hours, and the next."""

from assistant.answer import ToolCallRecord
from assistant.compose import amounts, clarify, names, numbers, whole_job
from assistant.compose.material import Material
from assistant.compose.pace import cite_pace
from assistant.compose.section import Section
from assistant.compose.table import table
from assistant.plan.amounts import model_kind
from assistant.plan.jobs import monthly
from kb.units import HOUR_S, HOURS_PER_MONTH

IDLE_BELOW = 0.4
"""Share of a month's hours below which a card of one's own would mostly stand idle."""


def jobs(material: Material) -> Section | None:
    """The least rent for the work with its hours, offer and date; a table of the next."""
    found = sorted((one for one in material.records("estimate_cost") if _offered(one)), key=_least)
    if not found:
        return None
    say, best = material.say, found[0]
    rent, run, money = best.result["rent"][0], best.result["run"], best.result["currency"]
    often = "month" if monthly(material.text) else "once"
    headline = say(
        f"jobs.{often}", work=whole_job.work(material, best), cost=_money(_least(best), money),
        hours=amounts.figure_range(run["gpu_hours"]), cards=names.cards(best.result["gpu"], 1),
        hourly=numbers.money(rent["hourly_cost"]["low"], money, hourly=True),
        where=say("bill.where", where=rent["cheapest"], date=rent["as_of"] or say("cost.undated")),
    )  # fmt: skip
    headline = _enough(material, best) + headline
    section = Section("estimate", headline + cite_pace(material, "estimate_cost", best.result), settled=True)
    section.body = [_standing(material, run["time_s"]["value"], often), _table(material, found)]
    section.caveats = [say("cost.warn_old_offers")] if rent["stale"] else []
    said = {"speech": "jobs.batched", "diffusion": "jobs.steps"}.get(model_kind(material.need) or "")
    section.assumptions = [*([say(said)] if said else []), *clarify.ambiguous_names(material)]
    return section


def _enough(material: Material, best: ToolCallRecord) -> str:
    """Whether the budget stated pays for it; nothing where none was, or where its money is another."""
    budget, run = material.need.budget, best.result["run"]
    if budget is None or budget.currency != best.result["currency"]:
        return ""
    likely, most = _least(best), run["cheapest_cost"] * run["time_s"]["high"] / run["time_s"]["value"]
    key = "too_little" if likely > budget.amount else "enough" if most <= budget.amount else "likely"
    return material.say(f"jobs.{key}")


def _offered(record: ToolCallRecord) -> bool:
    """Whether the job was priced at an offer that was read."""
    rent, run = record.result["rent"], record.result["run"]
    return bool(run and run["cheapest_cost"] is not None and rent and rent[0]["cheapest"])


def _least(record: ToolCallRecord) -> float:
    return float(record.result["run"]["cheapest_cost"])


def _money(value: float, currency: str) -> str:
    return numbers.money(amounts.rounded(value), currency)


def _standing(material: Material, seconds: float, often: str) -> str:
    """Whether that keeps a card busy: a few hours a month are rented, more than a month's takes several cards."""
    hours = seconds / HOUR_S
    if hours > HOURS_PER_MONTH:
        value, unit = numbers.duration(seconds)
        return material.say("jobs.several", time=value, unit=material.say(f"unit.{unit}"))
    return material.say("jobs.idle") if often == "month" and hours < IDLE_BELOW * HOURS_PER_MONTH else ""


def _table(material: Material, found: list[ToolCallRecord]) -> str:
    say = material.say
    head = [say("clouds.offer"), say("jobs.head_hours"), say("jobs.head_cost"), say("clouds.hour"), say("clouds.read")]
    rows = []
    for one in found:
        rent, money = one.result["rent"][0], one.result["currency"]
        rows.append([
            f"{names.cards(one.result['gpu'], 1)}: {rent['cheapest']}",
            amounts.figure_range(one.result["run"]["gpu_hours"]), _money(_least(one), money),
            numbers.money(rent["hourly_cost"]["low"], money, hourly=True), rent["as_of"] or say("cost.undated"),
        ])  # fmt: skip
    return table(head, rows)
