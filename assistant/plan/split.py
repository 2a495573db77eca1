"""Cards in hand divided between works that run at once: "8 H100, serve a 32B and fine-tune an 8B: how to split?"."""

import re
from dataclasses import dataclass
from functools import lru_cache

from assistant.plan import requests
from assistant.plan.call import PlannedCall
from assistant.plan.provisional import provisional
from assistant.plan.widest import Way, widest
from assistant.understand.text import Text
from assistant.understand.workloads import AT_ONCE
from assistant.understanding import Understanding, Workload
from kb.catalog import gpus, models
from tools.need import GpuCount, Need

_DIVIDED = re.compile(
    r"\bsplit(?:ting)?\b|\bdivid\w+|\ballocat\w+|\bpartition\w*|\bassign\w*|\bhow many (?:for|to|of (?:them|the))\b"
    r"|怎么分|如何分|怎样分|分配|划分|分给|各(?:用|分|给)几|几张(?:给|跑|用)",
    re.I,
)
"""Words that ask for the division itself."""
_HALF = re.compile(
    r"\bhalf\b[^.?!]{1,60}\bhalf\b|\bhalf (?:of (?:them|the \w+) )?for\b|一半|对半|平分|半数"
    r"|一台[^,，。;；]{1,16}[,，;；和]\s?(?:另)?一台"
    r"|\bone (?:to|for|runs?|serv\w+|does)\b[^.?!]{1,50}\b(?:the other|one)\b",
    re.I,
)
"""Words that divide them equally."""
_LANGUAGE = ("llm", "vlm")
_SHARES = (1, 2, 4, 8)


@dataclass(frozen=True, slots=True)
class Share:
    """One work with the cards that are set aside for it."""

    work: Workload
    need: Need
    way: Way
    way_open: bool = False
    """Whether nobody said how it is trained."""


def asked(understanding: Understanding) -> bool:
    """Whether several works are to share the cards of one kind at once."""
    works = understanding.apart
    if not 1 < len(works) < 4 or understanding.follow_up:
        return False
    cards = requests.cards(provisional(understanding))
    if len(cards) != 1 or cards[0].gpu not in gpus() or (cards[0].count or 1) < len(works):
        return False
    trains = any(work.task in requests.TRAINING for work in works)
    said = _DIVIDED.search(understanding.text) is not None
    return said or (trains and AT_ONCE.search(Text.of(understanding.text).plain) is not None)


@lru_cache(maxsize=64)
def shares(understanding: Understanding) -> tuple[Share, ...]:
    """Each work on its part of the cards: what is served on the fewest that hold it whole, training on the rest.

    Empty where no division holds all of them.
    """
    need = provisional(understanding)
    card = requests.cards(need)[0]
    served = [work for work in understanding.apart if work.task not in requests.TRAINING]
    trained = [work for work in understanding.apart if work.task in requests.TRAINING]
    left = card.count or 1
    found = []
    half = left // 2 if _HALF.search(understanding.text) and len(understanding.apart) == 2 and left % 2 == 0 else None
    for place, work in enumerate(served):
        kept = len(served) - place - 1 + len(trained)
        share = _smallest(work, need, card.gpu, left - kept) if half is None else _on(work, need, card.gpu, half)
        if share is None:
            return ()
        found.append(share)
        left -= share.way.card.count or 1
    for place, work in enumerate(trained):
        part = left // (len(trained) - place)
        one = _of(work, need)
        way = widest(one, GpuCount(gpu=card.gpu, count=part)) if part else None
        if way is None or not way.fits:
            return ()
        found.append(Share(work, one, way, way_open=_open(work)))
        left -= part
    return tuple(found)


def spare(understanding: Understanding) -> int:
    """Cards that no work needs."""
    card = requests.cards(provisional(understanding))[0]
    return (card.count or 1) - sum(one.way.card.count or 1 for one in shares(understanding))


def _smallest(work: Workload, need: Need, card: str, most: int) -> Share | None:
    """The fewest cards that hold it as published; where none do, those on which it fits in the widest format."""
    one = _of(work, need)
    tried = [way for count in _SHARES if count <= most and (way := widest(one, GpuCount(gpu=card, count=count)))]
    whole = next((way for way in tried if way.verdict == "yes" and way.weight_format in (None, "bf16", "fp16")), None)
    said = next((way for way in tried if way.verdict == "yes" and way.weight_format == work.weight_format), None)
    way = whole or said or next((way for way in reversed(tried) if way.fits), None)
    return Share(work, one, way) if way else None


def _on(work: Workload, need: Need, card: str, count: int) -> Share | None:
    """The work on so many cards, where they hold it."""
    one = _of(work, need)
    way = widest(one, GpuCount(gpu=card, count=count))
    return Share(work, one, way) if way is not None and way.fits else None


def _open(work: Workload) -> bool:
    """Whether nobody said how it is trained."""
    return work.task == "qlora" and "qlora" not in work.text.lower()


def _of(work: Workload, need: Need) -> Need:
    """The need of one of the works; where nobody said how it is trained, the most thorough way is tried first."""
    record = models().get(work.model or "")
    language = record is None or record.kind in _LANGUAGE
    training = work.task in requests.TRAINING
    changes: dict[str, object] = {
        "task": "full_finetune" if _open(work) else work.task or "inference", "model": work.model, "model_text": None,
        "params": None if work.model else work.params, "weight_format": work.weight_format, "tensor_parallel": None,
        "frozen_params": None, "gpus_owned": (), "gpus_asked": (), "gpus_proposed": (),
    }  # fmt: skip
    if training or not language:
        changes |= {"users": None, "concurrent_sequences": None, "engine": None, "context_tokens": None}
    else:
        changes |= {"sequence_tokens": None, "batch_size": None, "dataset_tokens": None, "method": None}
    return need.model_copy(update=changes)


def calls(understanding: Understanding) -> list[PlannedCall | None]:
    """Memory and pace of each work on its part; where no division holds them, each on all of the cards."""
    found = shares(understanding)
    if not found:
        return []
    paced = [
        requests.training_time(one.need, one.way.card, task=one.way.task, sharding=one.way.sharding)
        if requests.is_training(one.need)
        else requests.speed(one.need, one.way.card, one.way.weight_format)
        for one in found
    ]
    return [*(one.way.call for one in found), *paced]
