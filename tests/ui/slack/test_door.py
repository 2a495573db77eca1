"""What comes through the door over HTTP: only what Slack signed within five minutes, each thing once, at once."""

import json
import random
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fake_slack import SECRET, FakeSlack, as_form, signed, spoken
from hypothesis import given
from hypothesis import strategies as st
from scripted_advisor import Scripted
from slack_workspace import Workspace
from starlette.testclient import TestClient

from assistant.agent import Advisor, Step
from ui.slack.face import Face
from ui.slack.gate import WINDOW_S, Reply, door, genuine
from ui.slack.inbox import Inbox, Job
from ui.slack.serve import application

BODY = json.dumps(spoken(1, "<@U0BOT> Does the RTX 6000 Ada support NVLink?")).encode()


@pytest.fixture
def taken() -> list[str]:
    return []


@pytest.fixture
def client(taken: list[str]) -> TestClient:
    def take(body: str, headers: Any) -> Reply:
        taken.append(body)
        return Reply()

    return TestClient(door(SECRET, take))


SIGNED = signed(BODY)
FORGED: dict[str, tuple[bytes, dict[str, str]]] = {
    "no-signature": (BODY, {}),
    "no-timestamp": (BODY, {"X-Slack-Signature": signed(BODY)["X-Slack-Signature"]}),
    "another-secret": (BODY, signed(BODY, "another secret")),
    "another-body": (BODY + b" ", signed(BODY)),
    "too-old": (BODY, signed(BODY, at_s=time.time() - WINDOW_S - 3600)),
    "from-the-future": (BODY, signed(BODY, at_s=time.time() + WINDOW_S + 3600)),
    "timestamp-no-number": (BODY, signed(BODY) | {"X-Slack-Request-Timestamp": "soon"}),
    "timestamp-float": (BODY, signed(BODY) | {"X-Slack-Request-Timestamp": "1764000000.5"}),
    "timestamp-huge": (BODY, signed(BODY) | {"X-Slack-Request-Timestamp": "9" * 5000}),
    "timestamp-negative": (BODY, signed(BODY) | {"X-Slack-Request-Timestamp": "-1"}),
    "timestamp-empty": (BODY, signed(BODY) | {"X-Slack-Request-Timestamp": ""}),
    "signature-empty": (BODY, signed(BODY) | {"X-Slack-Signature": ""}),
    "signature-short": (BODY, signed(BODY) | {"X-Slack-Signature": "v0=abc"}),
    "signature-other-version": (
        BODY,
        {**SIGNED, "X-Slack-Signature": "v1" + SIGNED["X-Slack-Signature"][2:]},
    ),
    "signature-upper-case": (BODY, {**SIGNED, "X-Slack-Signature": SIGNED["X-Slack-Signature"].upper()}),
}


@pytest.mark.parametrize("name", FORGED)
def test_forged_request_is_refused_and_reaches_nothing(client: TestClient, taken: list[str], name: str) -> None:
    body, headers = FORGED[name]
    assert client.post("/", content=body, headers={"Content-Type": "application/json", **headers}).status_code == 401
    assert taken == []


def test_signature_of_other_letters_is_refused(client: TestClient, taken: list[str]) -> None:
    headers = [(b"x-slack-signature", "v0=é".encode()), (b"x-slack-request-timestamp", b"1")]
    assert client.post("/", content=BODY, headers=headers).status_code == 401
    doubled = [(name.encode(), value.encode()) for name, value in signed(BODY).items()] * 2
    assert client.post("/", content=BODY, headers=doubled).status_code == 401
    assert taken == []


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"null", b"{", b"\xff\xfe{}", b'"text"', b"[" * 100_000, b"plain words"],
    ids=["empty", "array", "null", "torn", "not-utf-8", "string", "deep", "words"],
)
def test_signed_nonsense_is_refused(client: TestClient, taken: list[str], body: bytes) -> None:
    assert client.post("/", content=body, headers=signed(body)).status_code == 400
    assert taken == []


def test_other_methods_and_large_bodies_are_refused(client: TestClient, taken: list[str]) -> None:
    assert client.get("/").status_code == 405
    large = b'{"a": "' + b"x" * 2_000_000 + b'"}'
    assert client.post("/", content=large, headers=signed(large)).status_code == 413
    assert taken == []


def test_signed_request_comes_through_once_at_each_end_of_the_window(taken: list[str]) -> None:
    now = 1_764_000_000.0
    for shift, status in ((-WINDOW_S, 200), (WINDOW_S, 200), (-WINDOW_S - 1, 401), (WINDOW_S + 1, 401)):
        client = TestClient(door(SECRET, lambda body, headers: Reply(), lambda: now))
        given_ = {"Content-Type": "application/json", **signed(BODY, at_s=now + shift)}
        assert client.post("/", content=BODY, headers=given_).status_code == status


@given(st.binary(max_size=60), st.binary(max_size=80), st.binary(max_size=80))
def test_nothing_but_the_right_signature_is_genuine(timestamp: bytes, signature: bytes, body: bytes) -> None:
    assert not genuine(SECRET, timestamp, signature, body, 1_764_000_000.0)


def test_failure_to_keep_a_delivery_asks_slack_to_come_again() -> None:
    def full(body: str, headers: Any) -> Reply:
        raise OSError("disk full")

    answer = TestClient(door(SECRET, full)).post("/", content=BODY, headers=signed(BODY))
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")


def test_url_verification_and_unknown_events_are_acknowledged(workspace: Workspace, slack: FakeSlack) -> None:
    asked = json.dumps({"type": "url_verification", "challenge": "c0ffee", "token": "x"}).encode()
    assert "c0ffee" in workspace.post(asked).text
    unknown = json.dumps({"type": "event_callback", "team_id": "T", "event": {"type": "star_added"}, "event_id": "E"})
    assert workspace.post(unknown.encode()).status_code == 200
    menu = as_form(
        payload=json.dumps({"type": "shortcut", "callback_id": "x", "user": {"id": "U"}, "team": {"id": "T"}})
    )
    assert workspace.post(menu, "application/x-www-form-urlencoded").status_code == 200
    assert [name for name, _ in slack.calls] == ["auth.test"]


# Many at once


@pytest.fixture
def scripted(advisor: Advisor, tmp_path: Path) -> Iterator[Scripted]:
    made = Scripted(advisor.options, tmp_path)
    yield made
    made.conversations.close()


def deliveries(events: int, copies: int, channels: int, seed: int) -> list[tuple[bytes, dict[str, str]]]:
    """Every event at least once, some of them several times, in any order; with those that Slack never signed."""
    chance = random.Random(seed)
    numbers = [*range(1, events + 1), *(chance.randint(1, events) for _ in range(copies - events))]
    chance.shuffle(numbers)
    bodies = [
        json.dumps(spoken(number, f"<@U0BOT> question {number}", channel=f"C{number % channels}")).encode()
        for number in numbers
    ]
    return [(body, {"Content-Type": "application/json", **signed(body)}) for body in bodies]


def test_storm_is_answered_once_each_and_forgeries_not_at_all(
    scripted: Scripted, slack: FakeSlack, make_face: Callable[..., Face]
) -> None:
    face = make_face(scripted)
    workspace = Workspace(face, slack)
    genuine_ones = deliveries(60, 200, 12, seed=8)
    forged = [(body, {**headers, "X-Slack-Signature": "v0=" + "0" * 64}) for body, headers in genuine_ones[:12]]
    both = genuine_ones + forged
    random.Random(1).shuffle(both)
    face.start()
    try:
        with ThreadPoolExecutor(8) as pool:
            statuses = list(
                pool.map(
                    lambda one: workspace.http.post("/slack/events", content=one[0], headers=one[1]).status_code, both
                )
            )
        workspace.settle()
    finally:
        face.stop()
    assert statuses.count(200) == 200
    assert statuses.count(401) == 12
    assert sorted(scripted.asked) == sorted(f"question {number}" for number in range(1, 61))
    assert all(len(slack.replies(f"1764000000.{number:06d}")) == 1 for number in range(1, 61))


def test_replies_of_a_thread_that_arrive_out_of_order_are_answered_in_order(
    scripted: Scripted, slack: FakeSlack, make_face: Callable[..., Face]
) -> None:
    face = make_face(scripted)
    workspace = Workspace(face, slack)
    face.start()
    try:
        workspace.event(spoken(1, "<@U0BOT> question 1"))
        order = [4, 2, 5, 3]
        for number in order:
            body = json.dumps(
                spoken(number, f"question {number}", kind="message", thread_ts="1764000000.000001")
            ).encode()
            assert workspace.post(body).status_code == 200
        workspace.settle()
    finally:
        face.stop()
    assert scripted.asked == [f"question {number}" for number in (1, 2, 3, 4, 5)]


def test_acknowledgement_waits_for_no_answer(
    scripted: Scripted, slack: FakeSlack, make_face: Callable[..., Face], monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = threading.Event()
    whole = scripted.stream

    def held(question: str, conversation_id: str | None = None, **_: Any) -> Iterator[Step]:
        assert gate.wait(30)
        yield from whole(question, conversation_id)

    monkeypatch.setattr(scripted, "stream", held)
    face = make_face(scripted)
    workspace = Workspace(face, slack)
    face.start()
    try:
        statuses = [workspace.post(body).status_code for body, _ in deliveries(30, 30, 30, seed=2)]
        assert statuses == [200] * 30
        assert scripted.asked == []  # every worker is held, and all are acknowledged
        gate.set()
        workspace.settle()
    finally:
        gate.set()
        face.stop()
    assert len(scripted.asked) == 30


def test_stop_finishes_what_runs_and_leaves_the_rest_for_the_next_start(
    scripted: Scripted, slack: FakeSlack, make_face: Callable[..., Face]
) -> None:
    first = make_face(scripted, workers=1)
    workspace = Workspace(first, slack)
    for body, _ in deliveries(20, 20, 20, seed=3):
        workspace.post(body)
    first.start()
    first.stop()
    answered = len(scripted.asked)
    second = make_face(scripted)
    second.start()
    try:
        Workspace(second, slack).settle()
    finally:
        second.stop()
    assert answered <= 20
    assert sorted(scripted.asked) == sorted({*scripted.asked})
    assert len(scripted.asked) == 20


def test_too_many_waiting_are_refused_until_some_are_done(
    scripted: Scripted, slack: FakeSlack, make_face: Callable[..., Face], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ui.slack.bolt.MOST_WAITING", 3)
    face = make_face(scripted)
    workspace = Workspace(face, slack)
    statuses = [workspace.post(body).status_code for body, _ in deliveries(5, 5, 5, seed=4)]
    assert statuses == [200, 200, 200, 503, 503]
    face.start()
    face.stop()


def test_inbox_keeps_the_key_and_forgets_the_words(tmp_path: Path) -> None:
    inbox = Inbox(tmp_path / "slack.sqlite")
    job = Job(key="k", kind="ask", thread="t", channel="c", data={"text": "a secret plan"})
    assert inbox.put(job)
    assert not inbox.put(job)
    claimed = inbox.claim(threading.Event())
    assert claimed is not None
    assert claimed.data == job.data
    inbox.done("k")
    assert not inbox.put(job)
    inbox.close()
    for path in tmp_path.iterdir():
        if path.suffix == ".sqlite":
            assert b"a secret plan" not in path.read_bytes()


@given(st.permutations(range(6)))
def test_inbox_gives_a_thread_in_order_and_one_at_a_time(order: list[int]) -> None:
    inbox = Inbox(Path(":memory:"))
    for number in order:
        inbox.put(Job(key=str(number), kind="ask", thread="t", channel="c", ts_us=number))
    stop = threading.Event()
    seen = []
    for _ in order:
        job = inbox.claim(stop)
        assert job is not None
        seen.append(job.ts_us)
        inbox.done(job.key)
    assert seen == sorted(order)
    inbox.close()


def test_server_that_is_told_to_end_stops_the_work_first(
    scripted: Scripted, slack: FakeSlack, make_face: Callable[..., Face]
) -> None:
    face = make_face(scripted)
    face.start()
    with TestClient(application(face)) as client:
        assert client.get("/healthz").text == "ok"
        assert not face._workers.idle()
    assert face._workers.idle()
