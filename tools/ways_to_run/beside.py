"""Works that generate no text (embeddings, speech, pictures): what they hold on a card beside the others."""

from collections.abc import Sequence
from typing import NamedTuple

from tools.memory.estimate import memory_per_gpu
from tools.memory.request import MemoryRequest
from tools.memory.shape import Shape, shape_of
from tools.model_fields import ModelFields
from tools.ways_to_run.request import WorkFields
from tools.ways_to_run.space.load import SERVED
from tools.ways_to_run.space.machine import Machine


class Beside(NamedTuple):
    """One such work on the card it was put on."""

    shape: Shape
    high_bytes: int
    """Upper end of what it holds at the peak."""
    card: int | None
    """Place of the card in the machine; null = no card has so much left."""


def generates(work: WorkFields) -> bool:
    """Whether ways are searched for the work; the memory of others is taken as it is."""
    return _shape(work).kind in SERVED


def put_beside(machine: Machine, works: Sequence[WorkFields]) -> tuple[Machine, tuple[Beside, ...]]:
    """The works on the cards with the most memory left, the largest first, and the machine with what they leave."""
    needs = sorted(((_high_bytes(work), _shape(work)) for work in works), key=lambda need: -need[0])
    cards, placed = list(machine.cards), []
    for high, shape in needs:
        place = max(range(len(cards)), key=lambda card: cards[card].usable, default=None)
        if place is None or cards[place].usable <= high:
            placed.append(Beside(shape, high, None))
            continue
        cards[place] = cards[place]._replace(usable=cards[place].usable - high)
        placed.append(Beside(shape, high, place))
    return machine._replace(cards=tuple(cards)), tuple(placed)


def _request(work: WorkFields) -> MemoryRequest:
    given = work.model_dump(include={*ModelFields.model_fields, "weight_format", "context_tokens"}, exclude_none=True)
    return MemoryRequest.model_validate(given | {"concurrent_sequences": work.concurrent_sequences or 1})


def _shape(work: WorkFields) -> Shape:
    return shape_of(_request(work))


def _high_bytes(work: WorkFields) -> int:
    return memory_per_gpu(_request(work))[0].high_bytes
