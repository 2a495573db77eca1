"""What card of another maker a card is comparable to: 「910B 相当于什么卡」, "NVIDIA equivalent of the MI210"."""

import re

from assistant.plan import requests
from assistant.plan.availability import PLACES
from assistant.plan.call import PlannedCall, planned
from assistant.understand.likened import domestic_instead
from assistant.understand.rivals import distance, names_maker
from assistant.understanding import Understanding
from kb.catalog import conventional, gpu, gpus
from tools.configure.market.suitable import MADE_IN_CHINA
from tools.need import Need

ALIKE_MAX = 3
ENGINE = "vllm"
"""What serves language models on most cards, where support is asked about."""
SUPERNODES = ("ascend-910c-128gb",)
"""Sold in hundreds, in the racks that they make up: nobody means them who asks for a few cards."""
KNOWN = "NVIDIA"
"""The maker whose cards others are measured by."""
_MAKERS = (
    ("AMD", re.compile(r"\bamd\b|a ?卡", re.I)), ("Huawei", re.compile(r"华为|昇腾|huawei|ascend", re.I)),
    ("Intel", re.compile(r"\bintel\b|英特尔", re.I)), ("NVIDIA", re.compile(r"nvidia|英伟达|n ?卡", re.I)),
)  # fmt: skip
_REPLACED = re.compile(
    r"替代|代替|取代|替换|平替|顶替|换掉|replac|instead of|alternative|substitut|stand in|in place of", re.I
)
_ALIKE = re.compile(
    r"(?:相当于|对标|约等于|等于|等同于?|类似(?:于)?|媲美)(?:是)?(?:英伟达|n ?卡|nvidia)?(?:的)?(?:什么|哪|啥)"
    r"|(?:equivalent|counterpart|comparable|closest|nearest)"
    r"(?: \S{1,12}){0,3}? (?:to|of|for|from|in|nvidia|amd|card|gpu)"
    r"|what (?:nvidia|amd) (?:card|gpu) (?:is|does|matches|compares)",
    re.I,
)


def asked(understanding: Understanding) -> bool:
    """Whether the likes of one named card are asked for."""
    if replaced(understanding) is not None:
        return not understanding.command
    one = len(_named(understanding)) == 1 and not requests.sized(understanding.need)
    likes = _ALIKE.search(understanding.text) is not None or domestic(understanding)
    return one and likes and not understanding.command


def domestic(understanding: Understanding) -> bool:
    """Whether cards made in China are asked for in the place of one that is not."""
    named = _named(understanding)
    return bool(named) and domestic_instead(understanding.text) and gpu(named[0]).vendor not in MADE_IN_CHINA


def replaced(understanding: Understanding) -> tuple[str, tuple[str, ...]] | None:
    """A card that another maker's is to stand in for, and those of the makers named, the nearest first."""
    text, need = understanding.text, understanding.need
    if requests.sized(need) or requests.is_training(need) or not _REPLACED.search(text):
        return None
    makers = [one.candidates[0] for one in understanding.ambiguities if one.kind == "gpu" and names_maker(one.text)]
    cards = [key for key in requests.named_gpus(need) if key not in makers]
    if not makers or len(cards) != 1:
        return None
    wanted = gpu(cards[0])
    return cards[0], tuple(sorted(makers, key=lambda key: distance(gpu(key), wanted)))


def _named(understanding: Understanding) -> tuple[str, ...]:
    """The cards named, an ambiguous name by its usual card."""
    doubted = [one.candidates for one in understanding.ambiguities if one.kind == "gpu" and not one.unknown]
    named = requests.named_gpus(understanding.need)
    meant = (conventional(names) for names in doubted if names and not set(names) & set(named))
    return tuple(dict.fromkeys((*named, *meant)))


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """The card beside the nearest of another maker; of those made in China also whether the usual engine runs there."""
    if (pair := replaced(understanding)) is not None:
        return [
            requests.gpu_facts(need, names=(pair[0], *pair[1])),
            planned("check_compatibility", gpus=pair[1], engine=ENGINE),
        ]
    if not domestic(understanding):
        return [call(need, understanding)]
    card = _named(understanding)[0]
    names = made_in_china(card)
    return [
        requests.gpu_facts(need, names=(card, *names)),
        planned("check_compatibility", gpus=names, engine=ENGINE),
    ]


def made_in_china(card: str, most: int = ALIKE_MAX, *, roomy: bool = False) -> tuple[str, ...]:
    """The nearest card of each Chinese maker whose figures are published, the nearest makers first.

    With `roomy` only those for sale singly that hold half as much as `card`: what a model is spread over.
    """
    wanted = gpu(card)
    places = PLACES.get(wanted.market, {wanted.market}) | {"data_center"}
    known = [
        one for one in gpus().values()
        if one.vendor in MADE_IN_CHINA and one.status == "available" and one.market in places
        and one.bandwidth_bytes_per_s and (one.bf16_flops or one.fp16_flops)
        and not (roomy and (one.id in SUPERNODES or 2 * one.memory_bytes < wanted.memory_bytes))
    ]  # fmt: skip
    first: dict[str, str] = {}
    for one in sorted(known, key=lambda one: (distance(one, wanted), one.id)):
        first.setdefault(one.vendor, one.id)
    return tuple(first.values())[:most]


def call(need: Need, understanding: Understanding) -> PlannedCall | None:
    """The card beside the nearest of another maker."""
    card = requests.named_gpus(need)[0]
    maker = next((name for name, words in _MAKERS if words.search(understanding.text)), None)
    return requests.gpu_facts(need, names=(card, *nearest(card, maker)))


def nearest(card: str, maker: str | None = None) -> tuple[str, ...]:
    """Cards of `maker`, else of NVIDIA, or of any other for one of NVIDIA's: the nearest by their figures."""
    wanted = gpus()[card]
    if maker and maker != wanted.vendor:
        others = [
            one for one in gpus().values() if one.vendor == maker and one.market not in {"laptop", "module", "apu"}
        ]
        return tuple(one.id for one in sorted(others, key=lambda one: (distance(one, wanted), one.id))[:ALIKE_MAX])
    others = [
        one for one in gpus().values()
        if (one.vendor == KNOWN) != (wanted.vendor == KNOWN) and one.market not in {"laptop", "module"}
        and one.status not in {"announced", "modified"}
    ]  # fmt: skip
    return tuple(one.id for one in sorted(others, key=lambda one: (distance(one, wanted), one.id))[:ALIKE_MAX])
