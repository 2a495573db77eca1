"""The site around the questions: state, documentation, headers, limits."""

import asyncio
import re
from typing import Any

import pytest
from fastapi.testclient import TestClient
from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send

from ui.entrance.limits import BodyLimit, Bounded
from ui.serving.metrics import REQUESTS


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics", "/docs", "/openapi.json", "/"])
def test_what_a_visitor_opens_answers(site: TestClient, path: str) -> None:
    assert site.get(path).status_code == 200


def test_readiness_tells_what_is_known(site: TestClient) -> None:
    ready = site.get("/readyz").json()
    assert ready["gpus"] > 100
    assert ready["models"] > 100
    assert ready["index"]["documents"] > 8


def test_requests_and_answers_are_counted_by_route_and_verdict(site: TestClient) -> None:
    before = REQUESTS.labels("GET", "/v1/catalog/{kind}", "200")._value.get()
    site.get("/v1/catalog/gpus", params={"limit": 1})
    assert REQUESTS.labels("GET", "/v1/catalog/{kind}", "200")._value.get() == before + 1
    site.post("/v1/ask", json={"question": "Does the RTX 6000 Ada support NVLink?"})
    assert re.search(r'gpu_advisor_answers_total\{[^}]*face="rest"', site.get("/metrics").text)


def test_typed_addresses_never_become_labels(site: TestClient) -> None:
    site.get("/v1/nowhere-in-particular")
    assert "nowhere-in-particular" not in site.get("/metrics").text


@pytest.mark.parametrize("path", ["/docs", "/"])
def test_pages_name_no_other_host_to_load_from(site: TestClient, path: str) -> None:
    text = site.get(path).text
    loaded = re.findall(r'<(?:script|link|img|iframe)[^>]*(?:src|href)=["\']?(https?:)?//[^"\' >]+', text)
    assert loaded == []


@pytest.mark.parametrize("path", ["/", "/docs", "/v1/tools", "/healthz"])
def test_every_response_carries_the_security_headers(site: TestClient, path: str) -> None:
    headers = site.get(path).headers
    assert "img-src 'self' data:" in headers["content-security-policy"]
    assert "default-src 'self'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "SAMEORIGIN"


def test_another_sites_page_may_not_ask(site: TestClient) -> None:
    answer = site.post("/v1/ask", json={"question": "4090?"}, headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 403


def test_an_unknown_address_of_the_api_is_a_problem_document(site: TestClient) -> None:
    answer = site.get("/v1/nowhere")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


def test_files_of_the_server_are_not_handed_out(site: TestClient) -> None:
    for path in ("/gradio_api/file=/etc/passwd", "/gradio_api/file=../../etc/passwd", "/file=/etc/passwd"):
        answer = site.get(path)
        assert answer.status_code in {403, 404}
        assert "root:" not in answer.text


@pytest.mark.parametrize("path", ["upload", "proxy=http://169.254.169.254/", "component_server", "call/answer"])
def test_what_the_page_does_not_use_is_closed(site: TestClient, path: str) -> None:
    assert site.post(f"/gradio_api/{path}", json={}).status_code == 404
    assert site.get(f"/gradio_api/{path}").status_code == 404


def test_the_page_offers_no_programming_interface_of_its_own(site: TestClient) -> None:
    config = site.get("/config").json()
    assert all(entry["api_visibility"] == "private" for entry in config["dependencies"])
    assert config["analytics_enabled"] is False


def test_the_operations_have_summaries_and_unique_ids(site: TestClient) -> None:
    spec = site.get("/openapi.json").json()
    operations = [operation for verbs in spec["paths"].values() for operation in verbs.values()]
    assert all(operation["summary"] for operation in operations)
    ids = [operation["operationId"] for operation in operations]
    assert len(ids) == len(set(ids))


async def _slow(scope: Scope, receive: Receive, send: Send) -> None:
    await asyncio.sleep(0.05)
    await PlainTextResponse("done")(scope, receive, send)


async def _status(app: Any, receive: Receive, method: str = "GET", headers: tuple[Any, ...] = ()) -> int:
    seen: list[Message] = []

    async def send(message: Message) -> None:
        seen.append(message)

    scope = {"type": "http", "method": method, "path": "/v1/ask", "headers": list(headers), "query_string": b""}
    await app(scope, receive, send)
    return int(next(message["status"] for message in seen if message["type"] == "http.response.start"))


async def _nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


def test_more_requests_than_allowed_at_once_are_told_to_come_back() -> None:
    async def run() -> list[int]:
        app = Bounded(_slow, most=2)
        statuses = await asyncio.gather(*(_status(app, _nothing) for _ in range(5)))
        return [*statuses, await _status(app, _nothing)]

    assert sorted(asyncio.run(run())[:5]) == [200, 200, 503, 503, 503]
    assert asyncio.run(run())[5] == 200


def test_a_body_that_never_ends_is_refused_at_the_limit() -> None:
    async def endless() -> Message:
        return {"type": "http.request", "body": b"x" * 1000, "more_body": True}

    assert asyncio.run(_status(BodyLimit(_slow, most_bytes=10_000), endless, "POST")) == 413


def test_a_body_that_does_not_arrive_is_given_up() -> None:
    async def silent() -> Message:
        await asyncio.sleep(10)
        raise AssertionError

    assert asyncio.run(_status(BodyLimit(_slow, arrival_s=0.05), silent, "POST")) == 408


def test_a_body_that_lies_about_its_length_is_refused() -> None:
    headers = ((b"content-length", b"99999999999999999999"),)
    assert asyncio.run(_status(BodyLimit(_slow), _nothing, "POST", headers)) == 413
