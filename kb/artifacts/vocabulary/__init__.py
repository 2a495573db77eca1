"""The closed vocabulary of facts: what each name means, its unit and type."""

from functools import lru_cache
from pathlib import Path
from typing import Literal

from kb.artifacts.artifact import QUOTE_MAX, Fact, Value
from kb.artifacts.sheet import Line
from kb.base import Frozen, UnknownName
from kb.catalog import load_yaml
from kb.naming.names import close_names

_FILES = (Path(__file__).parent / "names.yaml", Path(__file__).parents[1] / "setups" / "vocabulary.yaml")


class Name(Frozen):
    """A name that facts may bear."""

    means: str
    unit: str | None = None
    type: Literal["str", "int", "float", "bool"]
    values: tuple[str, ...] = ()
    """All that it may be; empty where it is open."""


@lru_cache(maxsize=1)
def vocabulary() -> dict[str, Name]:
    """Every name."""
    rows = [load_yaml(path) for path in _FILES if path.exists()]
    return {name: Name.model_validate(row) for names in rows for name, row in (names or {}).items()}


def fact(name: str, value: Value, line: Line, of: str | None = None, quote: str | None = None) -> Fact:
    """A fact of the vocabulary, read from a line.

    Raises:
        UnknownName: no fact is called so.
    """
    known = vocabulary().get(name)
    if known is None:
        raise UnknownName("fact", name, close_names(name, list(vocabulary())))
    words = line.text.strip() if quote is None else quote
    return Fact(name, value, known.unit, line.number, words[:QUOTE_MAX], of or line.of)
