"""The closed lists of the contract: slots with how each is read, stances, asks and the quantities they may be of."""

from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from kb.snapshot import load_yaml

Stance = Literal[
    "have", "plan", "proposed", "ruled_out", "formerly", "elsewhere", "wanted", "at_most", "seen", "expected",
    "claimed", "mentioned",
]  # fmt: skip
Kind = Literal["new", "adds", "changes", "corrects", "supposes", "returns", "asks", "about_answer"]
AskName = Literal[
    "fits", "memory", "count", "limit", "format", "which_hardware", "which_model", "speed", "duration", "cost",
    "buy_or_rent", "break_even", "compare", "spec", "available", "compatible", "why", "normal", "improve", "worth",
    "needed", "setup", "check", "layout", "power", "plan", "quality", "risk", "explain", "about_answer", "aside",
]  # fmt: skip
Quantity = Literal[
    "context", "users", "batch", "model_size", "length", "resolution", "cards", "nodes", "memory", "speed",
    "first_token", "throughput", "duration", "price", "energy", "power", "links", "software", "feature", "lifetime",
    "quality", "reliability", "all",
]  # fmt: skip
KINDS: tuple[str, ...] = get_args(Kind)
STANCES: tuple[str, ...] = get_args(Stance)
ASKS: tuple[str, ...] = get_args(AskName)
QUANTITIES: tuple[str, ...] = get_args(Quantity)
HARDWARE = "hardware"
"""The family of slots whose facts are of a machine or an option, not of a work."""


class Slot(NamedTuple):
    """A kind of thing that a quotation can be."""

    name: str
    family: str
    """work load lengths data training figures hardware money place trouble rest."""
    reads: str
    """How its value is read: a dimension of the lexicon, `words` or `text`."""
    meaning: str
    """What a reader is told of it."""


@lru_cache(maxsize=1)
def slots() -> dict[str, Slot]:
    """Every slot by its name, in the order of the contract."""
    families = load_yaml(Path(__file__).with_name("slots.yaml"))
    return {
        name: Slot(name, family, row["reads"], row["is"])
        for family, rows in families.items()
        for name, row in rows.items()
    }
