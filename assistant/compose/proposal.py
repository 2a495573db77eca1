"""Follow-ups about a proposal to buy: what second-hand cards change, and what the rest of the money still brings."""

from assistant.compose import names, numbers
from assistant.compose.material import Material
from assistant.compose.more_money import fastest_within, miss_price, more_money
from assistant.compose.orders import HOST_IS_OWN, cards_of, cheapest, orders, price
from assistant.compose.section import Section
from assistant.plan.preferred import USED
from kb.catalog import gpu
from tools.configuration import Configuration
from tools.configure.bills.bill import condition


def used(material: Material, section: Section) -> Section:
    """What second-hand cards change: the first proposal may be such a card, else the cheapest of them is told."""
    say, bought = material.say, [one for one in material.configurations if one.acquisition == "buy"]
    if not bought:
        return section
    best, old = bought[0], [one for one in bought if _is_used(one) and one.price.amount]
    new = [one for one in bought if not _is_used(one) and one.price.amount]
    if _is_used(best):
        told = say("command.used_first", cards=cards_of(best), price=price(material, best))
        rival = cheapest(new) if new else None
        more = say("command.used_new", cards=cards_of(rival), price=price(material, rival)) if rival else ""
        section.headline = told + more
    elif old:
        least = cheapest(old)
        section.headline = say(
            "command.used_other", cards=cards_of(least), price=price(material, least), best=cards_of(best)
        )
    else:
        section.headline = _used_beyond(material, best)
    section.body = [say("command.used_rule"), orders(material, [best, *(one for one in bought if one is not best)])]
    return section


def _used_beyond(material: Material, best: Configuration) -> str:
    """That no used card comes within the limits, with the one that only the budget keeps out."""
    for result in material.results("configure"):
        for row in result.get("rejected") or ():
            if row.get("price_usd") and condition(gpu(row["gpu"])) == "used":
                return material.say(
                    "command.used_dear", cards=names.cards(row["gpu"], row["gpu_count"]),
                    price=miss_price(row), best=cards_of(best),
                )  # fmt: skip
    return material.say("command.used_none", best=cards_of(best))


def rest(material: Material, section: Section) -> Section:
    """What remains of the budget after the first proposal, and what it could still buy."""
    say, budget = material.say, material.need.budget
    best = next((one for one in material.configurations if one.price.budget_left), None)
    if budget is None or best is None or best.price.budget_left is None:
        return section
    left, more = best.price.budget_left, fastest_within(material, best)
    own = numbers.money(budget.amount, budget.currency)
    told = say("command.rest", cards=cards_of(best), own=own, left=numbers.money(left.amount, left.currency))
    if any(one.code == HOST_IS_OWN for one in best.reasons):
        section.headline = told + say("command.rest_host")
    elif more:
        section.headline = told + say("command.rest_more", more=more)
    else:
        section.headline = told + say("command.rest_nothing") + _next_step(material)
    section.body = [more_money(material, best)]
    return section


def _next_step(material: Material) -> str:
    """The cheapest that only the budget keeps out."""
    rows = [
        row for result in material.results("configure") for row in result.get("rejected") or () if row.get("price_usd")
    ]
    if not rows:
        return ""
    row = min(rows, key=lambda one: float(one["price_usd"]))
    return material.say(
        "command.rest_next",
        cards=names.cards(row["gpu"], row["gpu_count"]),
        price=miss_price(row),
    )


def _is_used(one: Configuration) -> bool:
    """Whether its cards are no longer made and only come second-hand."""
    return any(reason.code == USED for reason in one.reasons)
