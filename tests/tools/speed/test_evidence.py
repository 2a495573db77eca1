"""Measured rows and what they do to an estimate."""

import json
import math

import pytest

from kb.catalog import gpus
from kb.constants.measured_speed import MeasuredSpeed, measured_speeds
from kb.constants.speed_constants import constants, speed_sources
from tools.speed.evidence import COUNTED, COUNTED_ELSE, Case, corrected, is_time, row_case
from tools.speed.layout import best_pace
from tools.speed.request import InferenceSpeedRequest
from tools.speed.work import work_of

FIELDS = {
    "time_per_output_token_s": "output_token_s",
    "tokens_per_s_per_user": "per_user",
    "tokens_per_s_total": "total",
    "prefill_tokens_per_s": "prompt_rate",
    "time_to_first_token_s": "first_token_s",
}
ROWS = measured_speeds()


def distance(one: Case, other: Case, kind: str = "decode") -> float:
    """The distance of two cases written out, beside the one over whole columns."""
    apart = 0.0
    if one.model != other.model:
        apart += 0.6 * (one.moe != other.moe) + min(0.5 + 0.25 * abs(one.active - other.active), 1.5)
    if one.gpu != other.gpu:
        apart += 0.5 if one.architecture == other.architecture else 1.0
    apart += 0.6 * (one.format != other.format) + 0.6 * (one.engine != other.engine)
    loads = zip(("cards", "sequences", "input", "output"), COUNTED.get(kind, COUNTED_ELSE), strict=True)
    return apart + sum(weight * abs(getattr(one, name) - getattr(other, name)) for name, weight in loads)


def test_every_row_names_a_card_a_source_and_positive_figures() -> None:
    assert len({row.id for row in ROWS}) == len(ROWS) > 700
    for row in ROWS:
        assert row.gpu in gpus(), row.id
        assert row.source in speed_sources(), row.id
        assert min(row.value, row.estimate) > 0, row.id


def test_a_doubted_row_corrects_no_estimate_and_is_not_shown() -> None:
    doubted = [row for row in ROWS if row.doubt]
    assert doubted
    for row in doubted:
        assert row.id not in {one.id for one in corrected(row_case(row), row.kind).evidence}


@pytest.mark.parametrize("row", [row for row in ROWS if row.measure in FIELDS][::12], ids=lambda row: row.id)
def test_the_formula_beside_a_measurement_is_current(row: MeasuredSpeed) -> None:
    request = InferenceSpeedRequest.model_validate(json.loads(row.request))
    found = best_pace(work_of(request)[0], request)
    assert getattr(found, FIELDS[row.measure]) == pytest.approx(row.estimate, rel=1e-3)


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row.kind in ("decode", "training")][::97], ids=lambda row: row.id
)
@pytest.mark.parametrize("longer", [0.0, 0.7])
def test_a_correction_is_the_weighted_mean_of_what_near_rows_say(row: MeasuredSpeed, longer: float) -> None:
    """The sum written out row by row, beside the one over whole columns."""
    asked = row_case(row)
    asked = asked._replace(input=asked.input + longer)
    settings = constants().neighbours
    total = shift = 0.0
    apart = {}
    for other in (other for other in ROWS if other.kind == row.kind and other.id != row.id and not other.doubt):
        if (far := distance(asked, row_case(other), row.kind)) < 2.0:
            slower = other.value / other.estimate
            away = math.log(slower if is_time(other.measure) else 1 / slower)
            total, shift = total + math.exp(-far / settings.scale), shift + away * math.exp(-far / settings.scale)
            apart[other.id] = far
    found = corrected(asked, row.kind, settings, skip=frozenset({row.id}))
    assert found.factor == pytest.approx(math.exp(shift / (total + settings.nugget)), rel=1e-9)
    assert found.weight == pytest.approx(total / (total + settings.nugget), rel=1e-9)
    nearest = [one.distance for one in found.evidence]
    assert nearest == pytest.approx(sorted(apart.values())[:5], abs=1e-3)


def test_far_from_everything_the_formula_stands_alone() -> None:
    case = row_case(ROWS[0])._replace(model="new", gpu="new", architecture="new", format="fp64", engine="new")
    found = corrected(case, "decode")
    assert found.factor == pytest.approx(1.0, abs=0.01)
    assert found.label == "formula"


def test_a_row_moves_its_own_case_towards_what_was_measured() -> None:
    row = next(
        row for row in ROWS if row.kind == "decode" and row.measure.endswith("user") and row.value > 1.1 * row.estimate
    )
    found = corrected(row_case(row), "decode")
    assert found.factor < 1
    without = corrected(row_case(row), "decode", skip=frozenset({row.id}))
    assert row.id not in {shown.id for shown in without.evidence}


def test_intervals_cover_about_nine_tenths_of_what_was_measured() -> None:
    """By the formula alone, every class of serving taken together."""
    covered = counted = 0
    classes = constants().intervals.classes
    for row in ROWS:
        if row.kind != "decode":
            continue
        kind = "single" if row.sequences == 1 else "saturated" if row.sequences > 200 else "moe" if row.moe else "dense"
        ratio = max(row.value / row.estimate, row.estimate / row.value)
        covered += ratio <= classes[kind].up_ratio
        counted += 1
    assert 0.88 <= covered / counted <= 0.97
