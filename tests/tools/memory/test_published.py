"""The calculator against published measurements: error by class, no bias, coverage of the interval."""

import sys
from pathlib import Path
from statistics import fmean, median

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
from published import Score, p90, runs, score


@pytest.fixture(scope="module")
def scores() -> list[Score]:
    return [score(run) for run in runs() if not run.capped]


@pytest.mark.parametrize(
    ("kind", "middle", "worst"),
    [
        pytest.param("weights", 0.01, 0.17, id="weights"),
        pytest.param("kv_cache", 0.01, 0.02, id="kv-cache"),
        pytest.param("inference_peak", 0.04, 0.15, id="inference"),
        pytest.param("lora", 0.07, 0.15, id="lora"),
        pytest.param("qlora", 0.07, 0.2, id="qlora"),
        pytest.param("full_finetune", 0.09, 0.22, id="full-fine-tuning"),
        pytest.param("diffusion", 0.1, 0.2, id="diffusion"),
        pytest.param("engine_overhead", 0.05, 0.25, id="engine-overhead"),
    ],
)
def test_error_stays_within_the_limits_of_its_class(
    scores: list[Score], kind: str, middle: float, worst: float
) -> None:
    errors = [row.error for row in scores if row.run.kind == kind]
    assert errors
    assert median(map(abs, errors)) <= middle
    assert p90(errors) <= worst


@pytest.mark.parametrize("kind", ["weights", "kv_cache", "inference_peak", "lora", "qlora", "full_finetune"])
def test_no_class_is_biased(scores: list[Score], kind: str) -> None:
    assert abs(fmean(row.error for row in scores if row.run.kind == kind)) <= 0.04


def test_interval_covers_about_nine_in_ten(scores: list[Score]) -> None:
    covered = [row.covered for row in scores if row.covered is not None]
    assert len(covered) > 90
    assert 0.88 <= fmean(covered) <= 0.97


def test_interval_is_narrow(scores: list[Score]) -> None:
    assert median(row.half_width for row in scores if row.covered is not None) <= 0.15
