"""Figures of a result are written out with the unit that their field's name carries."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.agent_tools.shown import duration, shown, with_unit


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("memory_bytes", 24 * 2**30, {"memory": "24.0 GiB"}),
        ("needed_bytes_per_gpu", 22_011_707_392, {"needed_per_gpu": "20.5 GiB"}),
        ("bandwidth_bytes_per_s", 936e9, {"bandwidth": "936 GB/s"}),
        ("bandwidth_bytes_per_s", 3.35e12, {"bandwidth": "3.35 TB/s"}),
        ("tokens_per_s_per_user", 31.94, {"tokens_per_s_per_user": "31.9 tokens/s"}),
        ("tdp_w", 450, {"tdp": "450 W"}),
        ("wall_max_w", 12_300, {"wall_max": "12.3 kW"}),
        ("busy_ratio", 0.179, {"busy": "17.9 %"}),
        ("time_s", 391_392.0, {"time": "4.53 days"}),
        ("first_token_s", 0.43, {"first_token": "430 ms"}),
        ("price_cny", 12_999, {"price_cny": "¥12,999"}),
        ("usd_per_gpu_hour", 1.8, {"usd_per_gpu_hour": "$1.80"}),
        ("monthly_cost", 1234.5, {"monthly_cost": "$1,234/month"}),
        ("bf16_flops", 165.2e12, {"bf16": "165 TFLOPS"}),
        ("layers", 80, {"layers": 80}),
        ("gpu_count", 4, {"gpu_count": 4}),
        ("nothing", None, {}),
        ("derivation", [{"label": "x"}], {}),
    ],
)
def test_a_field_is_written_out(field: str, value: object, told: dict[str, object]) -> None:
    said = shown({field: value})
    if field == "usd_per_gpu_hour":
        assert said[field].startswith(told[field])  # type: ignore[arg-type]
    else:
        assert said == told


def test_a_pace_or_a_time_is_told_as_its_range_and_a_size_with_its_middle() -> None:
    told = shown({
        "tokens_per_s_total": {"value": 27.0, "low": 21.4, "high": 35.1},
        "first_token_s": {"value": 0.4, "low": 0.28, "high": 0.61},
        "answer_s": {"value": 38000, "low": 17640, "high": 95000},
        "time_s": {"value": 7000, "low": 5_000, "high": 11_000},
        "tokens_per_s": {"value": 27.0, "low": 26.0, "high": 28.0},
        "needed_bytes": {"value": 27 * 2**30, "low": 21 * 2**30, "high": 35 * 2**30},
    })  # fmt: skip
    assert told == {
        "tokens_per_s_total": "21–35 tokens/s", "first_token": "280–610 ms", "answer": "11 h (4.9–26)",
        "time": "1.4–3.1 h",
        "tokens_per_s": "27 tokens/s (26–28)", "needed": "27.0 GiB (21.0–35.0)",
    }  # fmt: skip


def test_money_is_told_in_the_currency_and_for_the_time_beside_it() -> None:
    told = shown({"currency": "CNY", "period": "hour", "amount": 5.98})
    assert told["amount"] == "¥5.98/h"


@settings(deadline=None)
@given(st.floats(min_value=1e-6, max_value=1e9))
def test_a_duration_has_a_unit_and_keeps_its_size(value_s: float) -> None:
    number, unit = duration(value_s).split(" ")
    back = float(number.replace(",", "")) * {"ms": 1e-3, "s": 1, "min": 60, "h": 3600, "days": 86400}[unit]
    assert back == pytest.approx(value_s, rel=0.006)


@settings(deadline=None)
@given(
    st.floats(min_value=1, max_value=1e15),
    st.sampled_from(["bytes", "bytes/s", "flops", "w", "s", "ratio", "tokens/s"]),
)
def test_every_unit_is_said(value: float, unit: str) -> None:
    assert any(character.isalpha() or character == "%" for character in with_unit(value, unit))


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("samples_per_s", 0.344, "0.344 samples/s"), ("audio_s_per_s", 32.6, "32.6 s of audio/s"),
        ("hours_per_month", 249.4, "249 h/month"), ("requests_per_day", 1500.0, "1,500 requests/day"),
        ("documents_per_s", 43.5, "43.5 documents/s"), ("months", 33.2, "33.2 months"),
        ("heat_btu_per_hour", 7203.0, "7,203 BTU/h"), ("images_per_s_per_gpu", 2.0, "2 images/s per GPU"),
        ("years", 3, "3 years"),
    ],
)  # fmt: skip
def test_how_many_in_a_time_has_its_unit(field: str, value: float, said: str) -> None:
    assert shown({field: value}) == {field: said}


def test_ends_of_an_interval_share_its_unit() -> None:
    assert shown({"hours_per_month": {"value": 249, "low": 204, "high": 456}}) == {
        "hours_per_month": "249 h/month (204–456)"
    }


def test_figures_of_a_row_are_of_the_quantity_it_names() -> None:
    row = {"name": "tokens_per_s", "seen": 45, "limit": 59.2, "by_person": 100}

    assert shown(row) == {
        "name": "tokens_per_s", "seen": "45 tokens/s", "limit": "59.2 tokens/s", "by_person": "100 tokens/s",
    }  # fmt: skip
    assert shown({"of": "step_s", "seen": 7.5})["seen"] == "7.5 s"
