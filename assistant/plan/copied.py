"""One copy of a model over all the cards, or several copies: "one over 8 or two of 4?", 「tp=2 还是各起一个实例」."""

import re

from assistant.plan import requests
from assistant.plan.amounts import model_kind
from assistant.plan.arrivals import least, spread
from assistant.plan.call import PlannedCall
from assistant.understand.numbers import number
from assistant.understanding import Understanding
from tools.need import GpuCount, Need

AT_ONCE = 256
"""Requests at once under which both ways are timed where nothing was said: as many as a server admits of itself."""
_PIECE = r"(?:copies|instances|replicas|servers|processes|engines|copy|instance|replica)"
_COUNT = r"(?:two|three|four|eight|[2348])"
_WITHIN = r"(?:[^.?!\n]|\.(?=\d))"
_OR = r"\b(?:or|vs\.?|versus|than)\b"
_TP = r"tp\s?=?\s?\d*"
_EITHER = re.compile(
    rf"\b(?:one|a single|single|1|{_TP}|tensor[- ]parallel\w*)\b{_WITHIN}{{0,60}}?{_OR}{_WITHIN}{{0,24}}?"
    rf"\b(?<![-.])(?P<n>{_COUNT}|several|multiple|separate|independent|data[- ]parallel\w*|dp)\b(?!\.\d)"
    rf"|\b(?P<n3>{_COUNT}|several|multiple|separate) (?:\w+ ){{0,2}}{_PIECE}\b{_WITHIN}{{0,60}}?{_OR}"
    rf"{_WITHIN}{{0,24}}?\b(?:one|a single|{_TP}|tensor)\b"
    r"|(?:一个|单个|tp|张量并行)[^。？?！!\n]{0,24}?(?:还是|好还是|或者?|和|跟)[^。？?！!\n]{0,10}?"
    r"(?P<n2>[两二三四八2348]|多|各|分别)\s?(?:个|份|套|自)?[^。？?！!\n]{0,14}?(?:实例|副本|一个|一份|服务|进程|模型)",
    re.I,
)
_PIECES = re.compile(
    rf"\b{_PIECE}\b|\b{_TP}\b|tensor|实例|副本|各(?:起|跑|部署|开)|负载均衡|load balanc|\btp\s?=|张量", re.I
)
_PIPELINE = re.compile(r"\bpp\s?=?\s?\d*\b|pipeline|流水线", re.I)
"""Another way to spread one copy: which of the two is another question."""
_WORDS = {"two": 2, "three": 3, "four": 4, "eight": 8}


def asked(understanding: Understanding) -> bool:
    """Whether copies of one language model are held against one copy over the same cards."""
    need, text = understanding.need, understanding.text
    if understanding.command or understanding.error_text or requests.is_training(need) or not requests.sized(need):
        return False
    named = {card.gpu for card in (*requests.cards(need), *requests.compared(need))}
    several = cards_of(need) is not None
    language = model_kind(need) in ("llm", "vlm", None) and _PIPELINE.search(text) is None
    return len(named) == 1 and several and language and bool(_EITHER.search(text) and _PIECES.search(text))


def cards_of(need: Need) -> GpuCount | None:
    """All the cards: the most of them that were named at once."""
    most = max((*requests.cards(need), *need.gpus_proposed), key=lambda card: card.count or 1, default=None)
    return most if most and (most.count or 1) > 1 else None


def stated(text: str) -> int | None:
    """The copies that were said."""
    match = _EITHER.search(text)
    said = next(filter(None, match.groupdict().values()), "").lower() if match else ""
    return _WORDS.get(said) or int(number(said) or 0) or None


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """The memory of a copy on its share and on all the cards, and the speed of both ways, alone and at work."""
    card = cards_of(need)
    if card is None:
        return []
    everyone, said = card.count or 1, stated(understanding.text)
    share = everyone // said if said and everyone % said == 0 else everyone
    bare: dict[str, object] = {"gpus_proposed": (), "gpus_asked": (), "tensor_parallel": None}
    held = need.model_copy(update=bare | {"gpus_owned": (card.model_copy(update={"count": share}),)})
    found = least(held, card.gpu)
    if found is None:
        held = need.model_copy(update=bare | {"gpus_owned": (card,)})
        found = least(held, card.gpu)
    if found is None:
        return []
    fewest, used = spread(found), found.request.get("weight_format")
    most = next(n for n in range(everyone // fewest, 0, -1) if everyone % n == 0)
    count = said if said and everyone % said == 0 and everyone // said >= fewest else most
    share = everyone // count
    at_once = need.concurrent_sequences or AT_ONCE
    busy, alone = ({"concurrent_sequences": n, "users": None} for n in (at_once, None))
    ways = [share, everyone] if count > 1 else [everyone]
    # One request alone is answered by one copy, whatever else stands beside it.
    lone = [
        requests.speed(held.model_copy(update=alone), GpuCount(gpu=card.gpu, count=tp), used, tensor_parallel=tp)
        for tp in ways
    ]
    crowd = [requests.speed(held.model_copy(update=busy), card, used, tensor_parallel=tp) for tp in ways]
    memory = [
        requests.memory(held.model_copy(update=alone), GpuCount(gpu=card.gpu, count=tp), weight_format=used)
        for tp in ways
    ]
    return [*memory, *lone, *crowd]
