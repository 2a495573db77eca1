"""Few turns are worked out at once, and nobody is let in who would wait too long."""

import threading

import pytest

from assistant.line import SHORT_LINE, Line
from kb.base import Overloaded


def waiting(line: Line, count: int) -> list[threading.Thread]:
    """So many that wait in line."""
    threads = [threading.Thread(target=lambda: line.place().__enter__(), daemon=True) for _ in range(count)]
    for thread in threads:
        thread.start()
    while line.waiting < count:
        threading.Event().wait(0.001)
    return threads


def test_no_more_than_the_places_work_at_once() -> None:
    line, most, now, access = Line(places=2), 0, 0, threading.Lock()

    def work() -> None:
        nonlocal most, now
        with line.place():
            with access:
                now += 1
                most = max(most, now)
            threading.Event().wait(0.002)
            with access:
                now -= 1

    threads = [threading.Thread(target=work) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 2


def test_a_long_wait_is_refused_at_once_and_a_patient_one_is_not() -> None:
    line = Line(places=1, usual_s=2.0)
    with line.place():
        waiting(line, SHORT_LINE)
        with pytest.raises(Overloaded) as refusal, line.place(patience_s=0.5):
            pass
        assert refusal.value.wait_s == 2.0 * (SHORT_LINE + 1)
        waiting_more = threading.Thread(target=lambda: line.place().__enter__(), daemon=True)
        waiting_more.start()
        while line.waiting < SHORT_LINE + 1:
            threading.Event().wait(0.001)


def test_a_turn_that_takes_long_is_reckoned_with_before_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    line, now = Line(places=1, usual_s=0.01), 100.0
    monkeypatch.setattr("assistant.line.time.monotonic", lambda: now)
    with line.place():
        waiting(line, SHORT_LINE)
        now = 130.0
        with pytest.raises(Overloaded) as refusal, line.place(patience_s=1.0):
            pass
        assert refusal.value.wait_s == 30.0 * (SHORT_LINE + 1)


def test_a_short_line_refuses_nobody() -> None:
    line = Line(places=1, usual_s=60.0)
    entered = threading.Event()

    def impatient() -> None:
        with line.place(patience_s=0.001):
            entered.set()

    with line.place():
        threading.Thread(target=impatient, daemon=True).start()
        while not line.waiting:
            threading.Event().wait(0.001)
    assert entered.wait(10)


def test_who_fails_leaves_the_place_free() -> None:
    line = Line(places=1)
    for _ in range(3):
        with pytest.raises(ValueError, match="inside"), line.place():
            raise ValueError("inside")
    with line.place():
        pass
