"""A price that the question takes for granted: "the A100 costs $1/hr everywhere, right?", 「H100 二手才 3 万块吧」."""

import re

from assistant.plan import money, requests
from assistant.plan.apart import cheapest_offer
from assistant.plan.call import PlannedCall
from assistant.plan.home import CURRENCIES
from assistant.plan.ways import buys, rents
from assistant.understand.budget import Money, find_money
from assistant.understand.spoken_sums import in_figures
from assistant.understand.text import Text
from assistant.understanding import Understanding
from kb.catalog import gpu
from tools.need import GpuCount, Need

_BELIEVED = re.compile(
    r"吧[?？]?$|对吧|对吗|是吗|真的吗|是真的|不是(?:才|只)|才[^，。]{0,14}(?:块|元|万)|只要|听说|据说|属实"
    r"|is it true|\bright\?|\bcorrect\?|i (?:heard|read|saw)|really\b|everywhere"
    r"|supposedly|\bonly \$|just \$|true that|isn't it"
    r"|don't they|doesn't it|\bstill\b|disregard|quote me|\bsay\b|was told|卖我|真有",
    re.I,
)
_JUDGED = re.compile(
    r"值吗|值不值|值得|划算|合算|靠谱|正常[吗么不]|合理|公道|贵|便宜|高[吗么不]|偏高|虚高|坑|宰|合适[吗么不]|砍价|还价|行情|能(?:不能)?(?:买|入|冲|要|收)|可以?(?:买|入|冲|收)[吗么不]|该不该?(?:买|入)|(?:买|入|冲|收)不(?:买|入|冲|收)"
    r"|worth it|\bfair\b|(?:good|decent|great|bad|ok(?:ay)?|normal|sane|competitive|high|low|steep) ?"
    r"(?:price|deal|offer|rate|quote|value|\?|or)"
    r"|overpriced|over-?pay\w*|over the odds|rip-?(?:ped )?off|too (?:much|good|high|expensive|dear)"
    r"|(?<![a-z])(?:buy|get|take|grab|pick up) (?:an? |the |this )?[^,.?;]{2,34}? (?:for|at) (?:about |around )?"
    r"(?:[$€£]\s?\d|a grand|(?:a|two|three|four|five|six|seven|eight|nine) (?:grand|hundred))"
    r"|reasonable|legit|scam|expensive|\bcheap\b|in line with|going rate|market (?:price|rate)|haggl|negotiat",
    re.I,
)
"""Words that ask what to think of a price, rather than whether it is so."""
_SPENT = re.compile(r"预算|以内|不超过|\bbudget\b|under \$|below \$|up to|max", re.I)


def asked(understanding: Understanding) -> bool:
    """Whether a price of one named card is said, and whether it is so is what is asked."""
    need, text = understanding.need, understanding.text
    judged = judges(text)
    if len(requests.named_gpus(need)) != 1 or (requests.sized(need) and not judged) or understanding.command:
        return False
    if rents(text) and buys(text):
        return False  # one way against the other: no price is doubted
    doubted = judged or _BELIEVED.search(text) or (_EACH.search(text) and text.rstrip().endswith(("?", "？")))
    return claimed(understanding) is not None and bool(doubted) and not _SPENT.search(text)


_EACH = re.compile(
    r"[万千]\s?(?:多|来|左右)?(?:一|/|每)\s?(?:台|张|块|套|卡)"
    r"|(?:一|每)(?:台|张|块|套)\D{0,4}\d+(?:\.\d+)?\s?[万千]"
)
_EACH_ONE = re.compile(
    r"[每单][张块卡]|[一1]\s?[张块](?![和加])|\beach\b|apiece|per (?:card|gpu|unit)|/\s?(?:card|gpu)"
    r"|a (?:piece|card)\b",
    re.I,
)
_PACE = re.compile(r"tok\w*\s?(?:/|per )\s?\w+\s(?:each|apiece)", re.I)
"""A pace for each user, which is no price of each card."""
_SUM = re.compile(r"(?:[a-z]{0,3}[$€£¥￥]|rmb|usd|eur)?\s?(?:\d|[一二两三四五六七八九十百]+\s?[万千]).*", re.I)
"""The sum itself, without what it is called: 「一张 2.3万」."""
_MACHINE = re.compile(
    r"整机|服务器|工作站|主机|一台|一套|\bworkstations?\b|\brigs?\b|\bservers?\b|\bbox\b|\bsystem\b|\bnode\b", re.I
)


def judges(text: str) -> bool:
    """Whether what to think of the price is asked: "is it fair?", 「贵不贵」."""
    return _JUDGED.search(text) is not None


def claimed(understanding: Understanding) -> tuple[Money, str] | None:
    """The price said, an hour or for a card, and its words."""
    read = in_figures(Text.of(understanding.text))
    found = next(iter(find_money(read.plain, chinese=understanding.language == "zh")), None)
    if found is None and (bare := money.BARE_SUM.search(understanding.text)):
        told = next(end for end in (1, 2) if bare[end])
        words = understanding.text[bare.start(told) : bare.end()]
        return Money(amount=float(bare[told]) * 1e4, currency="CNY", period=None, is_price=True), words
    if found is None or found.value.period not in {None, "hour"}:
        return None
    words = read.original[read.offsets[found.start] : read.offsets[found.end]]
    sum_said = _SUM.search(words)
    return found.value, (sum_said[0] if sum_said else words).strip()


def together(understanding: Understanding) -> int | None:
    """Cards whose price together is said; None where it is that of one card, or the rent of one."""
    told = claimed(understanding)
    count = next((card.count for card in requests.cards(understanding.need) if card.count), None)
    one = told is not None and (told[0].period == "hour" or _EACH_ONE.search(_PACE.sub("", understanding.text)))
    return count if count and count > 1 and not one else None


def machine(understanding: Understanding) -> bool:
    """Whether the price said is that of cards with the machine around them."""
    card = requests.named_gpus(understanding.need)[0]
    board = money.board(card) > 1
    return together(understanding) is not None and (board or _MACHINE.search(understanding.text) is not None)


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
    cards = {"gpus_asked": requests.named_gpus(need), "gpus_proposed": (), "gpu_count": together(understanding) or 1}
    priced = money.cost(
        bare.model_copy(update=cards), understanding, acquisition=way, currency=said.currency, rent_per_hour=None
    )
    if way == "buy" and gpu(card).tdp_w is None:  # without it owning cannot be reckoned, its price can
        whole = GpuCount(gpu=card, count=together(understanding) or 1)
        market = next((country for country, money_of in CURRENCIES.items() if money_of == said.currency), None)
        terms = {"country": market, "currency": said.currency, "target_tokens_per_s": None}
        priced = requests.configure(bare.model_copy(update=terms), gpus_proposed=(whole,), acquisition="buy")
    return [priced, requests.gpu_facts(need), *_work(bare, understanding)]


def works(understanding: Understanding) -> bool:
    """Whether it is asked besides what the cards offered do for a model: that they hold it, and how fast."""
    need = understanding.need
    return requests.sized(need) and together(understanding) is not None and not requests.is_training(need)


def _work(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    if not works(understanding):
        return []
    card = requests.cards(need)[0]
    return [requests.memory(need, card), requests.speed(need, card)]
