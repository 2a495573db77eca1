"""Several copies of a model on the cards in hand, and a machine more than the load takes: "two copies?", 「高可用」."""

import re

from assistant.plan import requests
from assistant.plan.call import PlannedCall
from assistant.understand.numbers import number
from assistant.understanding import Understanding
from tools.need import GpuCount, Need

MOST = 16
_COUNT = r"(?P<{0}>two|three|four|eight|2|3|4|8|[两二三四八])"
_COPIES = re.compile(
    rf"(?<![\w.]){_COUNT.format('en')} (?:independent |separate |full )?(?:copies|replicas|instances)"
    r"(?: of (?:it|the model|this))?\b"
    rf"|{_COUNT.format('zh')}\s?(?:个|份|套)[^,，。?？]{{0,24}}?(?:副本|实例|拷贝)|(?:跑|起|部署|放){_COUNT.format('two')}\s?[份套](?!数据)",
    re.I,
)
_ONE_MORE = re.compile(
    r"高可用|单点|冗余|容灾|主备|双活|可用性|挂了怎么办|坏了?(?:一张|一块|卡)[^,，。?？]{0,6}(?:怎么办|还能|会)|一张卡坏了"
    r"|\bn\s?\+\s?1\b|99\.\d+\s?%|\bhigh availability\b|\bavailability\b|\buptime\b|\bfail-?over\b"
    r"|\bredundan\w+|\bsingle point of failure\b|(?<!\w)ha(?!\w)"
    r"|(?:card|gpu|server|node) (?:dies|fails|breaks|goes down)",
    re.I,
)


def wanted(text: str) -> int | None:
    """How many copies are spoken of."""
    said = _COPIES.search(text)
    words = {"two": 2, "three": 3, "four": 4, "eight": 8}
    figure = next(filter(None, said.groups()), "").lower() if said else ""
    return words.get(figure) or int(number(figure) or 0) or None


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """The memory of one copy on its share of the cards, where they divide so."""
    count, cards = wanted(understanding.text), requests.cards(need)
    if not count or len(cards) != 1 or requests.is_training(need) or not requests.sized(need):
        return []
    held = cards[0].count or 1
    if held < count or held % count or count > MOST:
        return []
    return [requests.memory(need, GpuCount(gpu=cards[0].gpu, count=held // count))]


def one_more(text: str) -> bool:
    """Whether the service is to go on when a card or a machine fails."""
    return _ONE_MORE.search(text) is not None
