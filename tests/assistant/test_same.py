"""Who asks what is being worked out waits for that answer; nobody waits for anything else."""

import threading
from collections.abc import Callable

import pytest

from assistant.same import Same


def spun(count: int, work: Callable[[int], None]) -> list[threading.Thread]:
    """So many threads, each with its number."""
    threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(count)]
    for thread in threads:
        thread.start()
    return threads


def until(condition: Callable[[], bool]) -> None:
    for _ in range(10_000):
        if condition():
            return
        threading.Event().wait(0.001)
    raise AssertionError("it never came to that")


def test_who_asks_the_same_waits_for_the_first_and_then_all_go_on_at_once() -> None:
    same, inside = Same(), []
    at_once = threading.Barrier(6)

    def follow(number: int) -> None:
        with same.turn("same"):
            inside.append(number)
            at_once.wait(10)

    with same.turn("same"):
        threads = spun(5, follow)
        until(lambda: same.following == 5)
        assert inside == []
    at_once.wait(10)
    for thread in threads:
        thread.join(10)
    assert (sorted(inside), same.following) == ([0, 1, 2, 3, 4], 0)


def test_who_asks_something_else_waits_for_nobody() -> None:
    same, done = Same(), threading.Event()

    def other(_: int) -> None:
        with same.turn("other"):
            done.set()

    with same.turn("one"):
        spun(1, other)
        assert done.wait(10)


def test_where_the_first_fails_the_others_go_on() -> None:
    same, done = Same(), threading.Event()

    def follow(_: int) -> None:
        with same.turn("same"):
            done.set()

    def fails() -> None:
        with same.turn("same"):
            spun(1, follow)
            until(lambda: same.following == 1)
            raise ValueError("on purpose")

    with pytest.raises(ValueError, match="on purpose"):
        fails()
    assert done.wait(10)
    with same.turn("same"):
        assert same.following == 0


def test_nobody_waits_for_ever() -> None:
    same, done = Same(longest_wait_s=0.01), threading.Event()

    def follow(_: int) -> None:
        with same.turn("same"):
            done.set()

    with same.turn("same"):
        spun(1, follow)
        assert done.wait(10)
        assert same.following == 0
