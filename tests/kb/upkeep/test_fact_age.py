"""How old facts are: counted from the first day that a date may mean."""

from datetime import date

import pytest

from kb.programs import package_index
from kb.upkeep.fact_age import age, ages, earliest, newest_releases, newest_rows

TODAY = date(2026, 11, 27)


def test_a_year_is_as_old_as_it_may_be() -> None:
    assert earliest("2026") == date(2026, 1, 1)
    assert earliest("2026-03") == date(2026, 3, 1)
    assert age("rents", ["2026", "2026-11-20"], TODAY).newest == "2026-11-20"


def test_shares_are_of_all_readings() -> None:
    told = age("rents", ["2026-11-20", "2026-10-01", "2025-01-01", None], TODAY)
    assert (told.rows, told.undated, told.older) == (4, 1, (2, 1, 1))
    assert " 50% > 30 d" in told.told()


def test_rents_are_told_by_country() -> None:
    tables = [one.table for one in ages(TODAY)]
    assert tables[0] == "rents"
    assert "rents, CN" in tables


def test_a_release_is_held_against_the_index() -> None:
    lines = newest_releases({"vllm": "99.0.1"})
    assert any(line.startswith("vllm") and line.endswith("the index has 99.0.1") for line in lines)
    assert any(line.startswith("pytorch") and "index" not in line for line in lines)


def test_an_index_that_does_not_answer_is_left_out() -> None:
    assert package_index.newest_of_index("http://127.0.0.1:9", 0.2) == {}


def test_the_newest_card_can_be_bought() -> None:
    assert "MI430X" not in newest_rows()[1]


@pytest.mark.parametrize("when", ["soon", "2026-13"])
def test_no_date_is_none(when: str) -> None:
    with pytest.raises(ValueError, match=r"date|month|isoformat"):
        earliest(when)
