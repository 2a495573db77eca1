"""What the catalog states of a product that is spoken of: the 24 GB of a 4090, the 32B of a model."""

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache

from assistant.grounding.wording.figures import Figure
from assistant.grounding.wording.quantities import BYTES, PLAIN, POWER, RATE
from kb.catalog import gpus
from kb.models import models

SHAPE = ("layers", "hidden_size", "heads", "kv_heads", "head_dim", "intermediate_size", "vocab_size")
NOMINAL_RATIO = 0.03
"""How far the size by which a model is called may be from that which it has: "37B active" are 37.6 billion."""
SIZE_MIN = 1e8
"""Parameters from which on a number may be a model's size."""


def catalogued(figure: Figure, known: AbstractSet[str]) -> bool:
    """Whether a figure is stated of the very product it is of; `known` are the ids of products that are spoken of.

    Of so many cards that the sentence counts, what they hold and draw together too.
    """
    if _classes_cards(figure):
        return True
    if figure.roles.get("memory") not in {None, "usable"}:
        return _sizes_model(figure, known)
    for key in (figure.cards or (frozenset() if figure.cards_beside else _only(known))) & known:
        card = gpus()[key]
        counts = (1, *figure.beside)
        stated: dict[str, Sequence[float | int | None]] = {
            BYTES: [card.memory_bytes * count for count in counts],
            RATE: [card.bandwidth_bytes_per_s],
            POWER: [card.tdp_w * count for count in counts] if card.tdp_w else [],
        }
        if _reads(figure, stated):
            return True
    if any(_reads(figure, {PLAIN: _shape(key)}) for key in figure.models & known & models().keys()):
        return True
    return _sizes_model(figure, known) or _holds(figure, known)


def _only(known: AbstractSet[str]) -> frozenset[str]:
    """The card that is spoken of, where it is the only one but for its versions."""
    cards = frozenset(known & gpus().keys())
    powers = {(gpus()[key].tdp_w, gpus()[key].bandwidth_bytes_per_s) for key in cards}
    return cards if len(powers) == 1 else frozenset()


def _holds(figure: Figure, known: AbstractSet[str]) -> bool:
    """Whether it is the capacity of a card that the sentence names, or of one spoken of where it names none."""
    if "." in figure.text and (figure.models or figure.ways):
        return False  # told as exactly as what a model needs is
    cards = [gpus()[key] for key in (figure.cards_beside or figure.cards or known) & known & gpus().keys()]
    return _reads(figure, {BYTES: [card.memory_bytes for card in cards]})


def _sizes_model(figure: Figure, known: AbstractSet[str]) -> bool:
    """Whether it is a model called by its size: the "70B" of one that is known here."""
    if not any(one.kind == PLAIN and one.values[0] >= SIZE_MIN for one in figure.readings):
        return False
    sizes = [models()[key] for key in known & models().keys()]
    name = re.sub(r"\s", "", figure.text).lower()
    if any(re.search(rf"(?<![\d.]){re.escape(name)}", each.id.lower()) for each in sizes):
        return True
    stated = [one for each in sizes for one in (each.params, each.active_params) if one]
    return any(
        reading.kind == PLAIN and abs(one - reading.values[0]) <= max(reading.tolerances[0], one * NOMINAL_RATIO)
        for one in stated
        for reading in figure.readings
    )


@lru_cache(maxsize=1)
def _capacities() -> frozenset[int]:
    return frozenset(card.memory_bytes for card in gpus().values())


def _classes_cards(figure: Figure) -> bool:
    """Whether it is the capacity by which cards are called: "80GB cards", 「24G 显卡」."""
    return figure.of_cards and any(
        one.kind == BYTES and any(round(value) in _capacities() for value in one.values) for one in figure.readings
    )


@lru_cache(maxsize=512)
def _shape(key: str) -> tuple[float, ...]:
    """What the catalog states of a model in whole numbers: its size, its shape, its longest context."""
    model = models()[key]
    told = (model.params, model.active_params, model.max_context_tokens, *(getattr(model, name) for name in SHAPE))
    return tuple(float(one) for one in told if one)


def _reads(figure: Figure, stated: Mapping[str, Sequence[float | int | None]]) -> bool:
    return any(
        held is not None and abs(held - value) <= tolerance * 1.0001
        for reading in figure.readings
        for held in stated.get(reading.kind, ())
        for value, tolerance in zip(reading.values, reading.tolerances, strict=True)
    )
