"""The breaker and the deadline, by a clock of the test's own."""

import threading
import time
from contextvars import ContextVar

import httpx
import pytest

from assistant.llm.provider import Breaker, Deadline, ProviderUnavailable, bounded_client


class Clock:
    """Time that passes when told."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def breaker(clock: Clock) -> Breaker:
    return Breaker(failures_max=3, cool_down_s=10, clock=clock)


def fail(breaker: Breaker, times: int) -> None:
    for _ in range(times):
        assert breaker.allows()
        breaker.failed()


def test_it_opens_after_failures_in_a_row(breaker: Breaker) -> None:
    fail(breaker, 2)
    assert breaker.state == "closed"
    fail(breaker, 1)
    assert breaker.state == "open"
    assert not breaker.allows()


def test_a_success_between_failures_keeps_it_closed(breaker: Breaker) -> None:
    fail(breaker, 2)
    breaker.succeeded()
    fail(breaker, 2)
    assert breaker.state == "closed"


def test_after_the_cool_down_one_call_tries(breaker: Breaker, clock: Clock) -> None:
    fail(breaker, 3)
    clock.now_s = 10
    assert breaker.state == "half_open"
    assert breaker.allows()
    assert not breaker.allows()


def test_a_failed_try_opens_it_for_another_cool_down(breaker: Breaker, clock: Clock) -> None:
    fail(breaker, 3)
    clock.now_s = 10
    fail(breaker, 1)
    clock.now_s = 19
    assert not breaker.allows()
    clock.now_s = 20
    assert breaker.allows()


def test_a_successful_try_closes_it(breaker: Breaker, clock: Clock) -> None:
    fail(breaker, 3)
    clock.now_s = 10
    assert breaker.allows()
    breaker.succeeded()
    assert breaker.state == "closed"
    fail(breaker, 2)
    assert breaker.state == "closed"


def test_a_deadline_returns_what_the_call_returns_and_raises_what_it_raises() -> None:
    deadline = Deadline()
    assert deadline.run(lambda: 3, within_s=5) == 3
    with pytest.raises(ZeroDivisionError):
        deadline.run(lambda: 1 // 0, within_s=5)


def test_a_call_sees_the_callers_context() -> None:
    name: ContextVar[str] = ContextVar("name", default="nobody")
    name.set("the caller")
    assert Deadline().run(name.get, within_s=5) == "the caller"


def test_a_call_that_hangs_is_left_and_its_place_stays_taken_until_it_ends() -> None:
    deadline, ends = Deadline(at_once=1), threading.Event()
    with pytest.raises(ProviderUnavailable, match="out of time"):
        deadline.run(ends.wait, within_s=0.01)
    with pytest.raises(ProviderUnavailable, match="too many"):
        deadline.run(lambda: 3, within_s=5)
    ends.set()
    for thread in threading.enumerate():
        if thread.name == "language-model":
            thread.join(5)
    assert deadline.run(lambda: 3, within_s=5) == 3


def test_no_time_left_asks_nobody() -> None:
    asked = []
    with pytest.raises(ProviderUnavailable):
        Deadline().run(lambda: asked.append(1), within_s=0)
    assert not asked


def test_the_client_is_one_that_closes() -> None:
    client = bounded_client(1.0)
    assert isinstance(client, httpx.Client)
    client.close()


def test_a_request_that_nobody_waits_for_is_not_sent() -> None:
    client, refused, ended = bounded_client(5.0), [], threading.Event()

    def late() -> None:
        time.sleep(0.1)
        with pytest.raises(httpx.ConnectTimeout) as problem:
            client.get("http://127.0.0.1:9/v1")
        refused.append(str(problem.value))
        ended.set()

    with pytest.raises(ProviderUnavailable, match="out of time"):
        Deadline().run(late, within_s=0.05)
    assert ended.wait(5)
    assert refused == ["nobody waits for this request any more"]
    client.close()
