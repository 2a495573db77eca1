"""What the diagnosis of memory that ran out answers."""

from typing import Literal

from kb.base import Frozen
from kb.oom import Cause, Where
from tools.base import ToolResult
from tools.memory.result import PerGpu, Verdict

Basis = Literal["stated", "measured", "reckoned", "likely"]
"""stated: the words say so; measured: the figures in the text show it; reckoned: the estimate shows it."""


class Quantities(Frozen):
    """Figures read from the text; null = not stated. PyTorch's GB and MB are binary, and read as such."""

    requested_bytes: int | None = None
    """The allocation that failed."""
    total_bytes: int | None = None
    """Memory of the card."""
    free_bytes: int | None = None
    process_bytes: int | None = None
    """In use by this process, the driver's part included."""
    allocated_bytes: int | None = None
    """Held in tensors."""
    reserved_bytes: int | None = None
    """Taken from the driver by the caching allocator, in tensors or idle."""
    idle_bytes: int | None = None
    """Reserved but not allocated."""
    others_bytes: int | None = None
    """In use by other processes, as listed or as the rest of the sum."""
    device: int | None = None
    """Index of the card."""
    context_tokens: int | None = None
    """The longest context asked for, as a server states it."""
    cache_tokens: int | None = None
    """The longest context that its cache would hold."""
    cache_needed_bytes: int | None = None
    cache_available_bytes: int | None = None
    memory_utilisation: float | None = None
    """Share of the card that a server wanted to reserve."""


class OtherCause(Frozen):
    """A cause that may add to the first."""

    cause: Cause
    basis: Basis
    bytes: int | None = None


class Fix(Frozen):
    """One remedy, the mildest first."""

    change: str
    """Field of the request, or allocator, other_process, shared_memory, host_memory …"""
    value: str | None = None
    """Its new value."""
    setting: str
    """How it is written for the software at hand."""
    costs: str
    """What one gives up for it."""
    saves_bytes: int | None = None
    """On one GPU; null where it cannot be reckoned."""
    total_bytes: int | None = None
    """The new estimate of one GPU with this change alone."""
    verdict: Verdict | None = None
    """Whether the card then holds it; null without a card."""
    together_bytes: int | None = None
    """The estimate with this change and all above it."""
    together_verdict: Verdict | None = None


class OomDiagnosis(ToolResult):
    """Why memory ran out, and what to do."""

    software: str
    """Whose wording it is; unknown when the text names none."""
    signature: str | None
    """Which wording was recognised; null without a text, or when it is none of those known."""
    where: Where
    cause: Cause
    basis: Basis
    other_causes: tuple[OtherCause, ...] = ()
    quantities: Quantities
    model: str | None = None
    gpu: str | None = None
    gpus: int | None = None
    usable_bytes: int | None = None
    verdict: Verdict | None = None
    """Whether the settings fit the card by the estimate."""
    estimate: PerGpu | None = None
    """What the settings need on one GPU; null when no model is named."""
    fixes: tuple[Fix, ...] = ()
    checks: tuple[str, ...] = ()
    """Commands that tell the likely causes apart."""
