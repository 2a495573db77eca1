"""What a model is wanted for when none is named, and the open models published for it."""

from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

from kb.base import BadInput, Frozen
from kb.models import models
from kb.records.model import Model
from kb.records.source import Source
from kb.snapshot import load_yaml

FACTS = Path(__file__).parent / "facts" / "purposes.yaml"
PurposeName = Literal["coding", "chat", "chinese_chat", "reasoning", "vision_language"]
"""What people say they want a model for: code, talk, talk in Chinese, thinking, images beside text."""


class Purpose(Frozen):
    """One use, and the models for it."""

    name: PurposeName
    models: tuple[str, ...]
    """Catalog ids; the largest at its published format first."""
    source: Source
    as_of: str


@lru_cache(maxsize=1)
def purposes() -> dict[str, Purpose]:
    """Every purpose by name."""
    read = load_yaml(FACTS)
    return {
        name: Purpose(
            name=name,
            models=tuple(row["models"]),
            source=Source(id=row["source"], **read["sources"][row["source"]]),
            as_of=read["as_of"],
        )
        for name, row in read["purposes"].items()
    }


def models_for(name: str) -> tuple[Model, ...]:
    """The models for this purpose, largest first.

    Raises:
        BadInput: no such purpose.
    """
    if name not in purposes():
        raise BadInput("purpose", f"must be one of {', '.join(get_args(PurposeName))}.")
    return tuple(models()[key] for key in purposes()[name].models)
