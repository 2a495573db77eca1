"""Which of the cards raced to take: speed held against the price of all the cards it needs, within the budget."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from assistant.compose import names, numbers
from assistant.compose.material import Material
from assistant.plan.market import PRICE_DAYS
from assistant.plan.ways import rents
from assistant.understand import like_prices
from assistant.understanding import SaidPrice
from kb.catalog import gpu as gpu_record
from kb.market.rates import usd
from tools.compare_gpus import Comparison
from tools.prices import CardPrice, age_days

EVEN_RATIO = 1.1
"""Speeds, and speeds for the money, closer than this are the same."""
ALIKE_RATIO = Decimal("1.25")
"""Prices closer than this are similar: what one card is offered for differs by as much."""
DEAR_RATIO = 2.0
"""So many times less speed for the money makes room alone no reason."""


@dataclass(frozen=True, slots=True)
class Runner:
    """One set of cards that was raced: how fast, and what one card of it costs."""

    gpu: str
    count: int
    speed: float
    price: CardPrice
    said: SaidPrice | None = None
    """Where the asker named what one costs: that is then its price."""

    @property
    def amount(self) -> Decimal:
        """Dollars of all its cards."""
        return self.price.amount_usd * self.count

    @property
    def room(self) -> tuple[int, float]:
        """Memory of all its cards, then their compute."""
        card = gpu_record(self.gpu)
        return card.memory_bytes * self.count, (card.bf16_flops or 0) * self.count

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
    runners = _priced(material, raced)
    if not runners:
        return ""
    return _over_budget(material, runners) or (_best(material, runners) if settled else "")


def roomier(material: Material, raced: Sequence[tuple[str, int, float]], snug: str, *, trained: bool) -> str:
    """Which of two sets to take, of which one, `snug`, holds the work only just: the other, unless it is dear."""
    if rents(material.text) or any(gpu in _owned(material) for gpu, _, _ in raced):
        return ""
    cards = {names.cards(gpu, count) for gpu, count, _ in raced}
    other = next(iter(cards - {snug}), snug)
    runners = {one.cards: one for one in _priced(material, raced)}
    values = {"card": other, "others": snug, "longer": material.say("take.sample" if trained else "take.context")}
    if not runners or like_prices.said(material.text):
        return material.say("take.roomy", **values)
    if limited := _over_budget(material, list(runners.values())):
        return limited
    close, roomy = runners[snug], runners[other]
    prices = _listed(material, list(runners.values()))
    dear = roomy.for_money * DEAR_RATIO < close.for_money
    return material.say("take.roomy_dear" if dear else "take.roomy_priced", prices=prices, **values)


def at_like_prices(material: Material, cards: Sequence[tuple[str, int]]) -> str:
    """Where they were said to cost the same: the prices known, and whether that is so; empty else."""
    runners = _priced(material, [(gpu, count, 1.0) for gpu, count in cards])
    return _premise(material, runners).strip() if runners and like_prices.said(material.text) else ""


def _priced(material: Material, raced: Sequence[tuple[str, int, float]]) -> list[Runner]:
    """The sets raced with their prices; none where one is unknown, or cards are rented or in hand."""
    compared = next((Comparison.model_validate(one) for one in material.results("compare_gpus")), None)
    in_hand = any(gpu in _owned(material) for gpu, _, _ in raced)
    if compared is None or rents(material.text) or len(raced) < 2 or in_hand:
        return []
    said = {one.gpu: one for one in material.understanding.need.said_prices}
    prices = {row.id: row.price for row in compared.gpus if row.price} | {key: _of(one) for key, one in said.items()}
    runners = [Runner(gpu, count, speed, prices[gpu], said.get(gpu)) for gpu, count, speed in raced if gpu in prices]
    return runners if len(runners) == len(raced) else []


def _of(one: SaidPrice) -> CardPrice:
    return CardPrice(amount_usd=usd(one.amount, one.currency), kind="street", as_of=None, source=None)


def _owned(material: Material) -> set[str]:
    return {card.gpu for card in material.need.gpus_owned}


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
    if like_prices.said(material.text):
        roomiest = max(runners, key=lambda one: (one.room, one.speed))
        chosen = roomiest if len(even) > 1 else fastest
        key = "take.like_even" if len(even) > 1 else "take.like_price"
        return material.say(key, card=chosen.cards) + _premise(material, runners)
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


def _premise(material: Material, runners: Sequence[Runner]) -> str:
    """The prices known, and whether they are as similar as was said."""
    amounts = [one.amount for one in runners]
    alike = max(amounts) <= ALIKE_RATIO * min(amounts)
    gap = "" if material.say.language == "zh" else " "
    return gap + material.say("take.prices_alike" if alike else "take.prices_unlike", prices=_listed(material, runners))


def _bygone(runners: Sequence[Runner]) -> bool:
    """Whether a price is of years ago: what was dear then may be cheap now."""
    return any((age := age_days(one.price.as_of)) is not None and age > PRICE_DAYS for one in runners)


def _listed(material: Material, runners: Sequence[Runner]) -> str:
    """The price of each set, of several cards as a product."""
    return material.say.listed([material.say("take.price", card=one.cards, value=_price(one)) for one in runners])


def _price(one: Runner) -> str:
    if one.said is not None and one.said.text:
        return one.said.text if one.count == 1 else f"{one.count} × {one.said.text}"
    if one.said is not None:
        each = numbers.money(one.said.amount, one.said.currency)
        whole = numbers.money(one.said.amount * one.count, one.said.currency)
        return each if one.count == 1 else f"{one.count} × {each} = {whole}"
    each = numbers.usd(one.price.amount_usd)
    return each if one.count == 1 else f"{one.count} × {each} = {numbers.usd(one.amount)}"
