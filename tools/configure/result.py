"""What the configurator answers."""

from kb.base import Frozen, Money
from tools.base import ToolResult
from tools.configuration import Configuration


class FrontierPoint(Frozen):
    """A configuration that no other beats on both price and aggregate memory bandwidth."""

    title: str
    acquisition: str
    price: Money
    period: str | None
    """`hour` for rent, null for a purchase."""
    bandwidth_bytes_per_s: int
    """Memory bandwidth of all its GPUs together: the ceiling of decoding speed."""


class Rejected(Frozen):
    """A near miss: why it was left out, and the cheapest change that would admit it."""

    title: str
    gpu: str
    gpu_count: int
    reason: str
    change: str
    needed_bytes_per_gpu: int | None = None
    usable_bytes_per_gpu: int | None = None
    price_usd: Money | None = None


class ConfigureResult(ToolResult):
    """Ranked configurations that can be ordered, with what was left out and why."""

    configurations: tuple[Configuration, ...] = ()
    frontier: tuple[FrontierPoint, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    model: str | None = None
    """The model sized: the one asked for, or the stand-in named in the assumptions."""
    budget_usd: Money | None = None
    """The budget in dollars at the dated rate."""
    combinations: int = 0
    """Format × layout × card × offer combinations examined."""
