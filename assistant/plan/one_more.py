"""More of the card in hand: "I have two 3090s, is a third worth it for 70B?", 「已有两张 3090，再加一张有用吗」."""

import re
from dataclasses import replace

from assistant.plan import requests
from assistant.plan.amounts import model_kind
from assistant.plan.call import PlannedCall, planned
from assistant.plan.layout import serving_layout
from assistant.plan.provisional import provisional
from assistant.plan.ways import rents
from assistant.plan.widest import Way, widest
from assistant.understand.numbers import count
from assistant.understanding import Understanding
from kb.catalog import gpu, gpus
from tools.configure.market.suitable import served_in
from tools.need import GpuCount, Need

FILES = ("gguf:Q8_0", "gguf:Q6_K", "gguf:Q5_K_M", "gguf:Q4_K_M")
"""Files of a model that people run on cards of their own, the widest first."""
SERVED = "int4"
"""Four bits as engines read them that split each layer over the cards."""
HOME_MOST = 4
"""Cards up to which they stand in somebody's own machine."""
_HOME = ("consumer", "workstation")
_NTH = re.compile(
    r"\b(?P<en>second|2nd|third|3rd|fourth|4th)\b|第(?P<zh>[二三四两234])[张块片个]"
    r"|凑(?:齐|够|成|到|满)?(?:第)?(?P<upto>[二三四两234])[张块片]",
    re.I,
)
_MORE = re.compile(
    r"\b(?:one more|another|an? (?:extra|additional))\b"
    r"|\b(?P<n>\d|two|three|four|six) (?:more|additional|extra|further)\b"
    r"|(?:再|多|又)?(?:加|买|添|配|插|入手?|收|来)(?:上|了)?\s?(?P<zh>[一二两三四六八1-8])\s?(?:张|块|片|个)(?!月)",
    re.I,
)
_HELD = re.compile(
    r"(?:现在|目前|已经?有?|现有|手[上里头]有?|我有)\s?(?:有|是|用)?\s?(?P<zh>[一二两三四六八1-8])\s?[张块片](?!\s?(?:更|别))"
    r"|\b(?:have|own|run|running|got|use|using|with)\s(?:just )?(?P<en>one|two|three|four|[1-4])\b"
    r"(?= (?:now|today|already|of (?:them|those))|[,.;]|$)",
    re.I,
)
"""How many are in hand, said apart from their name."""
_ORDINALS = {"second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4}
_JUDGED = re.compile(
    r"\bworth\b|\bhelp\w*\b|\buseful\b|\bmake (?:any |much )?sense\b|\bshould i\b|\bshould we\b|\bbenefit|\bgains?\b"
    r"|\bpoint in\b|\bfaster\b|\benough\b|\bdo anything\b|\bwhat (?:do|would|will) i get\b|\bbring\b|\bbuy me\b"
    r"|有用|有意义|值得|值不值|有必要|要不要|该不该|有没有用|有帮助|能跑|能行|够(?:吗|不够|用)|会更?快|提升|划算",
    re.I,
)
"""Words that ask what the further card is good for."""
_OTHER = re.compile(
    r"nvlink|bridge|桥接|pcie|\bpsu\b|power supply|电源|motherboard|主板|nodes?\b|servers?\b|服务器|台机", re.I
)
"""Words of what joins cards or feeds them, and of whole machines: another question."""
_TASKS = (None, "inference", "rag", "general", *requests.TRAINING)


def asked(understanding: Understanding) -> bool:
    """Whether cards of the kind in hand would be added for work of known size, and it is asked what for."""
    need, text = provisional(understanding), understanding.text
    if understanding.error_text or understanding.command or understanding.follow_up or need.budget is not None:
        return False
    if not requests.sized(need) or model_kind(need) not in ("llm", "vlm", None) or need.task not in _TASKS:
        return False
    if need.intent in ("compare", "power", "spec", "oom") or rents(text) or _OTHER.search(text):
        return False
    return _JUDGED.search(text) is not None and numbers(need, text) is not None


def judges(text: str) -> bool:
    """Whether words ask what a further card is good for."""
    return _JUDGED.search(text) is not None


def numbers(need: Need, text: str) -> tuple[GpuCount, GpuCount] | None:
    """The cards in hand and all of them with what is added; None where no such is spoken of."""
    cards = need.gpus_owned or requests.cards(need)
    if len(cards) != 1 or cards[0].gpu not in gpus() or requests.named_gpus(need)[1:]:
        return None
    card, nth, more, held = cards[0], _NTH.search(text), _MORE.search(text), _HELD.search(text)
    if nth is None and more is None:
        return None
    own = (count((held["zh"] or held["en"]).lower()) if held else None) or card.count or 1
    if nth is not None:
        word = (nth["en"] or nth["zh"] or nth["upto"]).lower()
        total = _ORDINALS.get(word) or count(word) or 0
        own = total - 1
    else:
        stated = (more["n"] or more["zh"]) if more else None
        total = own + ((count(stated.lower()) if stated else None) or 1)
    if not 0 < own < total:
        return None
    return GpuCount(gpu=card.gpu, count=own), GpuCount(gpu=card.gpu, count=total)


def by_files(need: Need, card: GpuCount) -> bool:
    """Whether the model is run from a file, layer after layer: on cards of somebody's own machine."""
    if requests.is_training(need) or need.engine not in (None, "llama.cpp") or (need.users or 1) > 1:
        return False
    home = gpu(card.gpu).market in _HOME and (card.count or 1) <= HOME_MOST and (need.concurrent_sequences or 1) == 1
    return home or served_in(gpu(card.gpu)) == "files"


def ways(need: Need, text: str) -> tuple[Way, Way] | None:
    """How the cards in hand do it, and how all of them do."""
    found = numbers(need, text)
    if found is None:
        return None
    forms = () if need.weight_format or not by_files(need, found[1]) else FILES
    own, all_ = (widest(need, one, forms) for one in found)
    return (own, all_) if own and all_ else None


def beyond(need: Need, more: Way) -> Way | None:
    """The next number over which each layer can be split, where that holds what all of them do not."""
    wider = even(more.card.count or 1)
    if more.fits or wider is None:
        return None
    card = GpuCount(gpu=more.card.gpu, count=wider)
    way = widest(need, card, () if need.weight_format or not by_files(need, card) else FILES)
    return way if way is not None and way.fits else None


def even(total: int) -> int | None:
    """The next number over which each layer can be split, where this is none."""
    width = 1
    while width < total:
        width *= 2
    return width if width != total and width <= 8 else None


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """Memory and pace of both numbers, the same format on both, the next even number, and the price of one more."""
    pair = ways(need, understanding.text)
    if pair is None:
        return []
    own, more = pair
    found: list[PlannedCall | None] = [own.call, more.call]
    further = beyond(need, more)
    found += [further.call] if further else []
    found += [paced(need, way) for way in (*pair, further) if way and way.fits]
    if own.fits and (own.weight_format, own.task) != (more.weight_format, more.task):
        found.append(paced(need, replace(own, card=more.card)))
    wider = even(more.card.count or 1)
    if wider and not requests.is_training(need) and own.fits and served_in(gpu(own.card.gpu)) != "files":
        found += [
            served(need, GpuCount(gpu=own.card.gpu, count=number), SERVED) for number in (own.card.count or 1, wider)
        ]
    added = (more.card.count or 1) - (own.card.count or 1)
    price = planned(
        "estimate_cost", gpu=own.card.gpu, gpu_count=added, acquisition="buy", machine_price=0.0,
        currency=need.currency or "USD",
    )  # fmt: skip
    return [*found, price if more.fits else None, requests.gpu_facts(need, names=(own.card.gpu,))]


def paced(need: Need, way: Way) -> PlannedCall | None:
    """How fast the work is there."""
    if requests.is_training(need):
        return requests.training_time(need, way.card, task=way.task, sharding=way.sharding)
    return served(need, way.card, way.weight_format)


def served(need: Need, card: GpuCount, weight_format: str | None) -> PlannedCall | None:
    """The speed of answers in one format, layer after layer where layers cannot be split."""
    files = (weight_format or "").startswith("gguf:")
    split = {} if files else serving_layout(card.count or 1, need.tensor_parallel)
    return requests.speed(
        need, card, weight_format,
        tensor_parallel=split.get("tensor_parallel"), pipeline_parallel=split.get("pipeline_parallel"),
    )  # fmt: skip
