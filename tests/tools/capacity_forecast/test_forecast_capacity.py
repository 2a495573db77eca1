"""Forecasts of series whose future is known, and tables of every untidiness."""

import math
import random
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.base import BadInput
from tools.capacity_forecast import forecast_capacity
from tools.capacity_forecast.request import ForecastRequest
from tools.capacity_forecast.result import CapacityForecast

START = datetime(2026, 6, 1, tzinfo=UTC)


def forecast(text: str, **fields: Any) -> CapacityForecast:
    return forecast_capacity(ForecastRequest.model_validate({"usage_csv": text, **fields}))


def value(day: float, noise: float = 0.0) -> float:
    """Thirty cards, one more every ten days, five more on working days."""
    return 30 + day / 10 + (5 if int(day) % 7 < 5 else 0) + noise


def daily(days: int, *, seed: int = 1, spread: float = 0.3, skip: frozenset[int] = frozenset()) -> str:
    dice = random.Random(seed)
    rows = [
        f"{(START + timedelta(days=day)).date()},{value(day, dice.gauss(0, spread)):.3f}"
        for day in range(days)
        if day not in skip
    ]
    return "\n".join(["day,gpus", *rows])


def test_trend_and_week_go_on() -> None:
    found = forecast(daily(98), horizon_days=28)
    one = found.series[0]
    assert one.model.season_steps == (7,)
    errors = [abs(point.value - value(98 + at)) for at, point in enumerate(one.points)]
    assert sum(errors) / len(errors) < 0.6
    assert one.model.holdout_error_ratio is not None
    assert one.model.naive_error_ratio is not None
    assert one.model.holdout_error_ratio < one.model.naive_error_ratio
    assert one.growth_per_30_days_ratio == pytest.approx(3 / value(98), abs=0.03)


def test_intervals_hold_what_they_say_over_many_series() -> None:
    inside = total = 0
    for seed in range(12):
        points = forecast(daily(84, seed=seed, spread=1.0), horizon_days=14).series[0].points
        dice = random.Random(1000 + seed)
        truth = [value(84 + at, dice.gauss(0, 1.0)) for at in range(len(points))]
        inside += sum(one.low_80 <= true <= one.high_80 for one, true in zip(points, truth, strict=True))
        total += len(points)
    assert 0.65 <= inside / total <= 0.95


def test_capacity_runs_out_when_it_does() -> None:
    found = forecast(daily(98), capacity=50, horizon_days=150, lead_time_days=30, gpus_per_order=8)
    exhaustion = found.series[0].exhaustion
    assert exhaustion is not None
    first = next(day for day in range(98, 400) if value(day) > 50)
    expected = datetime.fromisoformat(exhaustion.expected or "").replace(tzinfo=UTC)
    assert abs((expected - START).days - first) <= 10
    assert exhaustion.earliest is not None
    assert exhaustion.earliest <= (exhaustion.expected or "")
    order = datetime.fromisoformat(exhaustion.order_by or "").date()
    assert order == datetime.fromisoformat(exhaustion.earliest).date() - timedelta(days=30)
    plan = found.series[0].plan
    assert [step.gpus for step in plan] == sorted(step.gpus for step in plan)
    assert all(step.gpus <= step.gpus_safe and step.add % 8 == 0 for step in plan)
    assert plan[-1].add >= plan[-1].gpus_safe - 50


def test_a_share_that_may_be_used_runs_out_sooner() -> None:
    full = forecast(daily(98), capacity=50, horizon_days=150).series[0].exhaustion
    part = forecast(daily(98), capacity=50, horizon_days=150, target_utilisation=0.9).series[0].exhaustion
    assert full is not None
    assert part is not None
    assert (part.expected or "") < (full.expected or "")


def test_the_unit_is_turned_into_cards() -> None:
    found = forecast(daily(98), capacity=500, per_gpu=10)
    assert found.gpus == 50
    assert found.series[0].plan[0].gpus == math.ceil(max(one.value for one in found.series[0].points[:15]) / 10)


def test_hours_have_a_day() -> None:
    rows = [
        f"{(START + timedelta(hours=h)).isoformat()},{20 + 8 * math.sin(h * math.tau / 24):.3f}" for h in range(144)
    ]
    one = forecast("\n".join(rows), horizon_days=2).series[0]
    assert one.step_s == 3600
    assert 24 in one.model.season_steps
    assert one.points[6].value == pytest.approx(20 + 8 * math.sin(150 * math.tau / 24), abs=0.5)


def test_the_same_table_gives_the_same_forecast() -> None:
    assert forecast(daily(70)) == forecast(daily(70))


def test_missing_days_are_bridged_and_told() -> None:
    found = forecast(daily(98, skip=frozenset({20, 21, 50})), horizon_days=14)
    assert found.series[0].missing_steps == 3
    assert any("no reading" in one for one in found.warnings)


def test_rows_out_of_order_and_twice_are_mended_and_told() -> None:
    head, *rows = daily(60).splitlines()
    mixed = "\n".join([head, *reversed(rows), rows[5]])
    found = forecast(mixed)
    assert found.series[0].points == forecast(daily(60)).series[0].points
    assert len([one for one in found.warnings if "order" in one or "repeat" in one]) == 2


def test_a_series_that_never_changes_stays() -> None:
    rows = "\n".join(f"{(START + timedelta(days=day)).date()},8" for day in range(30))
    one = forecast(rows, capacity=8).series[0]
    assert {point.value for point in one.points} == {8.0}
    assert one.exhaustion is not None
    assert one.exhaustion.expected is None


def test_every_column_is_forecast_and_one_can_be_chosen() -> None:
    rows = [f"{(START + timedelta(days=day)).date()};{day + 1};{60 - day / 2}" for day in range(40)]
    text = "\n".join(["time;a;b", *rows])
    assert [one.column for one in forecast(text).series] == ["a", "b"]
    assert [one.column for one in forecast(text, column="B").series] == ["b"]
    with pytest.raises(BadInput, match="column"):
        forecast(text, column="c")
    with pytest.raises(BadInput, match="one capacity"):
        forecast(text, capacity=10)


@pytest.mark.parametrize(
    ("time", "seen"),
    [
        pytest.param("2026-06-01", "2026-06-01T00:00:00+00:00", id="day"),
        pytest.param("2026/6/1 08:00", "2026-06-01T08:00:00+00:00", id="slashes"),
        pytest.param("2026年6月1日", "2026-06-01T00:00:00+00:00", id="chinese"),
        pytest.param("2026-06-01T08:00:00+08:00", "2026-06-01T00:00:00+00:00", id="zone"),
        pytest.param("2026-06-01T00:00:00Z", "2026-06-01T00:00:00+00:00", id="zulu"),
        pytest.param("1780272000", "2026-06-01T00:00:00+00:00", id="seconds"),
        pytest.param("1780272000000", "2026-06-01T00:00:00+00:00", id="milliseconds"),
    ],
)
def test_times_are_read_as_people_write_them(time: str, seen: str) -> None:
    rest = daily(30).splitlines()[2:]
    assert forecast("\n".join([f"{time},35", *rest])).first_time == seen


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        pytest.param("hello", "only one column", id="words"),
        pytest.param("time,gpus", "no rows", id="heading-alone"),
        pytest.param("time,gpus\n2026-06-01,3\nyesterday,4", "line 3 does not begin with a time", id="no-time"),
        pytest.param("time,gpus\n2026-06-01,many", "holds no number", id="no-number"),
        pytest.param("time,gpus\n2026-06-01,-3", "negative", id="negative"),
        pytest.param("time,gpus\n2026-06-01,inf", "out of bounds", id="infinite"),
        pytest.param("time,gpus\n2026-06-01,nan\n2026-06-02,", "holds no number", id="empty"),
        pytest.param("time,gpus\n2026-06-01,3\n2026-06-02,4", "12 are needed", id="too-few"),
        pytest.param(
            "\n".join(f"2026-{m:02d}-01,{m}" for m in range(1, 13)) + "\n2020-01-01,3", "no reading", id="gaps"
        ),
        pytest.param("9999-01-01,3\n9999-01-02,4", "line 2 does not begin with a time", id="year"),
    ],
)
def test_what_cannot_be_forecast_is_refused_with_its_line(text: str, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint) as caught:
        forecast(text)
    assert caught.value.remedy


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300) | st.text(alphabet="0123456789-:,.;\t\nTZ年月 ", max_size=300))
def test_any_text_is_forecast_or_refused(text: str) -> None:
    with suppress(BadInput):
        assert forecast(text or " ").series


def test_a_long_history_is_bounded() -> None:
    rows = [f"{1_600_000_000 + 86_400 * day},{day % 7}" for day in range(1500)]
    found = forecast("\n".join(rows), horizon_days=1825)
    assert found.series[0].history_steps == 500
    assert len(found.series[0].points) <= 120
