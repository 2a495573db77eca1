"""What to put in the place of a card in hand, or beside it: "I have a 3060, what next?", 「1080Ti 该换什么」."""

import re
from collections.abc import Sequence

from assistant.plan import requests
from assistant.plan.amounts import model_kind
from assistant.plan.call import PlannedCall, planned
from assistant.plan.formats import packed_format
from assistant.plan.market import ordinary, recent, sold_alone
from assistant.plan.ways import rents
from assistant.understand.likened import domestic_instead
from assistant.understanding import Understanding
from kb.catalog import gpu, gpus
from kb.market.rates import usd
from kb.records.gpu import Gpu
from tools.find_gpus import GpuQuery, find_gpus
from tools.gpu_row import GpuRow
from tools.memory.estimate import estimate_memory
from tools.memory.request import MemoryRequest
from tools.need import GpuCount, Need

ROOMIER, FASTER, AS_FAST = 1.3, 1.5, 0.9
"""Times the memory or the bandwidth of the card in hand that make another a step up, and that keep it from one down."""
HARDLY_MORE = 1.25
"""Times the price of a step for which the next step is the better buy."""
TOGETHER_MAX = 2
"""Cards in hand up to which one card may take their place."""
CHOICES_MAX = 3
_UPGRADE = re.compile(
    r"upgrad\w{1,3}|replac\w{1,3} (?:it|my|our|the|them)|what (?:should i (?:get|buy) )?next\b|next (?:card|gpu|step)"
    r"|(?:card|gpu) next\b"
    r"|\bsell\b.{0,24}\bbuy|step up|successor|swap (?:it|my)|trade (?:it )?(?:up|in)|better card"
    r"|move (?:up|on) (?:to|from)"
    r"|升级|换(?:什么|哪|个?啥|一?张|块|新?卡|掉|代)|下一(?:张|步)|继任|该换|想换|换啥|更好的(?:卡|显卡)"
    r"|卖[了掉].{0,8}[买换]",
    re.I,
)
_FOR = re.compile(
    r"(?:(?<![a-z])(?:swap|replac\w{1,3}|trade|upgrad\w{1,3}|move)(?![a-z])[^.?!]{0,24}?(?<![a-z])(?:for|with|to|by)"
    r"(?: an?| the)?|(?:换|升级)(?:成|到|为)(?:一?[张块])?)\s?$",
    re.I,
)
"""What stands before the card that is to take the place, where the asker names it."""
_FIRST = re.compile(
    r"正常(?:吗|么|不|？|\?)|是不是正常|\bnormal\?|\bis (?:that|this|it) (?:normal|expected|slow)\b", re.I
)
"""What is asked before a better card: whether what is seen is as it should be."""
_WHICH = re.compile(r"(?:what|which) (?:\w+ )?(?:card|gpu)(?![a-z])|(?:买|换)(?:啥|什么|哪)(?:[张个款])?", re.I)
"""Words for another card, of one who has one and money."""
_NOT_CARDS = re.compile(r"driver|cuda|software|version|psu|power supply|驱动|软件|版本|系统|电源", re.I)
_TARGET = re.compile(
    r"(?:(?<![a-z])(?:go(?:ing)?|want|up to|move|try|need)(?![a-z])|想|要|上到?|换)[^.?!。？！]{0,24}?"
    r"(?<![\d.])(?P<n>\d{1,3}(?:\.\d)?)\s?b(?![a-z])",
    re.I,
)
_PLACES = {"consumer", "workstation", "data_center"}


def asked(understanding: Understanding) -> bool:
    """Whether cards in hand are to be followed by better ones."""
    need, text = understanding.need, understanding.text
    card = in_place(need)
    if card is None or understanding.error_text or rents(text) or requests.is_training(need) or _FIRST.search(text):
        return False
    if domestic_instead(text):
        return False  # a card made in China, be it better or not
    if any(one.slot.startswith("gpus_") and _FOR.search(text[: one.start]) for one in understanding.spans):
        return False
    wanted = _UPGRADE.search(text) or (need.gpus_owned and need.budget and _WHICH.search(text))
    return card.gpu in gpus() and wanted is not None and bool(wanted) and not _NOT_CARDS.search(text)


def in_place(need: Need) -> GpuCount | None:
    """The card to be followed: the one in hand, else the only one spoken of; None where there are several kinds."""
    cards = requests.compared(need)
    return cards[0] if len(cards) == 1 and (cards[0].count or 1) <= TOGETHER_MAX else None


def goal(understanding: Understanding, need: Need) -> Need:
    """The work that the new card is for: a size spoken of as wanted comes before the model that runs today."""
    match = next(reversed([*_TARGET.finditer(understanding.text)]), None)
    size = int(float(match["n"]) * 1e9) if match else None
    if size is None or (need.params and abs(need.params / size - 1) < 0.15):
        return need
    return need.model_copy(update={"model": None, "model_text": None, "params": size, "weight_format": None})


def form(need: Need) -> str | None:
    """The format that a language model is taken in on a card of one's own; None = as other work is published."""
    if not requests.sized(need) or model_kind(need) not in {"llm", "vlm", None}:
        return None
    return need.weight_format or packed_format(need.model)


def _needed_bytes(need: Need) -> int:
    """What the work holds; nothing where none was named."""
    call = requests.memory(need, weight_format=form(need))
    if call is None:
        return 0
    return estimate_memory(MemoryRequest.model_validate(call.request)).per_gpu.total_bytes


def choices(need: Need) -> list[GpuCount]:
    """Another of the same, the cheapest step up, and what is faster or larger again, each priced and in the budget."""
    own = in_place(need)
    if own is None:
        return []
    card, count, needed = gpu(own.gpu), own.count or 1, _needed_bytes(need)
    most = float(usd(need.budget.amount, need.budget.currency)) if need.budget else None
    rows = find_gpus(GpuQuery(limit=500, sort="price", max_price_usd=most)).gpus
    pictures = model_kind(need) in {"diffusion", "video"}
    steps = [
        one for one in rows
        if _sold(one, card) and one.usable_bytes >= needed and _step_up(one, card) and (ordinary(one) or not pictures)
        and (needed or one.memory_bytes >= ROOMIER * card.memory_bytes)
    ]  # fmt: skip
    if not steps and needed > card.usable_bytes * count:
        steps = [one for one in rows if _sold(one, card) and one.usable_bytes >= needed and ordinary(one)]
    picked: list[GpuCount] = []
    same = next((one for one in rows if one.id == own.gpu and recent(one.price)), None)
    if same and needed <= card.usable_bytes * (count + 1) and needed > card.usable_bytes * count:
        picked.append(GpuCount(gpu=own.gpu, count=count + 1))
    return [*picked, *(GpuCount(gpu=one.id, count=1) for one in _ladder(steps))][:CHOICES_MAX]


def dearer(need: Need) -> GpuCount | None:
    """The next step up where a budget leaves none: what it would take."""
    if need.budget is None or choices(need):
        return None
    return next((one for one in choices(need.model_copy(update={"budget": None})) if one.gpu != _own_id(need)), None)


def _own_id(need: Need) -> str | None:
    own = in_place(need)
    return own.gpu if own else None


def _ladder(steps: Sequence[GpuRow]) -> list[GpuRow]:
    """Each clearly better than the one before it, by rising price; a step that costs hardly more replaces the last."""
    kept: list[GpuRow] = []
    for one in steps:
        if kept and not _step_up(one, gpu(kept[-1].id)):
            continue
        if kept and _amount(one) <= HARDLY_MORE * _amount(kept[-1]):
            kept.pop()
        kept.append(one)
    return kept


def _amount(one: GpuRow) -> float:
    return float(one.price.amount_usd) if one.price else 0.0


def _sold(one: GpuRow, card: Gpu) -> bool:
    """Whether it is a card to plug in, at a price of today, of a maker whose software is in use or runs everything."""
    plugged = one.market in _PLACES and sold_alone(one)
    passive = card.market != "data_center" and one.market == "data_center"
    return plugged and not passive and recent(one.price) and (ordinary(one) or one.vendor == card.vendor != "NVIDIA")


def _step_up(one: GpuRow, card: Gpu) -> bool:
    """Whether it is clearly larger or faster than a card, and neither smaller nor slower."""
    memory, speed = one.memory_bytes / card.memory_bytes, _ratio(one.bandwidth_bytes_per_s, card.bandwidth_bytes_per_s)
    return memory >= 1 and speed >= AS_FAST and (memory >= ROOMIER or speed >= FASTER)


def _ratio(one: float | None, other: float | None) -> float:
    return one / other if one and other else 0.0


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """The card in hand and each choice: figures, and memory and speed of the work."""
    wanted = goal(understanding, need)
    own, found, used = in_place(need), choices(wanted), form(wanted)
    if own is None:
        return []
    beyond = dearer(wanted)
    found = [*found, beyond] if beyond else found
    names = tuple(dict.fromkeys([own.gpu, *(one.gpu for one in found)]))
    plain = wanted.model_copy(update={"gpus_owned": (), "gpus_asked": ()})
    each: Sequence[GpuCount] = (own, *found)
    return [
        planned("find_gpus", names=names, limit=len(names) + 20),
        *(requests.memory(plain, card, weight_format=used) for card in each),
        *(requests.speed(plain, card, used) for card in each if used),
    ]
