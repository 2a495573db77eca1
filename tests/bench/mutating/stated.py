"""What results and the person state of a thing: told apart from the guard, by the fields that hold it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mutating.transcripts import Transcript

from assistant.grounding.wording.mentions import ids_of, products
from assistant.grounding.wording.quantities import PLAIN, Quantity, quantities
from assistant.grounding.wording.statements import statements
from kb.catalog import gpus
from kb.models import models

NAMING_MAX = 120
"""Characters up to which a text names a thing; longer ones speak about several."""
PERSON = "person"


@dataclass(frozen=True, slots=True)
class Stated:
    """A figure in a field of a result, or in words."""

    key: str
    field: str
    """The innermost name it stands under; `person` for the person's words."""
    quantity: Quantity
    subjects: frozenset[str]
    """Cards and models that the row, else those around it, name; empty where none is."""

    def of(self, subjects: frozenset[str]) -> bool:
        """Whether it may be a figure of one of these."""
        return not self.subjects or not subjects or bool(self.subjects & subjects)


def stated(case: Transcript) -> tuple[Stated, ...]:
    """Every figure that something states."""
    found: list[Stated] = []
    for one in case.looked_up:
        if not one.failed:
            around = _subjects(" \n ".join(_texts(one.request)))
            found += _walk(one.shown, one.key, "", around)
    for text in (*case.words, *case.former):
        for said in statements(text):
            about = _subjects(f"{said.text} \n {said.row} \n {said.column}")
            found += [Stated(PERSON, PERSON, each, about) for each in quantities(said.text)]
    return tuple(found)


def catalogued(name: str) -> Iterator[Quantity]:
    """What the catalog states of a card or a model."""
    card, model = gpus().get(name), models().get(name)
    texts = []
    if card is not None:
        texts = [f"{card.memory_bytes / 2**30:g} GiB"]
        texts += [f"{card.bandwidth_bytes_per_s / 1e9:g} GB/s"] if card.bandwidth_bytes_per_s else []
        texts += [f"{card.tdp_w} W"] if card.tdp_w else []
    elif model is not None:
        texts = [f"{one / 1e9:.4g}B" for one in (model.params, model.active_params) if one]
        texts += [str(model.max_context_tokens), str(model.layers)]
    for text in texts:
        yield from quantities(text)


def same(one: Quantity, other: Quantity) -> bool:
    """Whether two figures of one kind say the same, as finely as the coarser is written."""
    if one.kind != other.kind and PLAIN not in (one.kind, other.kind):
        return False
    if one.currencies and other.currencies and not set(one.currencies) & set(other.currencies):
        return False
    return any(
        abs(mine - theirs) <= max(near, far) * 1.0001
        for mine, near in zip(one.values, one.tolerances, strict=True)
        for theirs, far in zip(other.values, other.tolerances, strict=True)
    )


def _walk(value: Any, key: str, field: str, around: frozenset[str]) -> Iterator[Stated]:
    if isinstance(value, Mapping):
        named = _subjects(" \n ".join(one for one in value.values() if _names(one)))
        for name, inner in value.items():
            yield from _walk(inner, key, str(name), named or around)
    elif isinstance(value, list):
        for inner in value:
            yield from _walk(inner, key, field, around)
    elif isinstance(value, str):
        inside = _subjects(value)
        yield from (Stated(key, field, one, inside or around) for one in quantities(value))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from (Stated(key, field, one, around) for one in quantities(f"{value:.12g}"))


def _names(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= NAMING_MAX and re.search(r"[A-Za-z]", value) is not None


def _subjects(text: str) -> frozenset[str]:
    found = products(text)
    return ids_of(found, "card") | ids_of(found, "model")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for inner in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(inner)
