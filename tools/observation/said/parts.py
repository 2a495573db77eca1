"""How layers are dealt over unequal cards, as a text or a command says: what each card holds of the weights."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from pydantic import ValidationError

from kb.base import AdvisorError
from kb.units import format_bytes
from tools.memory.formats import weight_format
from tools.memory.request import MemoryRequest
from tools.memory.shape import shape_of
from tools.model_fields import ModelFields
from tools.named import read_card
from tools.observation.request import CPU
from tools.observation.setup import Setup

_DEALT = re.compile(
    r"(?:(?:pp[_-])?layer[_ -]partition\W{1,4}|(?:--)?tensor[_-]split[\s=:\"']{1,3}|(?<![\w-])-ts[\s=])"
    r"(\d{1,5}(?:\.\d{1,4})?(?:[,/]\s?\d{1,5}(?:\.\d{1,4})?){1,15})",
    re.IGNORECASE,
)
WEIGHTS = "oom_weights"
"""The cause that an even split supposes."""


class Held(NamedTuple):
    """What one card holds of the weights."""

    card: str
    part: str
    bytes: float
    usable: int

    @property
    def fits(self) -> bool:
        """Whether the card has room for it."""
        return self.bytes <= self.usable


def dealt(text: str, setup: Setup) -> tuple[Held, ...]:
    """Each card with its share of the weights, in the order told:

        share of the layers · parameters · bits / 8

    None where no deal is told, or not one for every card.
    """
    found = _DEALT.findall(text)
    cards = [
        read_card(one.gpu)[0] for one in setup.request.cards if one.gpu and one.gpu != CPU for _ in range(one.count)
    ]
    if not found or not setup.named:
        return ()
    parts = [float(one) for one in re.split(r"[,/]\s?", found[-1])]
    if len(parts) != len(cards) or not sum(parts):
        return ()
    given = setup.request.model_dump(include=set(ModelFields.model_fields), exclude_none=True)
    try:
        shape = shape_of(MemoryRequest(**given))
        whole = shape.params * weight_format(setup.weight_format or shape.native_format).body_bits / 8
    except (AdvisorError, ValidationError, ValueError, KeyError):
        return ()
    return tuple(
        Held(card.name, f"{part:g}", whole * part / sum(parts), card.usable_bytes)
        for card, part in zip(cards, parts, strict=True)
    )


def told(held: tuple[Held, ...]) -> Iterator[str]:
    """The deal in words."""
    if held:
        rows = (f"{one.card} {format_bytes(one.bytes, 1)} of {format_bytes(one.usable, 1)}" for one in held)
        yield f"Layers are dealt {' : '.join(one.part for one in held)}, so the weights are: {'; '.join(rows)}."
