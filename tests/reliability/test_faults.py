"""A language model that fails in any way changes no number of any answer."""

import pytest
from faults import run
from provider import FAULTS


@pytest.fixture(scope="module")
def result() -> object:
    quick = [name for name in FAULTS if "hang" not in name and "retry" not in name and "byte" not in name]
    return run(1, quick)


def test_every_turn_is_the_planners_and_nothing_leaks(result: tuple[list, int, float]) -> None:  # type: ignore[type-arg]
    wrong = [one.mode for one in result[0] if one.equal != one.asked or one.degraded != one.asked or one.leaked]
    assert wrong == []


def test_an_open_breaker_asks_nobody(result: tuple[list, int, float]) -> None:  # type: ignore[type-arg]
    assert result[1] == 0
