"""Few turns are worked out at once, and nobody is let in who would wait too long."""

import threading

import pytest

from assistant.line import IN_VAIN_MOST, IN_VAIN_PER_S, SHORT_LINE, Bucket, Line
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


def test_one_long_turn_holds_up_no_more_than_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line is judged by how fast all places together empty it, not by the slowest of them."""
    line, now = Line(places=2, usual_s=0.1), 100.0
    monkeypatch.setattr("assistant.line.time.monotonic", lambda: now)
    with line.place():
        now = 103.0
        with line.place():
            waiting(line, SHORT_LINE)
            assert line.too_long_s(0.35) is None
            now = 105.0
            assert line.too_long_s(0.35) == pytest.approx((SHORT_LINE + 1) / (1 / 5 + 1 / 2))


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


def test_whoever_came_first_goes_first() -> None:
    line, order = Line(places=1), []
    threads = []

    def work(number: int) -> None:
        with line.place():
            order.append(number)

    with line.place():
        for number in range(20):
            threads.append(threading.Thread(target=work, args=(number,)))
            threads[-1].start()
            while line.waiting <= number:
                threading.Event().wait(0.001)
    for thread in threads:
        thread.join()
    assert order == list(range(20))
    assert line.held == 0


def test_a_turn_that_fails_gives_its_place_to_the_next() -> None:
    line, others = Line(places=1), []

    def fails() -> None:
        with line.place():
            others.extend(waiting(line, 1))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    others[0].join(10)
    assert (others[0].is_alive(), line.waiting) == (False, 0)


def test_what_is_read_in_vain_is_bounded_and_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("assistant.line.time.monotonic", lambda: now)
    line = Line(places=1, usual_s=2.0)
    with line.place():
        waiting(line, SHORT_LINE)
        read = 0
        while line.reads(0):
            with pytest.raises(Overloaded), line.place(patience_s=0.5):
                pass
            read += 1
        assert read == IN_VAIN_MOST
        assert not line.reads(0)
        now += 1.0
        assert line.reads(int(IN_VAIN_PER_S) - 1)
        assert not line.reads(int(IN_VAIN_PER_S))


def test_those_on_their_way_are_reckoned_with() -> None:
    line = Line(places=1, usual_s=1.0)
    with line.place():
        assert line.too_long_s(0.5) is None
        assert line.too_long_s(0.5, coming=SHORT_LINE) == SHORT_LINE + 1
        assert line.too_long_s(100.0, coming=SHORT_LINE) is None


def test_a_bucket_holds_no_more_than_it_may_and_refuses_without_counting(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("assistant.line.time.monotonic", lambda: now)
    bucket = Bucket(per_s=2.0, most=3.0)
    now = 1000.0
    assert [bucket.take() for _ in range(5)] == [True] * 3 + [False] * 2
    now = 1000.5
    assert [bucket.take() for _ in range(2)] == [True, False]
