"""A price that the question takes for granted: "the A100 costs $1/hr everywhere, right?", 「H100 二手才 3 万块吧」."""

import re

from assistant.plan import money, requests
from assistant.plan.apart import cheapest_offer
from assistant.plan.call import PlannedCall
from assistant.understand.budget import Money, find_money
from assistant.understand.text import Text
from assistant.understanding import Understanding
from tools.need import Need

_BELIEVED = re.compile(
    r"吧[?？]?$|对吧|对吗|是吗|真的吗|是真的|不是(?:才|只)|才[^，。]{0,14}(?:块|元|万)|只要|听说|据说|属实"
    r"|值吗|值不值|划算吗|worth it|靠谱吗|正常吗|合理吗|贵吗|便宜吗"
    r"|is it true|\bright\?|\bcorrect\?|i (?:heard|read|saw)|really\b|everywhere"
    r"|supposedly|\bonly \$|just \$|true that|isn't it"
    r"|don't they|doesn't it|fair price|good (?:price|deal)|overpriced|rip-?off|too (?:much|good)"
    r"|reasonable|legit|scam"
    r"|\bstill\b|disregard|quote me|\bsay\b|was told|卖我|真有",
    re.I,
)
_SPENT = re.compile(r"预算|以内|不超过|\bbudget\b|under \$|below \$|up to|max", re.I)


def asked(understanding: Understanding) -> bool:
    """Whether a price of one named card is said, and whether it is so is what is asked."""
    need, text = understanding.need, understanding.text
    if len(requests.named_gpus(need)) != 1 or requests.sized(need) or understanding.command:
        return False
    doubted = _BELIEVED.search(text) or (_EACH.search(text) and text.rstrip().endswith(("?", "？")))
    return claimed(understanding) is not None and bool(doubted) and not _SPENT.search(text)


_EACH = re.compile(
    r"[万千]\s?(?:多|来|左右)?(?:一|/|每)\s?(?:台|张|块|套|卡)"
    r"|(?:一|每)(?:台|张|块|套)\D{0,4}\d+(?:\.\d+)?\s?[万千]"
)
_MACHINE = re.compile(r"整机|服务器|一台|一套|\bservers?\b|\bbox\b|\bsystem\b|\bnode\b", re.I)


def claimed(understanding: Understanding) -> tuple[Money, str] | None:
    """The price said, an hour or for a card, and its words."""
    plain = Text.of(understanding.text).plain
    found = next(iter(find_money(plain, chinese=understanding.language == "zh")), None)
    if found is None or found.value.period not in {None, "hour"}:
        return None
    return found.value, plain[found.start : found.end].strip()


def machine(understanding: Understanding) -> int | None:
    """Cards of the whole machine whose price is said; None where it is that of one card."""
    count = next((card.count for card in requests.cards(understanding.need) if card.count), None)
    return count if count and count > 1 and _MACHINE.search(understanding.text) else None


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """What the card is let for, or sold for, in the money of the claim."""
    told = claimed(understanding)
    if told is None:
        return []
    said, _ = told
    card = requests.named_gpus(need)[0]
    known = need.provider if cheapest_offer(card, need.provider) else None
    bare = need.model_copy(update={"budget": None, "gpus_owned": (), "provider": known})
    way = "rent" if said.period == "hour" else "buy"
    cards = {"gpus_asked": requests.named_gpus(need), "gpus_proposed": (), "gpu_count": machine(understanding) or 1}
    priced = money.cost(
        bare.model_copy(update=cards), understanding, acquisition=way, currency=said.currency, rent_per_hour=None
    )
    return [priced, requests.gpu_facts(need)]
