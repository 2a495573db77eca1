"""Artifacts rebuilt from public threads: what is read of those fitted to, and of those left out."""

import pytest
from artifact_cases import cases, outcome

SEEN, LEFT_OUT = [*cases("seen"), *cases("mended")], cases("left_out")
LEFT_OUT_LEAST = 0.9
"""Share of the facts of sources left out that must be right."""


@pytest.mark.parametrize("case", SEEN, ids=[one["id"] for one in SEEN])
def test_every_fact_of_an_artifact_is_read(case: dict[str, object]) -> None:
    found = outcome(case)
    assert found.kind_right
    assert (found.missed, found.wrong) == ([], [])


def test_most_facts_of_sources_left_out_are_read() -> None:
    every = [outcome(case) for case in LEFT_OUT]
    assert sum(one.right for one in every) / sum(one.expected for one in every) >= LEFT_OUT_LEAST
