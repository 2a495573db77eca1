"""The model of a series: an ARIMA with seasonal waves, its order chosen by AIC.

y(t) = level + slope·t + Σ over seasons and k of a·sin(2πkt/s) + b·cos(2πkt/s) + n(t),  n an ARIMA(p, d, q)

The first part is fitted by least squares, the noise by maximum likelihood on what is left; the interval adds the
variance of both, that of the first with errors robust to autocorrelation (HAC). Waves instead of seasonal lags keep
the fit fast for a season of 168 hours, and missing readings need no filling: the Kalman filter passes over them.
Source: Hyndman and Athanasopoulos, Forecasting: Principles and Practice, 3rd edition, 10.5. The degree of differencing
d is chosen first (AIC compares only equal d): by which of the two forecasts the last part of the history better.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tools.capacity_forecast.result import ModelChosen

Floats = NDArray[np.float64]
WAVES = (0, 1, 2, 3)
"""Pairs of waves of each season that are tried."""
ORDERS = ((0, 0), (1, 0), (0, 1), (1, 1), (2, 1), (1, 2))
"""(p, q) that are tried."""
HOLDOUT_RATIO = 0.2
HOLDOUT_MIN = 4
STEADY = (1, 1)
"""Order used while the other choices are made."""
QUANTILES = (1.2816, 1.9600)
"""Of the normal distribution, for 80 and 95 %."""


@dataclass
class Predicted:
    """Mean and intervals over the future steps."""

    mean: Floats
    low_80: Floats
    high_80: Floats
    low_95: Floats
    high_95: Floats


@dataclass
class _Shape:
    order: tuple[int, int]
    difference: int
    waves: int


def load() -> None:
    """Load the library of the models: the first forecast of a process would wait a second for it."""
    with warnings.catch_warnings():
        import statsmodels.tsa.arima.model  # type: ignore[import-untyped]  # noqa: F401  sets filters of its own


def predict(values: Floats, seasons: Sequence[int], steps: int) -> tuple[Predicted, ModelChosen]:
    """Forecast `steps` further values; the same input gives the same output."""
    seen = values[~np.isnan(values)]
    if float(np.ptp(seen)) == 0.0:
        flat = np.full(steps, seen[0])
        return Predicted(flat, flat, flat, flat, flat), ModelChosen(name="constant", aic=None)
    load()  # sets filters of its own, which must come before ours
    with warnings.catch_warnings():
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

        warnings.simplefilter("ignore")  # every fit that does not converge says so; AIC and the holdout judge it
        with threadpool_limits(limits=1):  # matrices are small: on a busy machine threads only wait for each other
            shape, tried = _chosen(values, seasons)
            fitted = _fit(values, seasons, shape)
            predicted = _future(fitted, len(values), steps, seasons, shape)
            judged = _judged(values, seasons, shape)
    waves = f" + {shape.waves} waves" if shape.waves else ""
    p, q = shape.order
    chosen = ModelChosen(
        name=f"ARIMA({p},{shape.difference},{q}){waves}", aic=float(fitted.aic), tried=tried,
        season_steps=tuple(seasons) if shape.waves else (), **judged,
    )  # fmt: skip
    return predicted, chosen


def _chosen(values: Floats, seasons: Sequence[int]) -> tuple[_Shape, int]:
    """Differencing by the holdout, then waves, then the order, the last two by AIC."""
    start = 1 if seasons else 0
    errors = {d: _error(values, seasons, _Shape(STEADY, d, start)) for d in (0, 1)}
    difference = min(errors, key=lambda d: (errors[d], d))
    tried = len(errors)
    waves = 0
    if seasons:
        scores = {count: _aic(values, seasons, _Shape(STEADY, difference, count)) for count in WAVES}
        waves, tried = min(scores, key=lambda count: (scores[count], count)), tried + len(scores)
    scored = {order: _aic(values, seasons, _Shape(order, difference, waves)) for order in ORDERS}
    order = min(scored, key=lambda one: (scored[one], sum(one)))
    return _Shape(order, difference, waves), tried + len(scored)


@dataclass
class _Fitted:
    """Both parts of a model."""

    curve: Any
    """Least squares of level, slope and waves."""
    noise: Any
    """ARIMA of what is left; null when nothing is."""
    aic: float


def _aic(values: Floats, seasons: Sequence[int], shape: _Shape) -> float:
    try:
        found = _fit(values, seasons, shape).aic
    except (ValueError, np.linalg.LinAlgError):
        return np.inf
    return found if np.isfinite(found) else np.inf


def _fit(values: Floats, seasons: Sequence[int], shape: _Shape) -> _Fitted:
    from statsmodels.regression.linear_model import OLS  # type: ignore[import-untyped]  # slow, and only needed here
    from statsmodels.tsa.arima.model import ARIMA

    curves = _curves(0, len(values), seasons, shape.waves)
    there = ~np.isnan(values)
    if there.sum() <= curves.shape[1] + 2:
        raise ValueError("fewer readings than the model has terms")
    lags = max(1, round(float(there.sum()) ** 0.25))
    curve = OLS(values[there], curves[there]).fit(cov_type="HAC", cov_kwds={"maxlags": lags})
    left = values - curves @ curve.params
    p, q = shape.order
    noise = ARIMA(left, order=(p, shape.difference, q), trend="n").fit(method_kwargs={"maxiter": 50})
    return _Fitted(curve, noise, float(noise.aic) + 2 * curves.shape[1])


def _curves(start: int, count: int, seasons: Sequence[int], waves: int) -> Floats:
    """Level, slope and waves of the steps from `start` on, as columns."""
    steps = np.arange(start, start + count, dtype=np.float64)
    columns = [np.ones(count), steps]
    for length in seasons:
        for turn in range(1, waves + 1):
            if 2 * turn < length:
                angle = 2 * np.pi * turn * steps / length
                columns += [np.sin(angle), np.cos(angle)]
    return np.column_stack(columns)


def _future(fitted: _Fitted, start: int, steps: int, seasons: Sequence[int], shape: _Shape) -> Predicted:
    """Use is never negative: the intervals are cut at nothing."""
    curves = _curves(start, steps, seasons, shape.waves)
    noise = fitted.noise.get_forecast(steps)
    mean = curves @ fitted.curve.params + np.asarray(noise.predicted_mean)
    spread = np.einsum("ij,jk,ik->i", curves, fitted.curve.cov_params(), curves)
    deviation = np.sqrt(np.maximum(spread, 0.0) + np.asarray(noise.var_pred_mean))
    low_80, high_80, low_95, high_95 = (
        np.maximum(mean + sign * quantile * deviation, 0.0) for quantile in QUANTILES for sign in (-1, 1)
    )
    return Predicted(np.maximum(mean, 0.0), low_80, high_80, low_95, high_95)


def _split(values: Floats) -> int:
    return len(values) - max(HOLDOUT_MIN, int(HOLDOUT_RATIO * len(values)))


def _held(values: Floats, seasons: Sequence[int], shape: _Shape) -> tuple[Floats, Predicted] | None:
    """The last part of the history and its forecast from what came before."""
    cut = _split(values)
    try:
        fitted = _fit(values[:cut], seasons, shape)
        return values[cut:], _future(fitted, cut, len(values) - cut, seasons, shape)
    except (ValueError, np.linalg.LinAlgError):
        return None


def _error(values: Floats, seasons: Sequence[int], shape: _Shape) -> float:
    held = _held(values, seasons, shape)
    error = float(np.nanmean(np.abs(held[0] - held[1].mean))) if held else np.inf
    return error if np.isfinite(error) else np.inf


def _judged(values: Floats, seasons: Sequence[int], shape: _Shape) -> dict[str, float]:
    held = _held(values, seasons, shape)
    if held is None or np.isnan(held[0]).all():
        return {}
    truth, predicted = held
    mean = float(np.nanmean(truth))
    if mean == 0:
        return {}
    there = ~np.isnan(truth)
    within = (predicted.low_80 <= truth) & (truth <= predicted.high_80)
    found = {
        "holdout_error_ratio": float(np.nanmean(np.abs(truth - predicted.mean))) / mean,
        "naive_error_ratio": float(np.nanmean(np.abs(truth - _naive(values, seasons)))) / mean,
        "holdout_coverage_ratio": float(within[there].mean()),
    }
    return {key: value for key, value in found.items() if np.isfinite(value)}


def _naive(values: Floats, seasons: Sequence[int]) -> Floats:
    """The last season repeated, or the last value."""
    cut, length = _split(values), seasons[-1] if seasons else 1
    past = values[:cut]
    filled = np.where(np.isnan(past), np.nanmean(past), past)
    last = filled[-length:]
    return np.resize(last, len(values) - cut)
