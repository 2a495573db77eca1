"""Which of the configurations found answers the question: to buy, to rent, the cheapest."""

import re
from collections.abc import Sequence
from decimal import Decimal

from tools.configuration import Configuration
from tools.need import Need

_RENTING = re.compile(r"租|云|\brent|\bcloud|instance|per hour|hourly|/h\b|pay-as-you-go|\bspot\b", re.I)
_BUYING = re.compile(
    r"买|购|自己?攒|自建|入手"
    r"|\bbuy|(?<!my )(?<!our )(?<!your )\bown(?:ing|ed|s)?\b|\bbought|purchase|at home|for home|在家|家里",
    re.I,
)
_CHEAPEST = re.compile(r"最便宜|最低价|最省钱|最划算|便宜点|cheapest|lowest[- ](?:cost|price)|least expensive", re.I)


def rents(text: str) -> bool:
    """Whether renting is spoken of."""
    return bool(_RENTING.search(text))


def buys(text: str) -> bool:
    """Whether buying is spoken of."""
    return bool(_BUYING.search(text))


def asks_for_cheapest(text: str) -> bool:
    """Whether the price decides."""
    return bool(_CHEAPEST.search(text))


def only(text: str, need: Need) -> str | None:
    """`buy` or `rent` when only that is asked about."""
    if need.acquisition == "rent" or ((rents(text) or need.provider) and not buys(text)):
        return "rent"
    return "buy" if need.acquisition == "buy" or (buys(text) and not rents(text)) else None


def preferred(found: Sequence[Configuration], text: str, need: Need) -> list[Configuration]:
    """The configurations to speak of, best first: of the cards and the kind asked about first, dated prices first.

    To rent, and wherever the price decides, the best is the cheapest.
    """
    way = only(text, need)
    named = {*need.gpus_asked, *(card.gpu for card in need.gpus_owned)}
    kept = sorted(
        [one for one in found if one.acquisition == way] or found, key=lambda one: (one.gpu not in named, _undated(one))
    )
    if kept and (way == "rent" or asks_for_cheapest(text)):
        first = min((one for one in kept if one.acquisition == kept[0].acquisition), key=cost)
        kept = [first, *(one for one in kept if one is not first)]
    return kept


def _undated(one: Configuration) -> bool:
    return one.price.amount is not None and one.price.as_of is None


def cost(one: Configuration) -> tuple[bool, bool, bool, Decimal]:
    """What the cheapest is found by; a margin in memory first, for what is on the edge is no bargain."""
    amount = one.price.amount
    return one.memory.verdict != "yes", amount is None, _undated(one), Decimal(amount or 0)
