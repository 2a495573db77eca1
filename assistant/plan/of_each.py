"""One matter of cards that are compared: which costs less to buy and to rent, which draws less power."""

import re

from assistant.plan import requests
from assistant.plan.call import PlannedCall
from assistant.understand.asking import weighs_power, weighs_prices
from assistant.understanding import Understanding
from tools.need import Need

CARDS_MAX = 3
"""Cards whose rents are looked up."""
_PRICED = re.compile(
    r"贵|便宜|差价|多少钱|价格|\b(?:price|cheaper|costs?|dearer|expensive)\b(?! (?:per|a) (?:token|hour|month))", re.I
)
"""The same in a turn after the comparison, which need not say what it compares."""
_OF_WORK = re.compile(
    r"per (?:\w+ )?tokens?|token|\bfor (?:it|that|this)\b|性价比|划算|合算|value|cost[- ]?(?:effective|efficient)"
    r"|per dollar",
    re.I,
)
"""Words of what the work costs on them, or of what the money brings."""


def several(need: Need) -> bool:
    """Whether cards are weighed against each other rather than used together."""
    return len(requests.compared(need)) > 1 and len(need.gpus_owned) < 2


def asks_price(understanding: Understanding) -> bool:
    """Whether the prices of the cards compared are asked for, not what some work costs on them.

    Who names the work together with the cards wants to know on which of them it costs less.
    """
    need, text = understanding.need, understanding.text
    apart = _OF_WORK.search(text) or need.budget
    if not understanding.follow_up:
        return several(need) and not requests.sized(need) and weighs_prices(text) and not apart
    asked = weighs_prices(text) or _PRICED.search(text) is not None
    return several(need) and asked and not apart


def asks_power(understanding: Understanding) -> bool:
    """Whether it is asked which of the cards compared draws less."""
    return several(understanding.need) and weighs_power(understanding.text)


def rents(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """What each of the cards is let for, where their prices are asked for."""
    if not asks_price(understanding):
        return []
    anywhere = need.model_copy(update={"provider": None})
    return [requests.offers(anywhere, card.gpu) for card in requests.compared(need)[:CARDS_MAX]]
