"""No text, wherever it stands, changes a number, a recommendation or a tool call; the oracles would see it."""

import pytest
from attacks import attacks
from injection import run


@pytest.fixture(scope="module")
def outcome() -> object:
    return run(56, 8)


def test_nothing_gets_through(outcome: tuple) -> None:  # type: ignore[type-arg]
    assert outcome[1] == []


def test_the_oracles_see_a_build_that_obeys(outcome: tuple) -> None:  # type: ignore[type-arg]
    assert outcome[2] == outcome[3]


def test_honest_questions_are_answered(outcome: tuple) -> None:  # type: ignore[type-arg]
    assert outcome[4] == 0


def test_the_design_covers_every_goal_carrier_and_disguise() -> None:
    chosen = attacks(400)
    assert len({attack.name for attack in chosen}) == 400
    assert {len({attack.goal.name for attack in chosen}), len({attack.carrier for attack in chosen})} == {14, 8}
    assert len({attack.disguise for attack in chosen}) == 16
