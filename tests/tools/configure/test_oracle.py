"""The search against nested loops that know nothing of its streams, bounds and caches."""

import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
from configure_oracle import disagreement, random_need, rows_of

NEEDS = 25


@pytest.mark.parametrize("seed", range(NEEDS))
def test_nested_loops_find_the_same_cheapest_and_the_same_frontier(seed: int) -> None:
    assert disagreement(random_need(random.Random(seed))) is None


def test_the_loops_find_something_in_most_of_those_needs() -> None:
    """Otherwise the agreement would be about nothing."""
    answered = sum(bool(rows_of(random_need(random.Random(seed)))) for seed in range(NEEDS))
    assert answered >= NEEDS / 2
