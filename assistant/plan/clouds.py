"""Clouds held against each other by the price an hour: "p5.48xlarge or RunPod?", 「阿里云 A10 和 AutoDL 3090」."""

import re
from collections.abc import Sequence
from typing import Any

from assistant.plan import bill, money, requests
from assistant.plan.call import PlannedCall
from assistant.plan.ways import buys, rents
from assistant.understand.place import named_providers
from assistant.understand.text import Text
from assistant.understanding import Understanding
from kb.catalog import conventional
from kb.naming.names import Mention, gpu_names
from tools.need import Need

PAIRS_MAX = 4
_COMPARES = re.compile(
    r"便宜|划算|价格|多少钱|几块|怎么选|选哪|哪家|对比|\bvs\b|versus|cheap|pric|cost|\bor\b|compare"
    r"|better deal|hourly|per hour",
    re.I,
)
_WHERE = re.compile(
    r"cheapest (?:place|provider|cloud|host|offer|vendor|way to rent)|where (?:to|can i|do i|should i) rent"
    r"|哪家(?:云)?(?:最)?便宜"
    r"|哪里租",
    re.I,
)
_CHEAPER = re.compile(r"便宜|价格|多少钱|几块|租金|cheap|\bpric|\bcost|hourly|per hour|/h\b", re.I)

Pair = tuple[str | None, str]
"""A provider, or any, and a card."""


def asked(understanding: Understanding) -> bool:
    """Whether offers of several clouds, or of several cards to rent, are to be compared, and nothing else."""
    need, text = understanding.need, understanding.text
    if requests.sized(need) or requests.is_training(need) or understanding.command or buys(text) or need.gpus_owned:
        return False
    found = pairs(understanding)
    if len({provider for provider, _ in found}) > 1:
        return _COMPARES.search(text) is not None
    if len(found) == 1 and _WHERE.search(text):
        return True
    return len(found) > 1 and rents(text) and _CHEAPER.search(text) is not None


def pairs(understanding: Understanding) -> list[Pair]:
    """Each cloud named with the card spoken of beside it; without clouds, or with one, each card."""
    plain = Text.of(understanding.text).plain
    cards = [one for one in gpu_names().scan(plain) if one.exact]
    clouds = named_providers(plain)
    clouds = named_providers(plain, beside=True) if clouds else clouds
    known = requests.named_gpus(understanding.need)
    if len(clouds) < 2:
        provider = clouds[0].ids[0] if clouds else None
        return [(provider, card) for card in known][:PAIRS_MAX]
    found = [(cloud.ids[0], _beside(cloud, clouds, cards, known)) for cloud in clouds]
    named: list[Pair] = [(provider, card) for provider, card in found if card]
    return list(dict.fromkeys(named))[:PAIRS_MAX]


def _beside(cloud: Mention, clouds: Sequence[Mention], cards: Sequence[Mention], known: Sequence[str]) -> str | None:
    """The first card behind the cloud's name and before the next cloud, else the last before it, else the only one."""
    following = min((one.start for one in clouds if one.start > cloud.start), default=10**9)
    behind = [one for one in cards if cloud.end <= one.start < following]
    before = [one for one in cards if one.end <= cloud.start]
    mention = behind[0] if behind else before[-1] if before else None
    if mention is None:
        return known[0] if known else None
    named = next((card for card in known if card in mention.ids), None)
    return named or (conventional(mention.ids) if len(mention.ids) > 1 else mention.ids[0])


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """The rent of each, for as many cards as were named, over the time that was stated."""
    hired = bill.hired_s(need)
    over: dict[str, Any] = {"term_s": hired} if hired else {}
    stated = {card.gpu: card.count for card in requests.cards(need)}
    most = max((count for count in stated.values() if count), default=None)
    counts = {card: stated.get(card) or most or money.board(card) for _, card in pairs(understanding)}
    return [
        money.cost(
            need.model_copy(update={"gpus_asked": (card,), "gpus_proposed": (), "gpu_count": counts[card]}),
            understanding,
            provider=provider,
            acquisition="rent",
            **over,
        )
        for provider, card in pairs(understanding)
    ]
