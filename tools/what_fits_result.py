"""What is said of cards in hand: the largest models for each method, those for a purpose, the parts of a card."""

from typing import Literal

from kb.base import Frozen
from tools.base import ToolResult
from tools.need import GpuCount

Method = Literal["inference", "lora", "qlora", "full_finetune"]


class Example(Frozen):
    """A named model that fits."""

    model: str
    name: str
    params: int
    needed_bytes_per_gpu: int
    verdict: Literal["yes", "tight"]


class FitRow(Frozen):
    """The largest models for one method."""

    task: Method
    weight_format: str
    optimizer: str | None
    max_params: int | None
    """Size of the largest recent model of the catalog that fits for sure; null when not even a small one does."""
    tight_params: int | None
    """Size of the largest that fits only by the estimate, not by the upper end of its interval."""
    needed_bytes_per_gpu: int | None
    """What the largest sure one holds on each GPU."""
    examples: tuple[Example, ...] = ()
    """Largest models that fit, sure ones first, largest first."""


class Candidate(Example):
    """A model published for the purpose, or a member of the family, in the best format in which it fits."""

    weight_format: str
    context_tokens: int | None = None
    """Context that it leaves room for, where that was reckoned with."""


class Beyond(Frozen):
    """A model that does not fit, in the narrowest format in which it is tried."""

    model: str
    name: str
    weight_format: str
    needed_bytes_per_gpu: int


class Slice(Frozen):
    """One MIG profile of the card, and what an instance of it holds."""

    profile: str
    """As `nvidia-smi mig -lgip` writes it."""
    instances: int
    """On all of the cards together."""
    enough: bool
    """Whether that is as many as are wanted."""
    usable_bytes: int
    compute_ratio: float
    """Share of the card's multiprocessors."""
    bandwidth_bytes_per_s: int | None
    """Its share of the card's, in proportion to the memory: what limits a single stream."""
    rows: tuple[FitRow, ...]
    """The largest models to serve in 16, 8 and 4 bits, or for the task asked for."""


class WhatFits(ToolResult):
    """What can be run and trained on the cards in hand."""

    gpu: str | None
    """Catalog id of the card (the smallest, when mixed); null for a card known only by its memory."""
    gpu_name: str
    count: int
    usable_bytes_per_gpu: int
    """Of the smallest, when mixed."""
    cards: tuple[GpuCount, ...] = ()
    """Each kind, roomiest first, where they are unlike: what serves a model then is all of them together."""
    together_usable_bytes: int
    rows: tuple[FitRow, ...]
    candidates: tuple[Candidate, ...] = ()
    """Models published for the purpose, or of the family asked about, that fit, largest first."""
    beyond: Beyond | None = None
    """Of the family asked about, the next larger model than the first of `candidates`, which does not fit."""
    slices: tuple[Slice, ...] = ()
    """Each MIG profile, smallest first, where the card is to be divided."""
