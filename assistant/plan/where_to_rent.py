"""Where a card is rented, with no work stated: "which cloud is cheapest for an H100", 「租 4090 哪个平台便宜」."""

import re
from collections.abc import Sequence
from typing import Any

from assistant.answer import ToolCallRecord
from assistant.plan import home, money, requests
from assistant.plan.call import PlannedCall, planned
from assistant.plan.like_rent import in_hand
from assistant.plan.nearest import in_its_place
from assistant.plan.ways import buys, only, rents
from assistant.understand.place import named_providers
from assistant.understand.text import Text
from assistant.understanding import Understanding
from kb.catalog import gpus
from kb.units import HOUR_S
from tools.configuration import Configuration
from tools.need import Need

MACHINE = 8
"""Cards of the largest machine that is let: more are several, which make a bill."""
READ_MAX = 30
"""Offers looked through: the cheapest of each cloud is told."""
OTHER_WAYS = ("spot", "reserved")
"""Ways to pay beside by the hour, told as what would change the answer."""
_WHERE = re.compile(
    r"\bwhere\b|\bwho (?:rents?|lets?|leases?|offers?|has)\b|\b(?:which|what|best|cheapest|good|recommend\w*)"
    r" (?:\w+ ){0,3}?(?:cloud|provider|host|platform|site|service|vendor|place|marketplace)s?\b|\bcheapest\b"
    r"|哪(?:个|家|里|儿|些)|去哪|在哪|推荐|便宜|划算",
    re.I,
)
_PRICE = re.compile(
    r"how much|\bcosts?\b|\bpric\w{1,3}\b|\brates?\b|\bgoing for\b|多少钱|价格|几块|什么价|租金|报价", re.I
)
_HOURLY = re.compile(r"(?:per|an|by the|/) ?(?:gpu[- ]?)?(?:hour|hr|h)\b|\bhourly\b|(?:一|每|/)个?小时|时租", re.I)
_HOURS = re.compile(r"[一1]个?小时", re.I)
"""An hour that is the unit of a price rather than how long a card is wanted."""


def asked(understanding: Understanding) -> bool:
    """Whether one card is to be rented somewhere, or what it is let for an hour is asked, and nothing else."""
    need, text = understanding.need, understanding.text
    cards = requests.cards(need)
    if requests.sized(need) or requests.is_training(need) or understanding.command or buys(text):
        return False
    if (
        in_hand(need, text)
        or len(requests.named_gpus(need)) != 1
        or len(cards) != 1
        or need.budget is not None
        or need.purpose is not None
    ):
        return False
    if (cards[0].count or 1) > MACHINE or money.asks_spot(text) or money.names_energy(text) or _other_time(need, text):
        return False
    if len({one.ids[0] for one in named_providers(Text.of(text).plain)}) > 1:
        return False
    return (rents(text) and _WHERE.search(text) is not None) or (
        _HOURLY.search(text) is not None and _PRICE.search(text) is not None
    )


def _other_time(need: Need, text: str) -> bool:
    """Whether it is wanted for a stated time or use: what that comes to is the question then."""
    if need.term_s == HOUR_S and _HOURS.search(text) is not None:
        return False
    return need.term_s is not None or need.hours_per_month is not None or money.asks_monthly(text)


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """Offers by the hour, on spot and reserved; at home too, and of the nearest card where nobody lets this one."""
    card = requests.cards(need)[0]
    let = in_its_place(card.gpu, None) if card.gpu in gpus() else None
    stated: dict[str, Any] = {"min_gpus": card.count, "provider": need.provider, "country": need.country,
                              "currency": money_of(need, understanding)}  # fmt: skip
    here, _ = home.HOME.get(understanding.language, (None, None))
    near = here if need.country is None and need.provider is None else None
    return [
        _offers(card.gpu, **stated),
        _offers(let, **stated) if let else None,
        *(_offers(let or card.gpu, **stated | {"purchase": one}) for one in OTHER_WAYS),
        _offers(let or card.gpu, **stated | {"country": near}) if near else None,
    ]


def more(need: Need, understanding: Understanding, results: Sequence[ToolCallRecord]) -> list[PlannedCall | None]:
    """Offers anywhere and of any size, where nobody lets the card as it was asked for."""
    found = [one for one in results if one.tool == "find_offers" and "error" not in one.result]
    if not found or any(one.result["offers"] for one in found if one.request.get("purchase") not in OTHER_WAYS):
        return []
    return [_offers(requests.cards(need)[0].gpu, currency=money_of(need, understanding))]


def other_ways(need: Need, understanding: Understanding, found: Sequence[Configuration]) -> list[PlannedCall | None]:
    """What the cards that are rented for stated work cost on spot and bound for a year."""
    best = next((one for one in found if one.acquisition == "rent"), None)
    if best is None or only(understanding.text, need) != "rent" or not _WHERE.search(understanding.text):
        return []
    stated = {"provider": need.provider, "currency": money_of(need, understanding)}
    return [_offers(best.gpu, **stated, purchase=one) for one in OTHER_WAYS]


def money_of(need: Need, understanding: Understanding) -> str:
    """The money that prices are told in: as said, else that of who asks in that language."""
    return need.currency or home.HOME.get(understanding.language, (None, "USD"))[1]


def _offers(gpu: str, **values: object) -> PlannedCall | None:
    return planned("find_offers", gpu=gpu, limit=READ_MAX, **values)
