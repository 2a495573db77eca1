"""What is rented for stated work: the cloud and its price first, and what another way to pay would change."""

from collections.abc import Sequence

from assistant.compose import where_to_rent
from assistant.compose.material import Material
from assistant.compose.orders import cards_of, price
from assistant.plan.preferred import job, main_date
from tools.configuration import Configuration


def cheapest(material: Material, best: Configuration, rented: Sequence[Configuration], what: str) -> str:
    """The verdict: which cloud, which instance, for how much and as of when, and what it holds."""
    key = "cheapest"
    if not job(best)[1]:
        key = "job"
    elif main_date(best) and any(main_date(one) is None and _below(one, best) for one in rented):
        key = "dated"
    return material.say(f"renting.{key}", offer=_offer(material, best), what=what)


def changes(material: Material, best: Configuration) -> str:
    """What a card of the same kind costs on spot or bound for a year; empty where that was not looked up."""
    if best.price.amount is None or best.price.period != "hour":
        return ""
    return where_to_rent.changes(material, best.price.amount / best.gpu_count)


def _offer(material: Material, one: Configuration) -> str:
    """The cloud, the cards, the instance, the price and its date."""
    instance = " ".join(filter(None, (one.instance, one.region)))
    told = price(material, one)
    return material.say("where.offer", cloud=one.provider, cards=cards_of(one), instance=instance, price=told)


def _below(one: Configuration, best: Configuration) -> bool:
    return one.price.amount is not None and one.price.amount < (best.price.amount or 0)
