"""Where a model lies on Hugging Face in a format, and whether one must log in for it."""

import re
from functools import lru_cache

from pydantic import Field

from kb.base import Frozen
from kb.catalog import FACTS, load_yaml
from kb.records.source import Source


class Row(Frozen):
    """Repositories of one kind, for the models that a pattern names."""

    of: str
    """Pattern of the full id."""
    format: str
    to: str
    kinds: dict[str, str] = Field(default_factory=dict)
    """GGUF type → the tag that `-hf` takes; empty = the only one there."""
    source: str


class Gated(Frozen):
    """Models that are downloaded only with a token of somebody who consented."""

    models: str
    source: str


class Repositories(Frozen):
    """Everything in `repositories.yaml`."""

    rows: tuple[Row, ...]
    gated: Gated
    sources: dict[str, Source]


class Repository(Frozen):
    """One repository, with the file in it where it holds several."""

    id: str
    tag: str | None = None
    """null = the repository is the checkpoint; "" = its only file."""
    source: str

    @property
    def named(self) -> str:
        """As llama.cpp's `-hf` and Ollama take it."""
        return f"{self.id}:{self.tag}" if self.tag else self.id


@lru_cache(maxsize=1)
def _facts() -> Repositories:
    rows = load_yaml(FACTS / "repositories.yaml")
    rows["sources"] = {key: {"id": key, **row} for key, row in rows["sources"].items()}
    return Repositories.model_validate(rows)


def sources() -> dict[str, Source]:
    """Where the rows come from, by id."""
    return _facts().sources


@lru_cache(maxsize=4096)
def repository(model: str, form: str) -> Repository | None:
    """The first repository known to hold a model in a format (`awq`, `gguf:Q4_K_M`); null where none is."""
    kind, _, file = form.partition(":")
    for row in _facts().rows:
        if row.format == kind and re.fullmatch(row.of, model) and (not file or file in row.kinds):
            tag = row.kinds[file] if file else None
            return Repository(id=row.to.format(name=model.split("/")[-1]), tag=tag, source=row.source)
    return None


def is_gated(model: str) -> bool:
    """Whether its page asks for consent and the download for a token."""
    return re.fullmatch(_facts().gated.models, model) is not None
