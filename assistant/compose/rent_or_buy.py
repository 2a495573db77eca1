"""Renting against buying: what each costs, or where it is cheapest."""

from assistant.compose import acquisition, comparison, cost, offers, shopping
from assistant.compose.material import Material
from assistant.compose.section import Section
from assistant.plan import money, of_each, requests, ways


def rent_or_buy(material: Material) -> Section:
    """What renting and owning cost; of several cards, which of them is let or sold for less."""
    if of_each.asks_price(material.understanding):
        return comparison.comparison(material)
    both = ways.only(material.text, material.need) is None and cost.meets(material)
    again = material.understanding.follow_up and any(material.results("estimate_cost"))
    monthly = money.asks_monthly(material.text) or material.need.hours_per_month is not None
    again = again or (monthly and any(result["rent"] for result in material.results("estimate_cost")))
    budget = material.need.budget
    if budget and requests.sized(material.need) and (budget.period == "month" or not material.configurations):
        return shopping.rent(material)
    asked = both or again or acquisition.buys(material) or money.asks_cost(material.text) or cost.of_a_run(material)
    either = ways.rents(material.text) and acquisition.buys(material) and not money.asks_cost(material.text)
    told = cost.meets(material) or cost.of_a_run(material) or not (either and requests.sized(material.need))
    worked_out = cost.cost(material) if asked and told else None
    if worked_out is not None:
        return worked_out
    if requests.sized(material.need) and not material.configurations and any(material.results("configure")):
        section = shopping.nothing_found(material)
    elif not material.configurations or (offers.found(material) and not requests.sized(material.need)):
        section = offers.cheapest(material)
    elif not acquisition.buys(material):
        section = shopping.rent(material)
    else:
        section = shopping.cloud_or_buy(material)
    if requests.named_gpus(material.need) or not (material.configurations or requests.sized(material.need)):
        section.body.append(offers.offers(material))
    return section
