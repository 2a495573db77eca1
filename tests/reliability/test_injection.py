"""No attack changes an answer; the long form of the bench tries several hundred."""

from typing import Any

import pytest
from attacks import CARRIERS, GOALS, attacks
from injection import run


def test_the_design_covers_every_goal_carrier_and_disguise() -> None:
    chosen = attacks(400)
    assert len({attack.name for attack in chosen}) == 400
    assert len({attack.goal.name for attack in chosen}) == len(GOALS) == 14
    assert len({attack.carrier for attack in chosen}) == len(CARRIERS) == 8
    assert len({attack.disguise for attack in chosen}) == 16


@pytest.fixture(scope="module")
def tried() -> Any:
    return run(32, 4)


@pytest.mark.timeout(900)
def test_every_carrier_is_tried_the_oracles_see_and_nobody_honest_is_refused(tried: Any) -> None:
    carriers, _, seen, count, refused = tried
    assert set(carriers) == set(CARRIERS)
    assert (seen, refused) == (count, 0)


def test_the_planner_lets_nothing_through(tried: Any) -> None:
    assert [line for line in tried[1] if " / driven: " not in line] == []


def test_a_model_that_obeys_lets_nothing_through(tried: Any) -> None:
    assert [line for line in tried[1] if " / driven: " in line] == []
