"""An amount of memory that something is said to need, against so many cards: 「350GB 显存，4 张 A100 够吗」."""

import re

from assistant.plan import requests
from assistant.plan.call import PlannedCall, planned
from assistant.understanding import Understanding
from kb.catalog import gpu
from kb.units import GIB
from tools.need import GpuCount, Need

MOST = 1024
"""Most cards that are counted."""
_AMOUNT = r"(?P<n{0}>\d{{2,5}}(?:\.\d)?)\s?(?P<u{0}>gi?b|tb|g(?![a-z]))"
_NEEDS = re.compile(
    r"(?:需要?|要|占用?|吃|needs?|takes?|requires?|wants?)\s?(?:about |around |约|大约|大概)?\s?"
    + _AMOUNT.format(1)
    + r"(?!\s?(?:内存|ram|host))"
    + "|"
    + _AMOUNT.format(2)
    + r"\s?(?:的|of |worth of )?\s?(?:大)?(?:模型|权重|参数文件|显存需求|显存占用|model|weights|checkpoint)"
    r"(?!s? (?:card|gpu))",
    re.I,
)
"""The amount, of a model or its weights, not of a card or the host."""
_ENOUGH = re.compile(
    r"够|足够|行吗|可以吗|能不能|能否|能放|装得?下|放得?下|对吗|对不对|对么|真的|正确|合理|几张|几块|几卡|多少张|多少卡"
    r"|\benough\b|\bsuffic|\bfits?\b|\bholds?\b|\bright\b|\bcorrect\b|\btrue\b|\bhow many\b|\bdo\b",
    re.I,
)


def stated_bytes(text: str) -> tuple[int, int] | None:
    """The least and the most bytes meant: a GB of files is decimal, one of a card binary."""
    said = _NEEDS.search(text)
    if said is None:
        return None
    number, unit = (said["n1"], said["u1"]) if said["n1"] else (said["n2"], said["u2"])
    times = 1024 if unit.lower() == "tb" else 1
    binary = round(float(number) * times * GIB)
    return (binary if unit.lower() == "gib" else round(float(number) * (times if times == 1 else 1000) * 1e9)), binary


def words(text: str) -> str:
    """The amount as it was said."""
    said = _NEEDS.search(text)
    return f"{said['n1'] or said['n2']} {(said['u1'] or said['u2']).upper().replace('GIB', 'GiB')}" if said else ""


def card_of(need: Need) -> GpuCount | None:
    """The one kind of card, in its number where that was said."""
    cards = requests.cards(need)
    if len({one.gpu for one in cards}) != 1:
        return None
    counted = (one for one in (*need.gpus_proposed, *cards) if one.gpu == cards[0].gpu and one.count)
    return next(counted, cards[0])


def asked(understanding: Understanding) -> bool:
    """Whether nothing but the amount says what is to be held, and whether the cards do is the question."""
    need, text = understanding.need, understanding.text
    other = requests.sized(need) or need.budget or need.purpose or requests.is_training(need) or need.model_text
    if other or understanding.error_text or understanding.follow_up or understanding.workloads:
        return False
    card, amount = card_of(need), stated_bytes(text)
    alone = card is not None and amount is not None and amount[1] > gpu(card.gpu).memory_bytes
    return alone and _ENOUGH.search(text) is not None


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """The card, with how many of it hold as much together."""
    card, amount = card_of(need), stated_bytes(understanding.text)
    if card is None or amount is None:
        return []
    found = gpu(card.gpu)
    nominal = -(-amount[1] * found.memory_bytes // found.usable_bytes)
    return [planned("find_gpus", names=(card.gpu,), together_bytes=nominal, max_together=MOST)]
