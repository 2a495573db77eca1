"""Readings at any times as a regular series of steps."""

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kb.base import BadInput
from kb.units import DAY_S, HOUR_S
from tools.capacity_forecast.request import Bucket
from tools.capacity_forecast.table import FIELD

STEPS_MIN = 12
"""Fewer readings carry no interval worth stating."""
STEPS_MAX = 500
"""The newest of a longer series: bounds the time of fitting."""
MISSING_MAX_RATIO = 0.5
WEEKS_FOR_DAYS = 3
BUCKETS_S: dict[str, float] = {"hour": HOUR_S, "day": DAY_S, "week": 7 * DAY_S, "month": 365.25 / 12 * DAY_S}
SEASONS: dict[str, tuple[int, ...]] = {"hour": (24, 168), "day": (7,), "week": (), "month": (12,)}
"""Steps of the seasons looked for, by step; one needs two whole turns of history."""


@dataclass
class Series:
    """Values at equal steps; NaN where there was no reading."""

    bucket: str
    start: datetime
    values: NDArray[np.float64]

    @property
    def step_s(self) -> float:
        """Length of a step."""
        return BUCKETS_S[self.bucket]

    @property
    def missing(self) -> int:
        """Steps without a reading."""
        return int(np.isnan(self.values).sum())

    @property
    def seasons(self) -> tuple[int, ...]:
        """Seasons that the history goes through at least twice."""
        return tuple(length for length in SEASONS[self.bucket] if len(self.values) >= 2 * length)

    def time(self, step: int) -> datetime:
        """Start of a step; those after the last are the future."""
        if self.bucket == "month":
            months = self.start.year * 12 + self.start.month - 1 + step
            return self.start.replace(year=months // 12, month=months % 12 + 1)
        return self.start + timedelta(seconds=step * self.step_s)


def bucket_of(times: list[datetime], asked: Bucket) -> str:
    """The step: as asked, else days with three weeks of history, weeks and months where readings are that sparse."""
    if asked != "auto":
        return asked
    span = (times[-1] - times[0]).total_seconds()
    gaps = sorted((after - before).total_seconds() for before, after in pairwise(times) if after > before)
    usual = gaps[len(gaps) // 2] if gaps else 0.0
    if usual > 20 * DAY_S:
        return "month"
    if usual > 3 * DAY_S:
        return "week"
    if usual > 12 * HOUR_S or span >= WEEKS_FOR_DAYS * 7 * DAY_S:
        return "day"
    return "hour"


def regular(
    times: list[datetime], values: list[float], bucket: str, statistic: Literal["max", "mean", "p95"]
) -> Series:
    """The readings by step.

    Raises:
        BadInput: too few steps with a reading, or too many without.
    """
    origin = _origin(times[0], bucket)
    cells: dict[int, list[float]] = {}
    for time, value in zip(times, values, strict=True):
        if not math.isnan(value):
            cells.setdefault(_cell(time, origin, bucket), []).append(value)
    if len(cells) < STEPS_MIN:
        raise BadInput(FIELD, f"only {len(cells)} {bucket}s have a reading; {STEPS_MIN} are needed.",
                       "Send a longer history, or a smaller bucket.")  # fmt: skip
    first, last = min(cells), max(cells)
    first = max(first, last - STEPS_MAX + 1)
    array = np.full(last - first + 1, np.nan)
    for at, found in cells.items():
        if at >= first:
            array[at - first] = _reduced(found, statistic)
    if np.isnan(array).mean() > MISSING_MAX_RATIO:
        raise BadInput(FIELD, f"{np.isnan(array).mean():.0%} of the {bucket}s have no reading.",
                       "Choose a larger bucket, or send the rows that are missing.")  # fmt: skip
    return Series(bucket, Series(bucket, origin, array).time(first), array)


def _cell(time: datetime, origin: datetime, bucket: str) -> int:
    """Which step a time is in; months are those of the calendar."""
    if bucket == "month":
        return (time.year - origin.year) * 12 + time.month - origin.month
    return int((time - origin).total_seconds() // BUCKETS_S[bucket])


def _origin(first: datetime, bucket: str) -> datetime:
    """Steps begin on the hour, at midnight UTC, or on the first of a month."""
    if bucket == "month":
        return datetime(first.year, first.month, 1, tzinfo=UTC)
    day = datetime(first.year, first.month, first.day, tzinfo=UTC)
    return day + timedelta(hours=first.hour) if bucket == "hour" else day


def _reduced(found: list[float], statistic: str) -> float:
    if statistic == "mean":
        return float(np.mean(found))
    return float(np.percentile(found, 95)) if statistic == "p95" else max(found)
