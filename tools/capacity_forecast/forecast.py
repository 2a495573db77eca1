"""`forecast_capacity`: measured use in; the use to come, when the cards run out and how many to add out."""

from collections.abc import Iterator

import numpy as np

from kb.base import BadInput
from kb.records.source import Source
from kb.units import DAY_S
from tools.base import Step
from tools.capacity_forecast.model import Predicted, predict
from tools.capacity_forecast.plan import exhaustion, growth, plan
from tools.capacity_forecast.request import ForecastRequest
from tools.capacity_forecast.result import CapacityForecast, ForecastPoint, SeriesForecast
from tools.capacity_forecast.series import Series, bucket_of, regular
from tools.capacity_forecast.table import read_usage

POINTS_MAX = 120
HORIZON_STEPS_MAX = 1000
HISTORY_TIMES = 3
"""A forecast reaches at most so many times as far as the history does."""
WEAK_COVERAGE_RATIO = 0.5
SOURCE = Source(
    id="fpp3-dynamic-harmonic", title="Hyndman and Athanasopoulos, Forecasting: Principles and Practice, 10.5",
    url="https://otexts.com/fpp3/dhr.html", date="2021",
)  # fmt: skip


def forecast_capacity(request: ForecastRequest) -> CapacityForecast:
    """Forecast use from a CSV of measurements: intervals, when the capacity runs out, how many GPUs to add by when.

    Paste a table of times and numbers (GPUs in use, requests a second, queue length). The order of the model is chosen
    by AIC, daily, weekly and yearly seasons are tried, and the forecast is checked on the last fifth of the history.
    """
    usage = read_usage(request.usage_csv, request.column)
    bucket = bucket_of(usage.times, request.bucket)
    span_days = (usage.times[-1] - usage.times[0]).total_seconds() / DAY_S
    horizon = min(request.horizon_days, max(1.0, HISTORY_TIMES * span_days))
    many = len(usage.columns) > 1
    if many and request.capacity is not None:
        raise BadInput("column", f"there are {len(usage.columns)} columns and one capacity.",
                       f"Name the column: {', '.join(usage.columns)}.")  # fmt: skip
    rows: list[SeriesForecast] = []
    derivation: list[Step] = []
    warnings = [*usage.notes]
    for name, values in usage.columns.items():
        series = regular(usage.times, values, bucket, request.statistic)
        row = _forecast(request, name, series, horizon)
        rows.append(row)
        derivation += _steps(row)
        warnings += _doubts(row)
    if horizon < request.horizon_days:
        warnings.append(f"The history spans {span_days:.0f} days: the forecast stops after {horizon:.0f}.")
    return CapacityForecast(
        first_time=usage.times[0].isoformat(), last_time=usage.times[-1].isoformat(), horizon_s=horizon * DAY_S,
        capacity=request.capacity, gpus=int(request.capacity / request.per_gpu) if request.capacity else None,
        series=tuple(rows), derivation=tuple(derivation), assumptions=tuple(_assumptions(request, bucket)),
        warnings=tuple(dict.fromkeys(warnings)), sources=(SOURCE,),
    )  # fmt: skip


def _forecast(request: ForecastRequest, name: str, series: Series, horizon_days: float) -> SeriesForecast:
    steps = int(min(HORIZON_STEPS_MAX, max(2, round(horizon_days * DAY_S / series.step_s))))
    predicted, model = predict(series.values, series.seasons, steps)
    seen = series.values[~np.isnan(series.values)]
    return SeriesForecast(
        column=name, step_s=series.step_s, history_steps=len(series.values), missing_steps=series.missing,
        last_value=float(seen[-1]), peak_value=float(seen.max()), model=model,
        growth_per_30_days_ratio=growth(series, predicted), points=tuple(_points(series, predicted)),
        exhaustion=exhaustion(request, series, predicted),
        plan=tuple(plan(request, series, predicted)) if request.capacity is not None else (),
    )  # fmt: skip


def _points(series: Series, predicted: Predicted) -> Iterator[ForecastPoint]:
    steps = len(predicted.mean)
    every = -(-steps // POINTS_MAX)
    for at in range(0, steps, every):
        yield ForecastPoint(
            time=series.time(len(series.values) + at).isoformat(), value=float(predicted.mean[at]),
            low_80=float(predicted.low_80[at]), high_80=float(predicted.high_80[at]),
            low_95=float(predicted.low_95[at]), high_95=float(predicted.high_95[at]),
        )  # fmt: skip


def _steps(row: SeriesForecast) -> Iterator[Step]:
    yield Step(label=f"Model of {row.column}", formula="lowest AIC of those tried", value=row.model.name,
               inputs={"tried": row.model.tried, "aic": row.model.aic}, source=SOURCE.id)  # fmt: skip
    if row.plan:
        last = row.plan[-1]
        yield Step(
            label=f"GPUs for {row.column} by {last.by}",
            formula="⌈highest use / (per_gpu · target_utilisation)⌉",
            inputs={"expected": last.gpus, "safe": last.gpus_safe},
            value=last.gpus_safe,
            unit="gpus",
        )


def _doubts(row: SeriesForecast) -> Iterator[str]:
    model = row.model
    if (model.holdout_error_ratio or 0.0) > (model.naive_error_ratio or np.inf):
        yield (
            f"{row.column}: on the last part of its history the model did no better than repeating the past: "
            "read the interval, not the line."
        )
    if model.holdout_coverage_ratio is not None and model.holdout_coverage_ratio < WEAK_COVERAGE_RATIO:
        yield (f"{row.column}: only {model.holdout_coverage_ratio:.0%} of its last part lay within the 80 % interval: "
               "something changed there.")  # fmt: skip
    if row.missing_steps:
        yield f"{row.column}: {row.missing_steps} of {row.history_steps} steps have no reading; the model bridges them."


def _assumptions(request: ForecastRequest, bucket: str) -> Iterator[str]:
    yield f"The {request.statistic} of each {bucket} is forecast; times without a zone are UTC."
    yield "What drove the past goes on: no new product, price or customer."
    if request.capacity is not None and "per_gpu" not in request.model_fields_set:
        yield "One GPU carries 1 of the column's unit."
    if request.capacity is not None and request.target_utilisation == 1.0:
        yield "The capacity may be used in full."
