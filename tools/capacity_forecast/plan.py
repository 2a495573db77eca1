"""From a forecast to dates and cards: when the capacity is reached, how many to add by when."""

import math
from collections.abc import Iterator
from datetime import timedelta

import numpy as np

from kb.units import DAY_S
from tools.capacity_forecast.model import Floats, Predicted
from tools.capacity_forecast.request import ForecastRequest
from tools.capacity_forecast.result import Exhaustion, GpuStep
from tools.capacity_forecast.series import Series

PLAN_STEPS = 6
"""Dates a plan is given for."""


def exhaustion(request: ForecastRequest, series: Series, predicted: Predicted) -> Exhaustion | None:
    """When use reaches the share of the capacity that may be used; null without a capacity."""
    if request.capacity is None:
        return None
    limit = request.capacity * request.target_utilisation
    expected, earliest, latest = (
        _first(values, limit) for values in (predicted.mean, predicted.high_80, predicted.low_80)
    )
    order = None
    if earliest is not None:
        due = series.time(len(series.values) + earliest) - timedelta(days=request.lead_time_days)
        order = due.date().isoformat()
    return Exhaustion(
        expected=_date(series, expected), earliest=_date(series, earliest), latest=_date(series, latest),
        order_by=order,
    )  # fmt: skip


def _first(values: Floats, limit: float) -> int | None:
    over = np.flatnonzero(values > limit)
    return int(over[0]) if over.size else None


def _date(series: Series, step: int | None) -> str | None:
    return None if step is None else series.time(len(series.values) + step).date().isoformat()


def plan(request: ForecastRequest, series: Series, predicted: Predicted) -> Iterator[GpuStep]:
    """Cards wanted by equally spaced dates: the highest use until then over what one may carry.

    gpus = ⌈use / (per_gpu · target_utilisation)⌉;  add = whole lots to the safe number.
    """
    steps = len(predicted.mean)
    now = request.capacity / request.per_gpu if request.capacity else 0.0
    each = request.per_gpu * request.target_utilisation
    for at in sorted({max(1, round(steps * share / PLAN_STEPS)) for share in range(1, PLAN_STEPS + 1)}):
        usual, safe = (math.ceil(float(part[:at].max()) / each - 1e-9) for part in (predicted.mean, predicted.high_80))
        lots = math.ceil(max(0.0, safe - now) / request.gpus_per_order - 1e-9)
        yield GpuStep(by=_date(series, at - 1) or "", gpus=usual, gpus_safe=safe, add=lots * request.gpus_per_order)


def growth(series: Series, predicted: Predicted) -> float | None:
    """Change over 30 days that the forecast expects, over its start; the ends averaged over a season or its like.

    Without the averaging a weekend at either end would pass for a fall.
    """
    steps = len(predicted.mean)
    window = max(1, min(steps // 2, series.seasons[0] if series.seasons else 1))
    start, end = float(predicted.mean[:window].mean()), float(predicted.mean[-window:].mean())
    span_days = (steps - window) * series.step_s / DAY_S
    return (end - start) / start * 30 / span_days if start > 0 and span_days > 0 else None
