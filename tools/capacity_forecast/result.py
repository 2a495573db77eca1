"""What the capacity forecast answers."""

from kb.base import Frozen
from tools.base import ToolResult


class ForecastPoint(Frozen):
    """The use expected at one time."""

    time: str
    """ISO 8601, start of the step."""
    value: float
    low_80: float
    high_80: float
    low_95: float
    high_95: float


class ModelChosen(Frozen):
    """Which model was chosen, and how well it did."""

    name: str
    """ARIMA(p,d,q) with so many pairs of seasonal waves."""
    aic: float | None
    """Null for a series that never changes."""
    season_steps: tuple[int, ...] = ()
    """Lengths of the seasons that were found to help."""
    tried: int = 1
    """Models compared by AIC."""
    holdout_error_ratio: float | None = None
    """Mean absolute error over the mean, on the last part of the history, forecast without seeing it."""
    naive_error_ratio: float | None = None
    """The same of repeating the last season (or the last value)."""
    holdout_coverage_ratio: float | None = None
    """Share of that part within the 80 % interval."""


class Exhaustion(Frozen):
    """When the capacity is reached; null = not within the horizon."""

    expected: str | None
    earliest: str | None
    """By the upper end of the 80 % interval."""
    latest: str | None
    """By its lower end."""
    order_by: str | None
    """Earliest less the lead time; in the past means now."""


class GpuStep(Frozen):
    """How many cards are wanted by when."""

    by: str
    gpus: int
    """For the use expected."""
    gpus_safe: int
    """For the upper end of the 80 % interval."""
    add: int
    """To what there is now, in whole lots; null capacity counts from none."""


class SeriesForecast(Frozen):
    """The forecast of one column."""

    column: str
    step_s: float
    """Length of a step."""
    history_steps: int
    missing_steps: int
    """Steps without a reading, which the model bridges."""
    last_value: float
    peak_value: float
    growth_per_30_days_ratio: float | None
    """Change over 30 days that the forecast expects, over its start; null when that is 0."""
    model: ModelChosen
    points: tuple[ForecastPoint, ...]
    """At most 120, evenly thinned."""
    exhaustion: Exhaustion | None = None
    """Null without a capacity."""
    plan: tuple[GpuStep, ...] = ()


class CapacityForecast(ToolResult):
    """Forecasts of every column asked for."""

    first_time: str
    last_time: str
    horizon_s: float
    """How far it reaches."""
    capacity: float | None
    gpus: int | None
    """Cards there are now: capacity over what one carries."""
    series: tuple[SeriesForecast, ...]
