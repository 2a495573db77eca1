"""How many of each card that was named serve a load at the pace that was set, and what they cost."""

from collections.abc import Iterator

from assistant.answer import ToolCallRecord
from assistant.compose import amounts, names, numbers
from assistant.compose.assume import taken_of
from assistant.compose.material import Material
from assistant.compose.orders import cards_of, order, price
from assistant.compose.pace import cite_pace
from assistant.compose.section import Section
from assistant.plan import requests
from assistant.plan import served as plan
from tools.configuration import Configuration


def served(material: Material) -> Section | None:
    """The fewest of each kind that keep the pace, with their price; None where that was not asked or none was found."""
    if not plan.asked(material.understanding):
        return None
    best = plan.best_of_each(material.understanding, material.need, material.calls)
    if not best:
        return None
    say = material.say
    ways = say.listed([_way(material, one) for one in best], conjunction="or")
    section = Section("recommendation", say("served.headline", load=_load(material), ways=ways))
    kinds = {one.gpu for one in best}
    lacking = [names.gpu_name(card.gpu) for card in requests.cards(material.need) if card.gpu not in kinds]
    section.body = [
        say("served.none", cards=say.listed(lacking, conjunction="or")) if lacking else "",
        "\n".join([f"**{say('heading.orders')}**", "", *(order(material, one) for one in best)]),
    ]
    section.configurations = best
    section.assumptions = list(_assumed(material))
    return section


def _load(material: Material) -> str:
    """What is to be served: the model, how many at once, and the pace that each is to have."""
    need, say = material.need, material.say
    model = names.model_name(need.model) if need.model else say("model.of_size", size=numbers.params(need.params or 0))
    words = [model]
    if need.concurrent_sequences:
        words.append(say("shop.sequences", count=numbers.count(need.concurrent_sequences)))
    elif need.users:
        words.append(say("served.users", count=numbers.count(need.users)))
    if need.context_tokens:
        words.append(say("shop.tokens", count=numbers.count(need.context_tokens)))
    if need.target_tokens_per_s:
        words.append(say("served.pace", value=f"{need.target_tokens_per_s:g}"))
    if need.target_latency_s:
        words.append(say("served.first", value=f"{need.target_latency_s:g}"))
    return say("list.comma").join(words)


def _way(material: Material, one: Configuration) -> str:
    bill = _bill(material, one)
    cards = cards_of(one)
    if bill is None:
        return cards + material.say("order.at_price", price=price(material, one, brief=True))
    rent = next(iter(bill.result["rent"]))
    monthly = amounts.amount(rent["monthly_cost"], bill.result["currency"])
    told = material.say("served.monthly", price=price(material, one, brief=True), monthly=monthly)
    return cards + told + cite_pace(material, "estimate_cost", bill.result)


def _bill(material: Material, one: Configuration) -> ToolCallRecord | None:
    """What renting it comes to a month."""
    if one.acquisition != "rent":
        return None
    same = (record for record in material.records("estimate_cost") if record.result["gpu"] == one.gpu)
    return next((record for record in same if record.result["rent"]), None)


def _assumed(material: Material) -> Iterator[str]:
    if material.need.users and not material.need.concurrent_sequences:
        yield material.say("served.in_flight")
    told = next((record.result["assumptions"] for record in material.records("configure")), ())
    yield from taken_of(material, told)
