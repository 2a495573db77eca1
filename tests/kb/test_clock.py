"""The day it is, read in one place."""

import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, date

import pytest
from pydantic import ValidationError

from kb import clock
from kb.child import environment
from kb.settings import settings


def test_the_day_is_the_one_that_is_set(on_day: Callable[[str], None]) -> None:
    on_day("2031-05-06")
    assert clock.today() == date(2031, 5, 6)
    assert (clock.now().date(), clock.now().tzinfo) == (date(2031, 5, 6), UTC)


def test_without_a_day_set_it_is_the_one_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GPU_ADVISOR_TODAY")
    settings.cache_clear()
    before = clock.now()
    assert before.date() <= clock.today() <= clock.now().date()


def test_a_process_that_a_test_starts_has_the_same_day(on_day: Callable[[str], None]) -> None:
    on_day("2031-05-06")
    command = [sys.executable, "-c", "from kb import clock; print(clock.today())"]
    told = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "2031-05-06"


@pytest.mark.parametrize("said", ["tomorrow", "2031-02-30", "2031"])
def test_what_is_no_day_is_refused(said: str, on_day: Callable[[str], None]) -> None:
    on_day(said)
    with pytest.raises(ValidationError, match="today"):
        clock.today()
