"""Several copies of a model on the cards in hand, and a machine more than the load takes: "two copies?", 「高可用」."""

import re

from assistant.plan import requests
from assistant.plan.call import PlannedCall
from assistant.understanding import Understanding
from tools.need import GpuCount, Need

MOST = 16
_ONE_MORE = re.compile(
    r"高可用|单点|冗余|容灾|主备|双活|可用性|挂了怎么办|坏了?(?:一张|一块|卡)[^,，。?？]{0,6}(?:怎么办|还能|会)|一张卡坏了"
    r"|\bn\s?\+\s?1\b|99\.\d+\s?%|\bhigh availability\b|\bavailability\b|\buptime\b|\bfail-?over\b"
    r"|\bredundan\w+|\bsingle point of failure\b|(?<!\w)ha(?!\w)"
    r"|(?:card|gpu|server|node) (?:dies|fails|breaks|goes down)",
    re.I,
)


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """The memory of one copy on its share of the cards, where they divide so."""
    count, cards = need.copies, requests.cards(need)
    if not count or len(cards) != 1 or requests.is_training(need) or not requests.sized(need):
        return []
    held = cards[0].count or 1
    if max(held, count) % min(held, count) or count > MOST:
        return []
    return [requests.memory(need, GpuCount(gpu=cards[0].gpu, count=max(1, held // count)))]


def on_one_card(need: Need, understanding: Understanding) -> int:
    """Copies that share each card, where more of them are spoken of than there are cards; else one."""
    count, cards = need.copies, requests.cards(need)
    return max(1, (count or 1) // (cards[0].count or 1)) if cards else 1


def one_more(text: str) -> bool:
    """Whether the service is to go on when a card or a machine fails."""
    return _ONE_MORE.search(text) is not None
