"""Several models in one question: the memory of each, as said and in the smaller formats where none was said."""

from collections.abc import Iterator, Sequence
from math import log2

from assistant.answer import ToolCallRecord
from assistant.plan import requests, split
from assistant.plan.call import PlannedCall
from assistant.plan.formats import native_format, smaller_formats
from assistant.understanding import Understanding, Workload
from kb.catalog import gpu, models
from tools.need import GpuCount, Need

ASKED = (
    "can_it_run",
    "min_vram",
    "how_many_gpus",
    "concurrency",
    "context_length",
    "what_fits",
    "other",
    "guidance",
    "compatibility",
)
"""Intents that the memory of each model answers."""
_LANGUAGE = {"llm", "vlm"}
_DRAWN = {"diffusion", "video"}
"""Kinds that people run in four bits where the whole does not fit."""

_ALONE = 0.4
"""Share of a card's memory that a model beside another may take in four bits, its cache not counted."""


def asked(understanding: Understanding) -> bool:
    """Whether the question is about several models, together or one by one."""
    several = understanding.beside or len(understanding.apart) > 1
    return bool(several) and (understanding.need.intent in ASKED or understanding.need.intent is None)


def need_of(work: Workload, need: Need) -> Need:
    """The need of one of the models: the load only where it serves language."""
    record = models().get(work.model or "")
    language = record is None or record.kind in _LANGUAGE
    load = {} if language else {"users": None, "concurrent_sequences": None, "context_tokens": None, "engine": None}
    task = (
        work.task
        if language
        else {"diffusion": "diffusion", "video": "diffusion"}.get(str(record and record.kind), "inference")
    )
    return need.model_copy(
        update=load | {
            "task": task, "model": work.model, "model_text": None, "params": None if work.model else work.params,
            "weight_format": work.weight_format, "kv_format": need.kv_format if language else None,
            "tensor_parallel": None, "frozen_params": None,
        }
    )  # fmt: skip


def card_of(need: Need) -> GpuCount | None:
    """The cards they are to run on."""
    return next(iter(requests.cards(need)), None)


def beside_calls(understanding: Understanding, need: Need) -> list[PlannedCall | None]:
    """The main model on all cards, each other on one, or each on its share; and what would hold them all."""
    card = card_of(need)
    main, *others = shares(understanding, need)
    extra = sum(_counted(one) for one in understanding.beside)
    return [
        *ways(main_of(understanding, need), need, main),
        *(call for one, share in zip(understanding.beside, others, strict=True) for call in ways(one, need, share)),
        requests.configure(need, frozen_params=extra or None)
        if card is None and need.memory_bytes_per_gpu is None
        else None,
    ]


def shares(understanding: Understanding, need: Need) -> list[GpuCount | None]:
    """The cards of the main model and of each beside it: all of them and one each, or as many for each where one beside
    it is a language model too large for a single card."""
    card, beside = card_of(need), understanding.beside
    if card is None:
        return [None, *(None for _ in beside)]
    single = GpuCount(gpu=card.gpu, count=1)
    if not parted(understanding, need):
        return [card, *(single for _ in beside)]
    each = GpuCount(gpu=card.gpu, count=2 ** int(log2((card.count or 1) / (len(beside) + 1))))
    return [each, *(each for _ in beside)]


def parted(understanding: Understanding, need: Need) -> bool:
    """Whether the models divide the cards among them: people give large models cards of their own."""
    card, beside = card_of(need), understanding.beside
    if card is None or (card.count or 1) <= len(beside):
        return False
    room = _ALONE * gpu(card.gpu).usable_bytes
    return any(_counted(one) / 2 > room for one in beside) and all(_language(one) for one in beside)


def _counted(work: Workload) -> int:
    return models()[work.model].params if work.model else work.params or 0


def _language(work: Workload) -> bool:
    record = models().get(work.model or "")
    return record is None or record.kind in _LANGUAGE


def apart_calls(understanding: Understanding, need: Need) -> list[PlannedCall | None]:
    """Each model on the cards, the stated formats first; each on its part where they are divided."""
    if split.asked(understanding) and (divided := split.calls(understanding)):
        return divided
    card = card_of(need)
    return [call for one in understanding.apart for call in ways(one, need, card)]


def main_of(understanding: Understanding, need: Need) -> Workload:
    """The language model that the others stand beside, as one of them."""
    return Workload(
        text="",
        task="inference",
        model=need.model,
        params=None if need.model else need.params,
        weight_format=need.weight_format,
    )


def ways(work: Workload, need: Need, card: GpuCount | None) -> Iterator[PlannedCall | None]:
    """The memory of one model: as said, else as published and in the smaller formats."""
    own = need_of(work, need)
    yield requests.memory(own, card)
    if requests.is_training(own):
        yield from (requests.memory(own, card, task=task) for task in requests.lighter_tasks(own, own.task))
        return
    record = models().get(work.model or "")
    if work.weight_format is None and (record is None or record.kind in _LANGUAGE):
        names = smaller_formats(native_format(own.model), own.engine, card.gpu if card else None)
        yield from (requests.memory(own, card, weight_format=name) for name in names)
    elif work.weight_format is None and record is not None and record.kind in _DRAWN and need.offload is None:
        names = smaller_formats(None, own.engine, card.gpu if card else None)[-1:]
        yield from (requests.memory(own, card, weight_format=name) for name in names)


def records_of(
    work: Workload, need: Need, card: GpuCount | None, results: Sequence[ToolCallRecord]
) -> list[ToolCallRecord]:
    """The estimates of one model, widest format first."""
    wanted = [(call.tool, call.request) for call in ways(work, need, card) if call]
    return [one for one in results if (one.tool, one.request) in wanted and "error" not in one.result]
