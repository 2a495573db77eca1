"""The widest way in which some cards hold a workload: the format, or the way to train, with the fewest losses."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assistant.plan import requests
from assistant.plan.amounts import model_kind
from assistant.plan.call import PlannedCall
from assistant.plan.formats import native_format, packed_format, smaller_formats, unified
from assistant.plan.layout import shared_by
from kb.base import AdvisorError
from kb.catalog import gpu
from tools.configure.market.suitable import served_in
from tools.memory.estimate import estimate_memory
from tools.memory.request import MemoryRequest
from tools.need import GpuCount, Need

NUMBERS = (1, 2, 4, 8)
"""How many of a card are rented or set aside together."""


@dataclass(frozen=True, slots=True)
class Way:
    """A workload on some cards, and whether they hold it."""

    card: GpuCount
    call: PlannedCall
    verdict: str

    @property
    def fits(self) -> bool:
        """Whether it is held at all, be it tightly."""
        return self.verdict != "no"

    @property
    def weight_format(self) -> str | None:
        """As asked for; None = as published."""
        return self.call.request.get("weight_format")

    @property
    def sharding(self) -> str | None:
        """How a training is spread over the cards."""
        return self.call.request.get("sharding")

    @property
    def task(self) -> str:
        """inference, lora …"""
        return str(self.call.request.get("task", "inference"))


def widest(need: Need, card: GpuCount, forms: Sequence[str | None] = ()) -> Way | None:
    """The first way that has room to spare, else the first that just fits, else the least of all; None if unsized."""
    tried = list(_ways(need, card, forms))
    drawn = model_kind(need) in ("diffusion", "video")
    groups = [[way for way in tried if way.task == task] for task in dict.fromkeys(way.task for way in tried)]
    groups = [[way] for way in tried] if drawn else groups
    for group in groups:  # a way to train, or a format of pictures, is given up only where it does not fit at all
        for verdict in ("yes", "tight"):
            if found := next((way for way in group if way.verdict == verdict), None):
                return found
    return tried[-1] if tried else None


def fewest(need: Need, card: GpuCount) -> Way | None:
    """The widest way on as many of the card as were said, else on the fewest that hold it."""
    if card.count:
        return widest(need, card)
    tried = [way for count in NUMBERS if (way := widest(need, GpuCount(gpu=card.gpu, count=count)))]
    return next((way for way in tried if way.fits), tried[-1] if tried else None)


def _ways(need: Need, card: GpuCount, forms: Sequence[str | None]) -> Iterator[Way]:
    if requests.is_training(need):
        calls = [
            call
            for task in (need.task, *requests.lighter_tasks(need, need.task))
            for call in _trained(need, card, task)
        ]
    else:
        calls = [requests.memory(need, card, weight_format=form) for form in forms or formats(need, card)]
    for call in calls:
        if call is None:
            continue
        try:
            fit = estimate_memory(MemoryRequest.model_validate(call.request)).fit
        except AdvisorError:
            continue
        if fit is not None:
            yield Way(card, call, fit.verdict)


def _trained(need: Need, card: GpuCount, task: str | None) -> list[PlannedCall | None]:
    """A copy on each card, then, for adapters, the base shared out among the cards."""
    whole = requests.memory(need, card, task=task)
    if task not in ("lora", "qlora") or (card.count or 1) == 1 or need.sharding is not None:
        return [whole]
    return [whole, requests.memory(need, card, task=task, sharding=shared_by(task, need.engine))]


def formats(need: Need, card: GpuCount) -> list[str | None]:
    """The format that was said, else as published, in what the card computes in, and those of fewer bits.

    Where models are run from files, the file that most people download comes first: wider ones are slower there.
    """
    kind = model_kind(need)
    if need.weight_format is not None or kind not in ("llm", "vlm", "diffusion", "video", None):
        return [need.weight_format]
    if kind in ("diffusion", "video"):
        return [None, *smaller_formats(None, need.engine, card.gpu)]
    if served_in(gpu(card.gpu)) == "files" or unified(card.gpu):
        packed = packed_format(need.model)
        return [packed, *(name for name in smaller_formats(packed, need.engine, card.gpu))]
    wide = None if gpu(card.gpu).bf16_flops else "fp16"
    return [wide, *smaller_formats(native_format(need.model), need.engine, card.gpu)]
