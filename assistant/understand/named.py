"""A GPU found in a text."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NamedGpu:
    """A GPU in the text."""

    gpu: str
    ids: tuple[str, ...]
    """Every catalog id that the words fit."""
    start: int
    end: int
    count: int | None = None
    counted_from: int = 0
    """Where the count and the name begin and end together."""
    counted_to: int = 0
    whole: bool = False
    """Whether the count is of all machines together."""
    maker: bool = False
    """Whether only its maker was named."""
