"""A tool's request like one before gets the same bytes, and nothing else is ever answered from memory."""

import json

import pytest
from fastapi.testclient import TestClient
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ui.serving.repeated import Repeated

PATH = "/v1/tools/estimate_memory"
BODY = b'{"model": "Qwen2.5-7B"}'
JSON = {"Content-Type": "application/json"}


class Counting:
    """Counts what reaches it and answers with the count."""

    def __init__(self, status: int = 200) -> None:
        self.status, self.asked = status, 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.asked += 1
        await Response(json.dumps(self.asked), self.status, media_type="application/json")(scope, receive, send)


def test_the_same_bytes_are_worked_out_once() -> None:
    app = Counting()
    client = TestClient(Repeated(app, world=lambda: 0))
    answers = [client.post(PATH, content=BODY, headers=JSON) for _ in range(3)]
    assert [answer.json() for answer in answers] == [1, 1, 1]
    assert app.asked == 1
    assert {answer.headers["content-type"] for answer in answers} == {"application/json"}


@pytest.mark.parametrize(
    ("path", "body", "headers"),
    [
        pytest.param("/v1/tools/estimate_memory/batch", BODY, JSON, id="a batch costs the caller more"),
        pytest.param("/v1/ask", b'{"question": "?"}', JSON, id="a turn belongs to a conversation"),
        pytest.param(PATH, BODY, {"Content-Type": "text/plain"}, id="another type may be refused"),
        pytest.param(PATH, b'{"model": "' + b"x" * 5000 + b'"}', JSON, id="large"),
    ],
)
def test_the_rest_goes_the_usual_way_every_time(path: str, body: bytes, headers: dict[str, str]) -> None:
    app = Counting()
    client = TestClient(Repeated(app, world=lambda: 0))
    assert [client.post(path, content=body, headers=headers).json() for _ in range(3)] == [1, 2, 3]


def test_other_bytes_are_another_request() -> None:
    app = Counting()
    client = TestClient(Repeated(app, world=lambda: 0))
    told = [client.post(PATH, content=body, headers=JSON).json() for body in (BODY, b"{}", BODY)]
    assert told == [1, 2, 1]


def test_a_refusal_is_not_kept() -> None:
    app = Counting(status=422)
    client = TestClient(Repeated(app, world=lambda: 0))
    assert [client.post(PATH, content=BODY, headers=JSON).status_code for _ in range(2)] == [422, 422]
    assert app.asked == 2


def test_nothing_outlives_a_change_of_the_world() -> None:
    app, world = Counting(), [0]
    client = TestClient(Repeated(app, world=lambda: world[0]))
    told = [client.post(PATH, content=BODY, headers=JSON).json()]
    world[0] = 1
    told += [client.post(PATH, content=BODY, headers=JSON).json() for _ in range(2)]
    assert told == [1, 2, 2]


def test_no_more_is_held_than_the_bound() -> None:
    app = Counting()
    client = TestClient(Repeated(app, kept_bytes=200, world=lambda: 0))
    for number in range(50):
        client.post(PATH, content=b'{"n": %d}' % number, headers=JSON)
    assert client.post(PATH, content=b'{"n": 49}', headers=JSON).json() == 50
    assert client.post(PATH, content=b'{"n": 0}', headers=JSON).json() == 51


def test_unclean_bodies_are_refused_before_anything_is_looked_up() -> None:
    app = Counting()
    client = TestClient(Repeated(app, world=lambda: 0))
    assert client.post(PATH, content=b'{"n": NaN}', headers=JSON).status_code == 422
    assert app.asked == 0
