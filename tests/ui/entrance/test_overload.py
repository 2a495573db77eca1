"""When more is asked than can be worked out, refusing costs next to nothing and is told in full."""

import asyncio
import json
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from assistant.agent import Advisor
from assistant.line import PLACES, SHORT_LINE, Line
from ui.entrance.door import ASKING, SINGLE, Door
from ui.entrance.headers import HEADERS
from ui.entrance.hold import HELD_S, LATEST_S, SOONEST_S, Hold
from ui.entrance.limits import Bounded


class Full(Line):
    """A line that is too long for anybody, and where nothing more may be read."""

    def too_long_s(self, patience_s: float, coming: float = 0) -> float | None:
        """Always."""
        return 9.0

    def reads(self, coming: float) -> bool:
        """Never."""
        return False


async def asked(app: Callable[..., Awaitable[None]], path: str = "/v1/ask", **more: Any) -> list[Message]:
    """What comes back."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        raise AssertionError("a refused question is not read")

    await app({"type": "http", "method": "POST", "path": path, "headers": [], **more}, receive, send)
    return sent


async def forbidden(scope: Scope, receive: Receive, send: Send) -> None:
    raise AssertionError("nobody gets in")


@pytest.mark.parametrize("path", sorted(ASKING))
def test_a_refusal_is_a_problem_document_that_says_when_to_come_again(path: str) -> None:
    start, body = asyncio.run(asked(Door(forbidden, Full()), path))
    headers = {name.decode(): value.decode() for name, value in start["headers"]}
    told = json.loads(body["body"])
    assert (start["status"], told["status"], told["title"]) == (503, 503, "busy")
    assert SOONEST_S <= int(headers["retry-after"]) <= LATEST_S
    assert int(headers["content-length"]) == len(body["body"])
    assert headers["content-type"] == "application/problem+json"
    assert headers.keys() >= {name.lower() for name in HEADERS}
    assert len(headers["x-request-id"]) == 32
    assert ("error" in told) == path.startswith("/v1/chat")


def test_a_refusal_is_in_the_language_of_who_asks() -> None:
    async def told(language: bytes) -> str:
        _, body = await asked(Door(forbidden, Full()), headers=[(b"accept-language", language)])
        return str(json.loads(body["body"])["detail"])

    assert asyncio.run(told(b"en")) != asyncio.run(told(b"zh-CN,en;q=0.5"))


@pytest.mark.parametrize("path", ["/v1/tools/estimate_memory", "/healthz", "/v1/kb/check", "/"])
def test_what_asks_no_question_passes_a_full_line(path: str) -> None:
    passed = []

    async def inner(scope: Scope, receive: Receive, send: Send) -> None:
        passed.append(scope["path"])

    asyncio.run(asked(Door(inner, Full()), path))
    assert passed == [path]


def test_a_crowd_that_is_being_read_counts_as_waiting() -> None:
    """Before the first is in line, the rest must not all be let in on the strength of an empty one."""
    line, inside, most = Line(places=1, usual_s=5.0), 0, 0

    async def crowd() -> list[list[Message]]:
        leave = asyncio.Event()

        async def reading(scope: Scope, receive: Receive, send: Send) -> None:
            nonlocal inside, most
            inside += 1
            most = max(most, inside)
            await leave.wait()
            inside -= 1
            await send({"type": "http.response.start", "status": 200, "headers": []})

        door = Door(reading, line)
        coming = [asyncio.create_task(asked(door)) for _ in range(200)]
        await asyncio.sleep(0.1)
        leave.set()
        return await asyncio.gather(*coming)

    found = asyncio.run(crowd())
    let_in = sum(messages[0]["status"] == 200 for messages in found)
    assert most == let_in
    assert SHORT_LINE <= let_in <= SHORT_LINE + 33
    assert line.held == 0


def test_a_crowd_that_is_answered_from_memory_is_not_taken_for_one_that_waits() -> None:
    line = Line(places=1, usual_s=5.0)

    async def crowd() -> list[list[Message]]:
        async def remembered(scope: Scope, receive: Receive, send: Send) -> None:
            await asyncio.sleep(0.001)
            await send({"type": "http.response.start", "status": 200, "headers": []})

        door = Door(remembered, line)
        for _ in range(100):
            await asked(door)
        return await asyncio.gather(*(asked(door) for _ in range(200)))

    assert {messages[0]["status"] for messages in asyncio.run(crowd())} == {200}


def test_those_who_wait_for_the_turn_of_another_lengthen_no_line() -> None:
    line = Line(places=1, usual_s=5.0)
    line.same.following = 100

    async def crowd() -> list[list[Message]]:
        leave = asyncio.Event()

        async def following(scope: Scope, receive: Receive, send: Send) -> None:
            await leave.wait()
            await send({"type": "http.response.start", "status": 200, "headers": []})

        door = Door(following, line)
        door._inside = 100
        coming = asyncio.create_task(asked(door))
        await asyncio.sleep(0.01)
        leave.set()
        return [await coming]

    assert asyncio.run(crowd())[0][0]["status"] == 200


def test_no_more_are_inside_than_can_be_answered_soon_even_from_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ui.entrance.door.MOST_INSIDE", 3)

    async def crowd() -> list[int]:
        leave = asyncio.Event()

        async def slow(scope: Scope, receive: Receive, send: Send) -> None:
            await leave.wait()
            await send({"type": "http.response.start", "status": 200, "headers": []})

        door = Door(slow, Line())
        door._share = 0.0
        coming = [asyncio.create_task(asked(door)) for _ in range(5)]
        await asyncio.sleep(0.01)
        leave.set()
        return sorted([(await one)[0]["status"] for one in coming])

    assert asyncio.run(crowd()) == [200, 200, 200, 503, 503]


def test_few_refusals_go_at_once_and_many_are_held_and_spread() -> None:
    async def refused(count: int) -> tuple[int, list[float], set[int]]:
        hold, loop = Hold(per_s=10, held_s=0.2), asyncio.get_running_loop()
        started, took, again = loop.time(), [], set()

        async def one() -> None:
            await hold.breathe()
            took.append(loop.time() - started)
            again.add(hold.again_s())

        tasks = [asyncio.create_task(one()) for _ in range(count)]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        held = hold.held
        await asyncio.gather(*tasks)
        return held, took, again

    held, took, again = asyncio.run(refused(5))
    assert (held, again) == (0, {SOONEST_S})
    held, took, again = asyncio.run(refused(300))
    assert held == 290
    assert sum(one >= 0.1 for one in took) == 290
    assert len(again) > 5
    assert all(SOONEST_S <= one <= LATEST_S for one in again)


def test_no_more_are_held_than_memory_allows() -> None:
    async def refused() -> int:
        hold = Hold(per_s=1, held_s=HELD_S, most=3)
        tasks = [asyncio.create_task(hold.breathe()) for _ in range(10)]
        await asyncio.sleep(0.05)
        done = sum(task.done() for task in tasks)
        for task in tasks:
            task.cancel()
        return done

    assert asyncio.run(refused()) == 7


def test_requests_beyond_the_bound_are_told_when_to_come_again() -> None:
    start, _ = asyncio.run(asked(Bounded(forbidden, most=0), "/v1/tools/estimate_memory"))
    headers = dict(start["headers"])
    assert start["status"] == 503
    assert int(headers[b"retry-after"]) == SOONEST_S


def test_what_is_bounded_elsewhere_is_not_counted_twice() -> None:
    passed = []

    async def inner(scope: Scope, receive: Receive, send: Send) -> None:
        passed.append(scope["path"])

    asyncio.run(asked(Bounded(inner, most=0, beside=SINGLE), "/v1/ask"))
    asyncio.run(asked(Bounded(inner, most=0, beside=SINGLE), "/v1/ask/batch"))
    assert passed == ["/v1/ask"]


def test_the_site_refuses_at_the_door_what_would_wait_and_answers_what_it_remembers(
    site: TestClient, advisor: Advisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = {"question": "Does the RTX A5000 support NVLink?"}
    assert site.post("/v1/ask", json=question).status_code == 200
    with monkeypatch.context() as full:
        full.setattr(advisor.line, "_usual_s", 60.0)
        full.setattr(advisor.line, "_waiting", deque(threading.Lock() for _ in range(SHORT_LINE)))
        full.setattr(advisor.line, "_began", {threading.Lock(): time.monotonic() for _ in range(PLACES)})
        assert site.post("/v1/ask", json=question).status_code == 200
        fresh = site.post("/v1/ask", json={"question": "Does the RTX A4500 support NVLink?"})
        assert (fresh.status_code, fresh.json()["title"]) == (503, "busy")
        assert int(fresh.headers["retry-after"]) >= SOONEST_S
    assert site.post("/v1/ask", json={"question": "Does the RTX A4000 support NVLink?"}).status_code == 200
