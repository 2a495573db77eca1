"""Which of the cards raced to take: speed held against the price of all the cards it needs, within the budget."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from assistant.compose import names, numbers
from assistant.compose.material import Material
from assistant.plan.market import PRICE_DAYS
from assistant.plan.preferred import rents
from kb.rates import usd
from tools.compare_gpus import Comparison
from tools.prices import CardPrice, age_days

EVEN_RATIO = 1.1
"""Speeds, and speeds for the money, closer than this are the same."""


@dataclass(frozen=True, slots=True)
class Runner:
    """One set of cards that was raced: how fast, and what one card of it costs."""

    gpu: str
    count: int
    speed: float
    price: CardPrice

    @property
    def amount(self) -> Decimal:
        """Dollars of all its cards."""
        return self.price.amount_usd * self.count

    @property
    def for_money(self) -> float:
        """Speed for each dollar."""
        return self.speed / float(self.amount)

    @property
    def cards(self) -> str:
        """Its cards, counted."""
        return names.cards(self.gpu, self.count)


def take(material: Material, raced: Sequence[tuple[str, int, float]], *, settled: bool = True) -> str:
    """What to buy, as a sentence; empty where a price is unknown, cards are rented or in hand.

    Args:
        material: what was understood and worked out.
        raced: card, number and speed of each set raced.
        settled: whether speed and price decide; not where some of them hold the work only just.
    """
    compared = next((Comparison.model_validate(one) for one in material.results("compare_gpus")), None)
    owned = {card.gpu for card in material.need.gpus_owned}
    if compared is None or rents(material.text) or len(raced) < 2 or any(gpu in owned for gpu, _, _ in raced):
        return ""
    prices = {row.id: row.price for row in compared.gpus if row.price}
    runners = [Runner(gpu, count, speed, prices[gpu]) for gpu, count, speed in raced if gpu in prices]
    if len(runners) < len(raced):
        return ""
    return _over_budget(material, runners) or (_best(material, runners) if settled else "")


def _over_budget(material: Material, runners: Sequence[Runner]) -> str:
    """That no set, or only one, is within the sum to be spent."""
    budget = material.need.budget
    if budget is None or budget.mode == "rent" or budget.period:
        return ""
    most = usd(budget.amount, budget.currency)
    within = [one for one in runners if one.amount <= most]
    values = {"budget": numbers.money(budget.amount, budget.currency), "prices": _listed(material, runners)}
    if not within:
        return material.say("take.none_within", **values)
    return material.say("take.within", card=within[0].cards, **values) if len(within) == 1 else ""


def _best(material: Material, runners: Sequence[Runner]) -> str:
    fastest = max(runners, key=lambda one: one.speed)
    thrifty = max(runners, key=lambda one: (one.for_money, one.cards))
    even = [one for one in runners if one.speed * EVEN_RATIO >= fastest.speed]
    values = {"prices": _listed(material, runners)}
    if len(even) > 1:
        if _bygone(runners) or len({numbers.usd(one.amount) for one in even}) < len(even):
            return ""  # as fast for the same money, or for a price that nobody asks today
        return material.say("take.as_fast", card=min(even, key=lambda one: one.amount).cards, **values)
    if fastest.for_money * EVEN_RATIO < thrifty.for_money:
        return material.say("take.for_money", card=thrifty.cards, fastest=fastest.cards, **values)
    cheaper = all(fastest.amount <= one.amount for one in runners)
    if cheaper and _bygone(runners):
        return ""
    return material.say("take.cheaper" if cheaper else "take.worth", card=fastest.cards, **values)


def _bygone(runners: Sequence[Runner]) -> bool:
    """Whether a price is of years ago: what was dear then may be cheap now."""
    return any((age := age_days(one.price.as_of)) is not None and age > PRICE_DAYS for one in runners)


def _listed(material: Material, runners: Sequence[Runner]) -> str:
    """The price of each set, of several cards as a product."""
    return material.say.listed([material.say("take.price", card=one.cards, value=_price(one)) for one in runners])


def _price(one: Runner) -> str:
    each = numbers.usd(one.price.amount_usd)
    return each if one.count == 1 else f"{one.count} × {each} = {numbers.usd(one.amount)}"
