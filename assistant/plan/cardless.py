"""Whether a model needs a card at all: "does bge-m3 need a GPU?", 「重排模型 CPU 能跑吗」."""

import re

from assistant.plan import requests
from assistant.plan.amounts import model_kind
from assistant.plan.call import PlannedCall
from assistant.understand.worded import READ
from assistant.understanding import Understanding
from tools.need import Need

_CARD = r"(?:(?:dedicated|discrete|proper|real) )?(?:gpu|graphics card|video card)"
_NEEDED = re.compile(
    rf"\b(?:do|does|would|will|must|should)\b[^.?!\n]{{0,60}}?\b(?:need|require|have)\b(?: to (?:have|use|buy))?"
    rf"(?: really| actually)? (?:an? |any )?{_CARD}\b"
    r"(?! (?:with|that|like|of|as|server|cluster|bigger|larger|faster|memory)\b)"
    rf"|\bis (?:an? |any )?{_CARD} (?:really |actually |even )?(?:needed|necessary|required|a must)"
    r"|(?:需要|要|用|必须|得|非得|一定要)(?:有|用|上|配|要)?\s?(?:独立|独)?(?:显卡|gpu)\s?(?:吗|么|不|嘛|才)"
    r"|(?:需不需要|用不用|要不要|必须要?|有没有必要)(?:有|用|上|配|买)?\s?(?:独立|独)?(?:显卡|gpu)",
    re.I,
)
_WITHOUT = re.compile(
    r"\b(?:is|are|would|will) (?:an? |the |my |just )?(?:plain |modern |normal )?cpu\b[^.?!\n]{0,16}?"
    r"(?:enough|fine|ok(?:ay)?|sufficient)"
    r"|\b(?:can|could|will|does|would|do)\b[^.?!\n]{0,50}?\b(?:run|work|use|host|serve|do)\b[^.?!\n]{0,30}?"
    r"\b(?:on|with|using) (?:an? |the |just |only |my )*cpu\b"
    r"|(?:纯|只用|光用|用|靠)?\s?cpu\s?(?:上|服务器|机器)?(?:能|可以|也能|够|行|跑得|带得)[^,，。?？]{0,8}(?:吗|么|不|嘛|[?？])",
    re.I,
)


def needed(text: str) -> bool:
    """Whether it is asked if there has to be a card."""
    return _NEEDED.search(text) is not None


def without(text: str) -> bool:
    """Whether it is asked if a processor does."""
    return _WITHOUT.search(text) is not None


def asked(understanding: Understanding) -> bool:
    """Whether a model that only reads (embeddings, reranking, classes) is to go without a card, or might."""
    need, text = understanding.need, understanding.text
    if not requests.sized(need) or requests.named_gpus(need) or requests.is_training(need) or need.budget:
        return False
    if understanding.need.trained or understanding.command or understanding.error_text or model_kind(need) not in READ:
        return False
    return needed(text) or without(text)


def calls(need: Need) -> list[PlannedCall | None]:
    """What it takes, and the least that can be bought for it."""
    return [requests.memory(need), requests.configure(need, acquisition="buy")]
