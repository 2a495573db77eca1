"""What is said of cards in hand: the largest models for each method, those for a purpose, the parts of a card."""

from typing import Literal

from kb.base import Frozen

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
    """A model published for the purpose, in the best format in which it fits."""

    weight_format: str


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
