"""What card of another maker a card is comparable to: 「910B 相当于什么卡」, "NVIDIA equivalent of the MI210"."""

import re

from assistant.plan import requests
from assistant.plan.availability import distance
from assistant.plan.call import PlannedCall
from assistant.understanding import Understanding
from kb.catalog import gpus
from tools.need import Need

ALIKE_MAX = 3
KNOWN = "NVIDIA"
"""The maker whose cards others are measured by."""
_MAKERS = (
    ("AMD", re.compile(r"\bamd\b|a ?卡", re.I)), ("Huawei", re.compile(r"华为|昇腾|huawei|ascend", re.I)),
    ("Intel", re.compile(r"\bintel\b|英特尔", re.I)), ("NVIDIA", re.compile(r"nvidia|英伟达|n ?卡", re.I)),
)  # fmt: skip
_ALIKE = re.compile(
    r"(?:相当于|对标|约等于|等于|等同于?|类似(?:于)?|媲美)(?:是)?(?:英伟达|n ?卡|nvidia)?(?:的)?(?:什么|哪|啥)"
    r"|(?:equivalent|counterpart|comparable|closest|nearest)"
    r"(?: \S{1,12}){0,3}? (?:to|of|for|from|in|nvidia|amd|card|gpu)"
    r"|what (?:nvidia|amd) (?:card|gpu) (?:is|does|matches|compares)",
    re.I,
)


def asked(understanding: Understanding) -> bool:
    """Whether the likes of one named card are asked for."""
    one = len(requests.named_gpus(understanding.need)) == 1 and not requests.sized(understanding.need)
    return one and _ALIKE.search(understanding.text) is not None and not understanding.command


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
