"""Cards by what a unit of something costs: "most VRAM per dollar", "price per TFLOPS", 「每 TB/s 带宽多少钱」."""

import re

from assistant.plan import requests
from assistant.plan.call import PlannedCall, planned
from assistant.plan.ways import rents
from assistant.understanding import Understanding
from tools.find_gpus import Sort
from tools.need import Need

SHOWN_MAX = 8
"""Cards of a ranking over the whole catalog."""
_MONEY = r"(?:[$€£¥]|dollars?|bucks?|euros?|pounds?|price|cost|money)"
_MONEY_ZH = r"(?:多少|几|价|成本|钱|元|块|划算|便宜)"
_MEASURES: tuple[tuple[Sort, str], ...] = (
    ("price_per_tb_s", r"(?:memory )?bandwidth|[tg]b/s|带宽"),
    ("price_per_tflops", r"t?flops?|compute|算力"),
    ("price_per_gib", r"(?:gi?bs? (?:of )?)?(?:vram|(?:video |gpu )?memory)|gi?bs?|gigs?|gigabytes?|显存|g(?![a-z])"),
)
"""The order of cards that a measure asks for; "GB/s" comes before "GB"."""
_PER = {
    sort: re.compile(
        rf"(?<![a-z])(?:{words})\s?(?:per|/|for (?:the|my|your|our))\s?{_MONEY}"
        rf"|每(?:一?[块元]|1 ?元)(?:钱)?[^,，。?？]{{0,8}}?(?:{words})"
        rf"|{_MONEY}\s?(?:per|/|for (?:each|every)|an?)\s?(?:{words})(?![a-z])"
        rf"|(?:每|单位|按)[^,，。?？]{{0,6}}?(?:{words})[^,，。?？]{{0,8}}?{_MONEY_ZH}|(?:{words})的?(?:单价|性价比)",
        re.I,
    )
    for sort, words in _MEASURES
}
_DATA_CENTER = re.compile(r"data ?cent(?:er|re)|server (?:card|gpu)|数据中心|服务器卡|专业卡", re.I)
_CONSUMER = re.compile(r"consumer|gaming|gamer|desktop|geforce|消费级|游戏卡|民用", re.I)
_TOKENS = re.compile(r"token", re.I)


def measure(text: str) -> Sort | None:
    """The order of cards that is asked for; None where no price of a unit is."""
    if _TOKENS.search(text):
        return None
    return next((sort for sort, rule in _PER.items() if rule.search(text)), None)


def asked(understanding: Understanding) -> bool:
    """Whether the price of a unit is what cards are to be ranked by, and no work, rent or budget limits them."""
    need, text = understanding.need, understanding.text
    if understanding.command or understanding.error_text or rents(text) or requests.is_training(need):
        return False
    return measure(text) is not None and not need.model and not need.budget


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """The cards named, else the best of the catalog."""
    text, named = understanding.text, requests.named_gpus(need)
    market = "data_center" if _DATA_CENTER.search(text) else "consumer" if _CONSUMER.search(text) else None
    query: dict[str, object] = {"names": named} if len(named) > 1 else {"market": market, "where": ("year >= 2016",)}
    return [planned("find_gpus", sort=measure(text), limit=max(SHOWN_MAX, len(named)), **query)]
