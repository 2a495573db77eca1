"""Products that a text names: cards and models, where they stand, and nothing that only looks like one."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from kb.names import gpu_names, model_names

Dimension = Literal["card", "model"]
SOFTWARE = re.compile(
    r"(?<![A-Za-z])(?:o?llama(?:[.-]cpp|-server|-cli|-bench|-swap|-quantize|[- ]?factory|-run)|llama-?cpp|llamafile)",
    re.I,
)
"""Programs whose names begin as a model's does."""
BRACKET_INSIDE = re.compile(r"[(（)）,;，；/]")
REMEMBERED, REMEMBERED_LENGTH = 1024, 4000


@dataclass(frozen=True, slots=True)
class Product:
    """A card or model that is named."""

    dimension: Dimension
    ids: frozenset[str]
    """Catalog ids that the name may mean."""
    start: int
    end: int
    text: str


def products(text: str) -> tuple[Product, ...]:
    """Cards and models named in `text` without doubt, in the order they stand."""
    return _remembered(text) if len(text) <= REMEMBERED_LENGTH else _products(text)


def _products(text: str) -> tuple[Product, ...]:
    masked = SOFTWARE.sub(lambda program: " " * len(program[0]), text)
    found = [
        Product("card" if names is gpu_names() else "model", frozenset(one.ids), one.start, one.end, one.text)
        for names in (gpu_names(), model_names())
        for one in names.scan(masked)
        if one.exact and not BRACKET_INSIDE.search(one.text)
    ]
    return tuple(sorted(found, key=lambda one: one.start))


_remembered = lru_cache(maxsize=REMEMBERED)(_products)


def ids_of(found: Iterable[Product], dimension: Dimension) -> frozenset[str]:
    """Every id that these products of one dimension may mean."""
    return frozenset().union(*(one.ids for one in found if one.dimension == dimension))
