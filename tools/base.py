"""What every tool's result carries: how it was derived, what was assumed, where it comes from."""

from pydantic import Field

from kb.base import Frozen
from kb.records.source import Source

Scalar = str | int | float | bool | None


class Step(Frozen):
    """One step of a calculation that a person can redo by hand."""

    label: str
    """What is computed, e.g. `KV cache`."""
    formula: str
    """The formula in symbols, e.g. `2 · layers · kv_heads · head_dim · tokens · bytes`."""
    inputs: dict[str, Scalar] = Field(default_factory=dict)
    """Symbol → value."""
    value: float | int | str | None
    """The outcome."""
    unit: str = ""
    """Unit of the outcome: `bytes`, `s`, `usd_per_hour`, `gpus` …"""
    source: str | None = None
    """Source id of the formula or of the fact."""


class GivenRow(Frozen):
    """One figure of the person's own, which every result that rests on it is named by."""

    field: str
    said: str
    """As it was given."""
    value: float
    """As it was read, in `unit`."""
    unit: str


class ToolResult(Frozen):
    """Base of every result."""

    derivation: tuple[Step, ...] = ()
    """Ordered steps."""
    assumptions: tuple[str, ...] = ()
    """What was taken for granted, in English sentences."""
    warnings: tuple[str, ...] = ()
    """What the reader must know: stale prices, derived values, formula outside its domain."""
    sources: tuple[Source, ...] = ()
    """Where facts and formulas come from."""
