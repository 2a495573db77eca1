"""What people saw in public threads, and what it was: verdicts and causes of `tests/cases/observations.yaml`."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tools.observation import explain_observation
from tools.observation.request import ObservationRequest
from tools.observation.result import Explanation

CASES = yaml.safe_load((Path(__file__).parents[2] / "cases" / "observations.yaml").read_text(encoding="utf-8"))
LEADING = 3


def explained(**fields: Any) -> Explanation:
    return explain_observation(ObservationRequest.model_validate(fields))


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_what_was_seen_is_judged_and_explained_as_it_was_resolved(case: dict[str, Any]) -> None:
    found = explained(**case["request"])
    names = [cause.id for cause in found.causes]
    assert (found.answer.of, found.answer.verdict) == (case.get("of"), case.get("verdict"))
    if "first" in case:
        assert names[0] == case["first"]
    for name in case.get("among", ()):
        assert name in names[:LEADING]
    if "binds" in case:
        assert found.binds == case["binds"]


def test_every_case_says_where_it_is_from() -> None:
    assert len(CASES) >= 25
    assert all(case["url"].startswith("https://") and case["told"] for case in CASES)
