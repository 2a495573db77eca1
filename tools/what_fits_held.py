"""How surely a model is held: by so many equal cards, or by unlike ones that share its layers."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from kb.catalog import gpu as find_gpu
from kb.records.gpu import Gpu
from tools.memory.estimate import memory_per_gpu
from tools.memory.pooled import pooled
from tools.memory.request import MemoryRequest
from tools.need import GpuCount

MOST_UNLIKE = 16
"""More cards than this stand in several machines."""


class Held(NamedTuple):
    """A model on the cards in hand."""

    verdict: Literal["yes", "tight", "no"]
    needed_bytes: int
    """On each card; of unlike ones on the fullest."""


def unlike_cards(cards: Sequence[GpuCount]) -> tuple[Gpu, ...]:
    """Every card where they are of several kinds, the roomiest first; nothing where they are alike."""
    every = [find_gpu(one.gpu) for one in cards for _ in range(one.count or 1)]
    if len({card.id for card in every}) < 2 or len(every) > MOST_UNLIKE:
        return ()
    return tuple(sorted(every, key=lambda card: (-card.usable_bytes, card.id)))


def held_alike(request: MemoryRequest, usable_bytes: int) -> Held:
    """By cards of so much usable memory each, laid out as the request says."""
    found = memory_per_gpu(request)[0]
    verdict: Literal["yes", "tight", "no"] = "no"
    if found.total_bytes <= usable_bytes:
        verdict = "yes" if found.high_bytes <= usable_bytes else "tight"
    return Held(verdict, found.total_bytes)


def held_together(request: MemoryRequest, cards: Sequence[Gpu]) -> Held:
    """By unlike cards, as llama.cpp deals the layers out to them."""
    found = pooled(request, cards)
    shares = [each / card.usable_bytes for each, card in zip(found.held_bytes, cards, strict=False)]
    fullest = found.held_bytes[shares.index(max(shares))] if shares else found.needed_bytes
    return Held(found.verdict, fullest)


def kinds(cards: Sequence[Gpu]) -> tuple[GpuCount, ...]:
    """So many of each kind, in the order of the cards."""
    every = [card.id for card in cards]
    return tuple(GpuCount(gpu=kind, count=every.count(kind)) for kind in dict.fromkeys(every))


def only_kind(cards: Sequence[GpuCount]) -> Gpu | None:
    """The card, where it is one kind with a name."""
    return find_gpu(cards[0].gpu) if len(cards) == 1 else None


def slowest_bandwidth(cards: Sequence[GpuCount]) -> float:
    """Of the slowest card named, in bytes/s; nothing where none was."""
    return min((find_gpu(one.gpu).bandwidth_bytes_per_s or 0 for one in cards), default=0)
