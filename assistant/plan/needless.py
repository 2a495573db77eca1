"""Whether a card is more than a work needs: "do I really need an A100 for a 7B", 「跑 8B 用 4090 是不是浪费」."""

import re

from assistant.plan import requests
from assistant.plan.amounts import model_kind
from assistant.plan.call import PlannedCall
from assistant.plan.formats import native_format, smaller_formats
from assistant.understanding import Understanding
from tools.need import Need

_NEED_BEFORE = re.compile(
    r"(?:\b(?:do|does|would|will) (?:i|we|it|one|you|my \w+|our \w+)(?: \w+){0,2}? "
    r"(?:need|require|have to (?:get|buy|use|rent))|\bis it necessary to (?:get|buy|use|rent|have))"
    r"(?: to (?:get|buy|use|rent))?(?: (?:an?|the|one|something like an?|full|whole))*(?: \d{1,2} ?[x×]?)?\s*$"
    r"|(?:有必要|必须|一定要|非要|非得|真的?(?:需要|要)|需要|犯得着)(?:得|要|用|上|买|租|配|上到|用到|去)?"
    r"(?:\s?[一两\d]{1,2}\s?[张块台×x])?\s*$",
    re.I,
)
_WHETHER_BEFORE = re.compile(
    r"(?:有没有必要|是不是(?:要|得|必须)|要不要|需不需要)(?:得|要|用|上|买|租|配|上到|用到|去)?"
    r"(?:\s?[一两\d]{1,2}\s?[张块台×x])?\s*$"
)
"""What asks by itself, without a particle behind the card."""
_NEED_AFTER = re.compile(r"[^,，。?？!！\n]{0,70}(?:吗|么|嘛|不|[?？])")
_COUNTED = re.compile(r"(?=[a-z])(?!x\s)|(?=\d{3})", re.I)
"""Where a card's name begins after the number that belongs to its span: "2 A100s"."""
_IS_NEEDED = re.compile(r"s?\s?(?:\w+ ){0,2}(?:really |actually )?(?:necessary|needed|required)\b[^.!\n]{0,60}\?", re.I)
_OVERKILL = re.compile(
    r"\boverkill|\btoo much (?:card|gpu|hardware)|\bwaste(?:d|ful)?\b(?! (?:of )?(?:time|electricity|power))"
    r"|大材小用|杀鸡.{0,3}牛刀|高射炮打蚊子|性能过剩|(?:是不是|会不会|算不算|有点|太)[^,，。?？]{0,4}浪费(?!时间|电)|浪费(?:了|吗|么)"
)
_NOT_A_CARD = re.compile(r"nvlink|桥接|infiniband|\bnic\b|交换机|\bspare\b", re.I)


def asked(understanding: Understanding) -> str | None:
    """`need` when it is asked whether one must have the card, `over` whether it is too much; else null."""
    need, text = understanding.need, understanding.text
    if not requests.sized(need) or len(requests.named_gpus(need)) != 1 or _NOT_A_CARD.search(text):
        return None
    if _OVERKILL.search(text):
        return "over"
    cards = [span for span in understanding.spans if span.slot in {"gpus_asked", "gpus_owned", "gpus_proposed"}]
    for span in cards:
        named = text[span.start : span.end]
        before, after = text[: span.start], text[span.end :]
        if _IS_NEEDED.match(after) and re.search(r"\bis (?:an? |the )?$", before, re.I):
            return "need"
        stated = before + _COUNTED.split(named)[0]
        if _WHETHER_BEFORE.search(stated) or (_NEED_BEFORE.search(stated) and _NEED_AFTER.match(after)):
            return "need"
    return None


def in_four_bits(need: Need, understanding: Understanding) -> PlannedCall | None:
    """Where the card may be more than is needed: the smallest usual format, which smaller cards may hold."""
    plain = need.weight_format is None and not requests.is_training(need) and model_kind(need) in {"llm", "vlm", None}
    if not plain or not asked(understanding):
        return None
    card = requests.cards(need)[0]
    smallest = smaller_formats(native_format(need.model), need.engine, card.gpu)[-1:]
    return requests.memory(need, card, weight_format=smallest[0]) if smallest else None
