"""A card with a memory in which it is not known to exist: "3090 48GB", 「4090 32G」, "A100 64GB"."""

import re
from dataclasses import dataclass

from assistant.plan import requests
from assistant.understand.text import Text
from assistant.understanding import Understanding
from kb.catalog import gpu, gpus
from kb.lexicon.cards.unified import is_unified
from kb.naming.names import Mention, gpu_names
from kb.units import GIB
from tools.need import Need

_BESIDE = re.compile(
    r"(?:\s?[sd](?![a-z]))?\s?[-(]?\s?(?:的|魔改|改版|改装|modded|modified|with(?: an?)?|涡轮|turbo)?\s?"
    r"(?P<n>\d{2,3})\s?gi?b?(?![a-z0-9/])"
    r"(?!\s?(?:的)?\s?(?:of )?(?:system |host |cpu |lp)?"
    r"(?:ram|ddr|memory stick|内存|主存|硬盘|ssd|模型|model|weights|文件|file))"
)
_IN_FRONT = re.compile(
    r"(?<![\d.])(?P<n>\d{2,3})\s?gi?b?\s?(?:显存|vram)?\s?(?:的|版的?|魔改|改装|modded|modified)\s?(?:rtx|geforce|nvidia)?\s?$"
)
_MODIFIED = re.compile(r"魔改|改装|改版|焊|modded|modified|\bmods?\b|franken")
NEAR_GIB = 1.5
BELOW, ABOVE = 0.1, 0.06
"""Shares by which a size that a driver or a seller tells may lie under and over the card's own."""
MOST = 2.2
"""Times its own memory up to which a size beside a card is taken for the card's, not for the computer's."""


@dataclass(frozen=True, slots=True)
class Unsold:
    """A card, the memory that was said of it, and the cards of that name that are known, the smallest first."""

    card: str
    stated: int
    known: tuple[str, ...]


def unsold(understanding: Understanding, need: Need) -> Unsold | None:
    """The first card named with a memory in which no such card is known; None where there is none."""
    if understanding.error_text or understanding.command:
        return None
    plain, asked = Text.of(understanding.text).plain, requests.named_gpus(need)
    for mention in gpu_names().scan(plain):
        card = next((key for key in asked if key in mention.ids or _stem(key) in map(_stem, mention.ids)), None)
        if card is None or is_unified(card) or gpu(card).market in ("laptop", "module", "apu"):
            continue
        stated = _stated(plain, mention)
        known = _alike_in_name(card)
        sizes = [round(gpu(one).memory_bytes / GIB) for one in known]
        if stated is None or any(_alike(stated, size) for size in sizes) or _all_of(need, card, stated):
            continue
        if stated <= MOST * max(sizes) or _MODIFIED.search(plain):
            return Unsold(card, stated, known)
    return None


def _alike_in_name(card: str) -> tuple[str, ...]:
    """The cards that differ from it in no more than form and size."""
    alike = (one for key, one in gpus().items() if _name(key) == _name(card))
    return tuple(one.id for one in sorted(alike, key=lambda one: (one.memory_bytes, one.id)))


def _stated(plain: str, mention: Mention) -> int | None:
    """The memory that stands right beside the name."""
    match = _BESIDE.match(plain, mention.end) or _IN_FRONT.search(plain[: mention.start])
    return int(match["n"]) if match else None


def _alike(stated: int, size: int) -> bool:
    return abs(stated - size) < NEAR_GIB or -BELOW * size <= stated - size <= ABOVE * size


def _all_of(need: Need, card: str, stated: int) -> bool:
    """Whether it is the memory of all the cards together: "2x 3090 48GB"."""
    size = gpu(card).memory_bytes / GIB
    counts = [one.count or 1 for one in (*need.gpus_owned, *need.gpus_proposed) if one.gpu == card]
    return any(_alike(stated, round(count * size)) for count in (*counts, sum(counts)) if count > 1)


def _stem(card: str) -> str:
    return re.sub(r"-\d+gb$", "", card)


def _name(card: str) -> str:
    """The card's name without its form and size: an A100 is sold as a module and as a card."""
    return re.sub(r"-(?:sxm|pcie|nvl|oam|\d+gb)(?=-|$)", "", card)
