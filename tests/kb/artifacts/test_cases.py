"""Artifacts rebuilt from public threads, and every fact that must be read of them."""

import pytest
from artifact_cases import cases, outcome

CASES = [*cases("seen"), *cases("mended")]


@pytest.mark.parametrize("case", CASES, ids=[one["id"] for one in CASES])
def test_every_fact_of_an_artifact_is_read(case: dict[str, object]) -> None:
    found = outcome(case)
    assert found.kind_right
    assert found.missed == []
