"""What one may ask about the future use of a set of cards."""

from typing import Literal

from pydantic import Field

from kb.base import Frozen

Bucket = Literal["auto", "hour", "day", "week", "month"]


class ForecastRequest(Frozen):
    """Measured use over time, and what there is to carry it."""

    usage_csv: str = Field(min_length=1, max_length=2_000_000)
    """Text of a table: a column of times, then one or more of numbers; commas, semicolons or tabs between them."""
    column: str | None = Field(default=None, max_length=200)
    """The column to forecast; null = every numeric one, eight at most."""
    capacity: float | None = Field(default=None, gt=0, le=1e15)
    """What there is now, in the unit of the column (GPUs, requests a second …)."""
    per_gpu: float = Field(default=1.0, gt=0, le=1e12)
    """How much of the column one GPU carries; 1 when the column counts GPUs."""
    target_utilisation: float = Field(default=1.0, gt=0, le=1)
    """Share of the capacity that may be used before more is wanted."""
    gpus_per_order: int = Field(default=1, gt=0, le=10_000)
    """Cards come in such lots: 8 for whole servers."""
    lead_time_days: float = Field(default=0.0, ge=0, le=3650)
    """From the order to cards that work."""
    horizon_days: float = Field(default=90.0, gt=0, le=1825)
    """How far to look ahead; never more than three times the history."""
    bucket: Bucket = "auto"
    """Step of the forecast; auto = days when there are weeks of history, else hours."""
    statistic: Literal["max", "mean", "p95"] = "max"
    """What of each step is forecast; capacity is bought for peaks."""
