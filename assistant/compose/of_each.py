"""Of cards that are compared, what each costs to buy and to rent, or draws: all of them, the least named first."""

from collections.abc import Sequence

from assistant.compose import facts, names, numbers
from assistant.compose.aspects import BY_KEY
from assistant.compose.citations import joined
from assistant.compose.material import Material
from assistant.compose.offers import cite, found
from assistant.plan import of_each, ways
from tools.find_offers import OfferRow
from tools.gpu_row import GpuRow


def least(material: Material, rows: Sequence[GpuRow]) -> str:
    """The one matter that the comparison was asked for; empty where it was none of them."""
    if of_each.asks_power(material.understanding):
        return draws(material, rows)
    return prices(material, rows)


def prices(material: Material, rows: Sequence[GpuRow]) -> str:
    """Who is cheaper to buy and who to rent, with the price of each; empty where that was not asked or is not known."""
    if not of_each.asks_price(material.understanding):
        return ""
    bought, rented = _bought(material, rows), _rented(material, rows)
    lets = ways.only(material.text, material.need) == "rent"
    told = [one for one in ((rented, bought) if lets else (bought, rented)) if one]
    return ("" if material.say.language == "zh" else " ").join(told)


def draws(material: Material, rows: Sequence[GpuRow]) -> str:
    """What one card of each draws at most, the thriftiest named; empty where only one is known."""
    known = sorted((row for row in rows if row.tdp_w), key=lambda row: row.tdp_w or 0)
    if len(known) < 2:
        return ""
    say, aspect = material.say, BY_KEY["power"]
    values = say.listed([say("fact.card_value", card=names.gpu_name(row.id), value=aspect.value(row)) for row in known])
    key = "each.same_power" if known[0].tdp_w == known[-1].tdp_w else "each.less_power"
    text = say(key, card=names.gpu_name(known[0].id), values=values)
    return text + joined([facts.cite_card(material, row, [aspect]) for row in known])


def _bought(material: Material, rows: Sequence[GpuRow]) -> str:
    known = [row for row in rows if row.price is not None]
    if not known:
        return ""
    say, aspect = material.say, BY_KEY["price"]
    known.sort(key=lambda row: float(row.price.amount_usd) if row.price else 0.0)
    values = say.listed([say("fact.card_value", card=names.gpu_name(row.id), value=aspect.value(row)) for row in known])
    key = "compare.cheaper_card" if len(known) > 1 else "each.one_priced"
    text = say(key, card=names.gpu_name(known[0].id), values=values)
    unpriced = [names.gpu_name(row.id) for row in rows if row.price is None]
    text += say("each.not_priced", cards=say.listed(unpriced)) if unpriced else ""
    return text + joined([facts.cite_card(material, row, [aspect]) for row in known])


def _rented(material: Material, rows: Sequence[GpuRow]) -> str:
    """The lowest rent of a card of each, those that nobody lets named."""
    say, least = material.say, [(row, _least(material, row.id)) for row in rows]
    let = sorted(
        ((row, one) for row, one in least if one is not None), key=lambda pair: float(pair[1].usd_per_gpu_hour or 0)
    )
    if not let:
        return ""
    values = say.listed(
        [say("fact.card_value", card=names.gpu_name(row.id), value=_rent(material, one)) for row, one in let]
    )
    text = say(
        "each.cheaper_rent" if len(let) > 1 else "each.one_let", card=names.gpu_name(let[0][0].id), values=values
    )
    unlet = [names.gpu_name(row.id) for row, one in least if one is None]
    text += say("each.not_let", cards=say.listed(unlet)) if unlet else ""
    return text + joined([cite(material, one) for _, one in let])


def _least(material: Material, card: str) -> OfferRow | None:
    """The cheapest offer of the card, those with a date before those without."""
    return next((one for one in found(material) if one.gpu == card and one.usd_per_gpu_hour), None)


def _rent(material: Material, one: OfferRow) -> str:
    say = material.say
    paid = say("price.hour", amount=numbers.usd(one.usd_per_gpu_hour or 0, hourly=True))
    dated = (
        say("price.as_of_old" if one.stale else "price.as_of", date=one.as_of) if one.as_of else say("price.undated")
    )
    return paid + dated
