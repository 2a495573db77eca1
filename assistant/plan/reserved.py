"""Questions why more memory is shown as used than a model takes: servers take a share of each card and fill it."""

import re

from assistant.plan import requests
from assistant.plan.amounts import model_kind
from assistant.plan.call import PlannedCall
from assistant.plan.guidance import guidance
from assistant.understand.errors import is_oom
from assistant.understanding import Understanding
from kb.units import GB
from tools.need import Need

RESERVING = ("vllm", "sglang", "tensorrt-llm")
"""Servers that do, of those with a memory model of their own."""
_SERVED = re.compile(r"vllm|sglang|lmdeploy|xinference|turbomind|tensorrt|部署|服务|(?<![a-z])serv(?:e|ing|er)", re.I)
"""Words that a server runs, where none of those was named."""
WIDE_LOW, WIDE_HIGH = 0.9, 1.3
"""Use over the bytes of the weights in 32 bits between which they were most likely loaded as such."""
_SHOWN = re.compile(
    r"(?:占(?:用|了|到|去)*|吃(?:了|掉|到)?|用(?:了|掉|到)|显示(?:占?用?了?)?|飙到|涨到|高达|都是|还是|各|都)\s?"
    r"(?:大概|大约|约|将近|快|近|显存|每(?:张|块|卡)卡?|单卡)?\s?(?P<n>\d{1,4}(?:\.\d{1,2})?)\s?(?:多|几)?\s?gi?b?(?![a-z0-9])"
    r"|(?<![a-z])(?:takes?|took|taking|us(?:es?|ed|ing)|eats?|eating|occup\w+|shows?|showing|consum\w+|allocat\w+"
    r"|reserv\w+|fills?|filling|grabs?)(?: up)?(?: all)?(?: about| around| nearly| almost| over| ~)?\s?~?"
    r"(?P<n2>\d{1,4}(?:\.\d{1,2})?)\s?gi?b?(?![a-z0-9])"
    r"|(?:一?启动|加载完?|起(?:服务|来))(?:之?后)?就(?:是|要|占了?|有)?\s?(?P<n3>\d{1,4}(?:\.\d{1,2})?)\s?gi?b?(?![a-z0-9])"
    r"|[占吃用]满|全(?:部)?占(?:了|满)?|(?:all|the (?:whole|entire)|almost all|nearly all|most)(?: of)?(?: the| my)?"
    r" (?:v?ram|memory|card|gpu|(?P<n4>\d{1,4})\s?gi?b?)(?![a-z])"
    r"|(?:占用?|显存|用量)[^,。?!\n]{0,10}?(?:和|跟|与|同)[^,。?!\n]{0,12}?(?:一样|相同|没(?:有)?区别|没差|差不多)"
    r"|(?<![a-z])(?:as much|the same)(?: amount of)? (?:v?ram|memory) as(?![a-z])"
    r"|(?<![a-z])use less (?:v?ram|memory)(?![a-z])",
    re.I,
)
"""An amount that is seen to be used, the whole card, or as much as of another format."""
_ASKED_FOR = re.compile(r"(?<![a-z])(?:needs?|wants?|要|需要)\s?(?P<n>\d{1,4}(?:\.\d{1,2})?)\s?gi?b?(?![a-z0-9])", re.I)
"""What a server is said to need, where one was named."""
_LEAK = re.compile(r"内存泄漏|显存泄漏|memory leaks?|leak(?:s|ing)? memory", re.I)
"""What people take a reservation for."""
_PUZZLED = re.compile(
    r"为什么|为啥|为何|怎么(?!办|装|部署|选|配|买)|咋(?!办|装|整)|哪(?:里|儿)?去了|花哪|去哪|正常(?:吗|么|不|\?|？|$)|[配设搞弄]错|哪里(?:不对|有问题)|不对劲|合理(?:吗|么|不)"
    r"|不是(?:应该|说|只|才|一)|不应该|不该|没(?:有)?生效|没起作用|白(?:量化|做)|居然|竟然|明明|才\s?\d|(?:只|仅)(?:有|要|需)?\s?\d"
    r"|(?:能|可以|怎样|如何)(?:不能|否)?(?:把[^,。]{0,6})?(?:限制|降|压|减|调低|少占)|有(?:什么|啥)?办法(?:降|减|限|压|让)"
    r"|(?<![a-z])(?:why|how come|normal|expected|reduce|lower|limit|supposed to|should(?:n't)? only|instead of"
    r"|where (?:does|do|did|is|are)|how (?:do|can|to)|leak\w{0,4}|no (?:effect|difference))(?![a-z])",
    re.I,
)
"""Words of somebody who did not expect it."""


_ALIKE = re.compile(
    r"(?:和|跟|与|同)[^,。?!\n]{0,12}?(?:一样|相同|没(?:有)?区别|没差|差不多)"
    r"|\b(?:as much|the same)(?: amount of)? (?:v?ram|memory) as\b",
    re.I,
)
_NAMED = re.compile(r"vllm|sglang|lmdeploy|turbomind|xinference|tgi|tensorrt-llm|trt-llm", re.I)
"""As much memory as another format takes, which a server that reserves explains where one was named."""
_FITS = re.compile(
    r"(?:能|可以|够)(?:不能|否)?[^,。?？!\n]{0,6}(?:部署|跑|放|装|上|用)[^,。?？!\n]{0,4}(?:么|吗|不\s?[?？]?$|[?？])|放得下|够(?:用)?(?:吗|么|不)"
    r"|\b(?:can|will|would|does) [^.?!\n]{0,30}\b(?:run|fit|hold|deploy|serve|work)\b|\benough\b[^.!\n]{0,12}\?",
    re.I,
)


def asked(understanding: Understanding) -> bool:
    """Whether use beyond a language model's need, in a server that reserves, is what puzzles."""
    need, text = understanding.need, understanding.text
    if requests.is_training(need) or not requests.sized(need) or understanding.command or understanding.error_text:
        return False
    if need.engine not in (None, *RESERVING) or model_kind(need) not in {"llm", "vlm", None}:
        return False
    if _ALIKE.search(text) and need.engine not in RESERVING and not _NAMED.search(text):
        return False  # a conversion may hold the whole model as well
    if is_oom(_LEAK.sub(" ", text).lower()) or need.host_memory_bytes:
        return False
    seen = _SHOWN.search(text) or (need.engine in RESERVING and _ASKED_FOR.search(text))
    return bool(seen) and (_PUZZLED.search(text) or _LEAK.search(text)) is not None


def shown_gb(text: str) -> float | None:
    """The amount that is seen to be used, as written; the largest, where a smaller one is set against it."""
    found = [match.groupdict() for rule in (_SHOWN, _ASKED_FOR) for match in rule.finditer(text)]
    amounts = [float(said) for one in found for said in one.values() if said]
    return max(amounts, default=None)


def asks_fit(text: str) -> bool:
    """Whether it is asked besides whether a card does."""
    return _FITS.search(text) is not None


def in_32_bits(need: Need, text: str) -> bool:
    """Whether what is used is about the weights in 32 bits, and nothing says that a server fills the card."""
    shown = shown_gb(text)
    if shown is None or need.params is None or need.weight_format or _SERVED.search(text) or need.engine in RESERVING:
        return False
    cards = sum(card.count or 1 for card in requests.cards(need))
    return any(WIDE_LOW <= shown * n * GB / (4 * need.params) <= WIDE_HIGH for n in {1, max(1, cards)})


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """What the model takes on those cards by itself, and in 32 bits where that is what was likely loaded."""
    card = next(iter(requests.cards(need)), None)
    wide = in_32_bits(need, understanding.text)
    return [
        requests.memory(need, card),
        requests.memory(need, card, weight_format="fp32") if wide else None,
        requests.what_fits(need, understanding.text) if card is None else None,
        requests.compatibility(need, understanding.text),
        guidance(understanding),
    ]
