"""What the configurator answers."""

from kb.base import Frozen, Money
from tools.base import GivenRow, ToolResult
from tools.configuration import AskedPrice, Configuration, Left, Reason


class FrontierPoint(Frozen):
    """A configuration that no other beats on both price and speed."""

    title: str
    acquisition: str
    gpu: str
    gpu_count: int
    weight_format: str | None = None
    price: Money
    asked_price: AskedPrice | None = None
    """The same in the asker's currency, where that is another than dollars."""
    period: str | None
    """`hour` for rent, null for a purchase."""
    speed: float
    """Of all its GPUs together, in `measure`."""
    measure: str
    """What `speed` counts: `tokens_per_s_total`, `images_per_s` …; `peak_flops` where no estimator covers the work."""
    bandwidth_bytes_per_s: int
    """Memory bandwidth of all its GPUs together."""


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
    asked_price: AskedPrice | None = None
    """The same in the asker's currency, where that is another than dollars."""
    beyond: Left | None = None
    """How much more than the budget that was stated for a purchase it costs."""
    reasons: tuple[Reason, ...] = ()
    """What `reason` and `change` say, as codes with values."""


class ConfigureResult(ToolResult):
    """Ranked configurations that can be ordered, with what was left out and why."""

    configurations: tuple[Configuration, ...] = ()
    frontier: tuple[FrontierPoint, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    model: str | None = None
    """The model sized: the one asked for, or the stand-in named in the assumptions."""
    budget_usd: Money | None = None
    """The budget in dollars at the dated rate."""
    country: str | None = None
    """Where it is bought, as far as export control goes: stated, or told by the currency of the budget."""
    given: tuple[GivenRow, ...] = ()
    """The person's own prices, rents and tariff, as they were read; what rests on them says so."""
    least_first_s: float | None = None
    """Seconds within which no card gives a first token, where one is wanted sooner: nothing was searched then."""
    combinations: int = 0
    """Layouts × cards examined."""
