"""Facts about running out of memory: how software says so, and how a remedy is written for it."""

import re
from functools import lru_cache
from typing import Literal

from pydantic import ByteSize

from kb.base import Frozen
from kb.catalog import FACTS, load_yaml
from kb.records.source import Source

Where = Literal["device", "host", "shared_memory"]
Cause = Literal[
    "weights", "kv_cache", "kv_too_small", "reservation", "fragmentation", "activations", "attention", "logits",
    "gradients", "optimizer", "one_card_holds_all", "host_memory", "shared_memory", "other_process", "runaway",
    "workspace", "settings_differ", "unknown",
]  # fmt: skip


class Signature(Frozen):
    """A wording and what it proves."""

    id: str
    software: str
    where: Where
    cause: Cause | None = None
    """Null: the words prove no more than that memory ran out."""
    pattern: str
    source: str


class Place(Frozen):
    """What is made at a place of a program."""

    cause: Cause
    pattern: str


Work = Literal["training", "serving", "pictures", "clips", "embedding", "any"]


class Sign(Frozen):
    """What people tell of how it went wrong, where no message proves the cause."""

    id: str
    work: tuple[Work, ...]
    """Kinds of work for which it tells something."""
    pattern: str
    source: str
    quote: str
    """What the source says, in short."""


class IdleRatio(Frozen):
    """Least idle reserve over the card's memory."""

    idle_ratio: float
    source: str


class ShareRatio(Frozen):
    """Least share of the card that others hold."""

    share_ratio: float
    context_bytes: ByteSize
    """What context and libraries of a process hold beside its tensors, at most."""
    source: str


class OverRatio(Frozen):
    """Least excess over one GPU's share."""

    over_ratio: float
    source: str


class OomFacts(Frozen):
    """Everything in `oom.yaml`."""

    signatures: tuple[Signature, ...]
    places: tuple[Place, ...]
    signs: tuple[Sign, ...]
    fragmentation: IdleRatio
    others: ShareRatio
    unsplit: OverRatio
    failing: str
    """Words of a text that tells of a failure."""
    labels: dict[str, str]
    """Field of the figures that are read → the words which tell that a size beside them is it."""
    settings: dict[str, dict[str, str]]
    """Change → program → how it is written; `any` for the rest."""
    sources: dict[str, Source]


@lru_cache(maxsize=1)
def oom_facts() -> OomFacts:
    """The facts, loaded once."""
    rows = load_yaml(FACTS / "oom.yaml")
    rows["sources"] = {key: {"id": key, **row} for key, row in rows["sources"].items()}
    return OomFacts.model_validate(rows)


@lru_cache(maxsize=128)
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern, compiled once."""
    return re.compile(pattern, re.IGNORECASE)
