"""A language model that fails in any way changes no number of any answer; what holds beside what does not stands."""

import pytest
from faults import REQUESTS_MAX, Outcome, run
from provider import CUT, FAULTS

Result = tuple[list[Outcome], int, float]


@pytest.fixture(scope="module")
def result() -> Result:
    quick = [name for name in FAULTS if "hang" not in name and "retry" not in name and "byte" not in name]
    return run(1, [*quick, *CUT])


def test_every_turn_is_the_planners_or_less_what_does_not_hold_and_nothing_leaks(result: Result) -> None:
    assert [one for one in result[0] if one.right != one.asked or one.told != one.asked or one.leaked] == []


def test_no_turn_asks_more_often_than_it_may(result: Result) -> None:
    asked = {one.mode: one.requests for one in result[0]}
    assert max(asked.values()) <= REQUESTS_MAX
    assert {asked[mode] for mode in CUT} == {4}, "one call, an answer, two repairs"
    assert asked["the same call for ever"] == REQUESTS_MAX


def test_an_open_breaker_asks_nobody(result: Result) -> None:
    assert result[1] == 0
