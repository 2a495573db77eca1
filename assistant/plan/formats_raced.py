"""One model on the same cards in several formats, and which is faster: "q4 vs q8 speed", 「从 q4 换成 q8 慢多少」."""

import re

from assistant.plan import requests
from assistant.plan.amounts import model_kind
from assistant.plan.call import PlannedCall
from assistant.understand.formats import find_formats
from assistant.understanding import Understanding
from tools.need import GpuCount, Need

_SPEED = re.compile(
    r"\b(?:faster|slower|speed|quicker|tok(?:en)?s?\s?/\s?s|t/s|throughput)\b|快|慢|速度|吞吐|每秒",
    re.I,
)
_WHY = re.compile(r"\bwhy\b|\bnormal\b|\bwrong\b|为什么|为啥|怎么(?:会|更|反而|还)|反而|正常", re.I)
"""Words of who wonders at a speed: its cause is asked for, not the figure."""
RACED_MAX = 3
"""Formats told side by side."""


def raced(understanding: Understanding) -> tuple[str, ...]:
    """The formats whose speeds are held against each other, as they are named."""
    named = dict.fromkeys(found.value for found in find_formats(understanding.text.lower()))
    asks = _SPEED.search(understanding.text) and not _WHY.search(understanding.text)
    return tuple(named)[:RACED_MAX] if len(named) > 1 and asks else ()


def asked(understanding: Understanding) -> bool:
    """Whether a language model of known size is to run on one kind of card in one of several formats."""
    need = understanding.need
    if not requests.sized(need) or requests.is_training(need) or understanding.error_text or understanding.command:
        return False
    alone = len(requests.named_gpus(need)) == 1 and len(requests.compared(need)) < 2
    return alone and model_kind(need) in {"llm", "vlm", None} and bool(raced(understanding))


def card_of(need: Need) -> GpuCount:
    """The cards, counted."""
    card = requests.cards(need)[0]
    return card.model_copy(update={"count": card.count or 1})


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """The memory and the pace in each."""
    card, bare = card_of(need), need.model_copy(update={"weight_format": None})
    forms = raced(understanding)
    return [
        *(requests.memory(bare, card, weight_format=form) for form in forms),
        *(requests.speed(bare, card, form) for form in forms),
    ]
