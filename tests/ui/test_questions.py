"""Asking over REST: whole answers, steps, refusals."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fastapi.testclient import TestClient

from assistant.agent import Advisor
from tools.registry import tools

QUESTION = "4 张 3090 能跑 Qwen2.5-72B 吗？"


def events(text: str) -> list[tuple[str, Any]]:
    """The events of a stream."""
    found = []
    for block in text.strip().split("\n\n"):
        kind, data = block.split("\n", 1)
        found.append((kind.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


def test_a_question_is_answered_in_its_language_with_configurations_and_sources(site: TestClient) -> None:
    answer = site.post("/v1/ask", json={"question": QUESTION}).json()
    assert answer["language"] == "zh"
    assert answer["verdict"] in {"fits", "fits_with_changes", "does_not_fit"}
    assert answer["need"]["gpus_owned"] == [{"gpu": "rtx-3090-24gb", "count": 4}]
    assert answer["configurations"]
    assert answer["citations"]
    assert answer["grounding"]["ungrounded"] == []


def test_a_conversation_continues_by_its_id(site: TestClient) -> None:
    first = site.post("/v1/ask", json={"question": QUESTION}).json()
    second = site.post(
        "/v1/ask", json={"question": "用 4-bit 呢？", "conversation_id": first["conversation_id"]}
    ).json()
    assert second["conversation_id"] == first["conversation_id"]
    assert second["need"]["model"] == first["need"]["model"]
    assert second["need"]["weight_format"] in {"int4", "awq", "gptq", "nf4"}


def test_a_stream_shows_what_was_understood_then_tools_then_the_answer(site: TestClient) -> None:
    answer = site.post("/v1/ask/stream", json={"question": QUESTION})
    assert answer.headers["content-type"].startswith("text/event-stream")
    seen = events(answer.text)
    kinds = [kind for kind, _ in seen]
    assert kinds[0] == "understood"
    assert kinds[-1] == "answer"
    assert kinds.count("tool") == kinds.count("result") >= 1
    assert {data["name"] for kind, data in seen if kind == "tool"} <= set(tools())
    assert seen[-1][1]["question"] == QUESTION


def test_a_streamed_turn_is_kept(site: TestClient) -> None:
    answer = events(site.post("/v1/ask/stream", json={"question": QUESTION}).text)[-1][1]
    kept = site.get(f"/v1/conversations/{answer['conversation_id']}").json()["turns"]
    assert [turn["id"] for turn in kept] == [answer["id"]]


def test_a_stream_of_a_bad_question_ends_in_an_error_event(site: TestClient) -> None:
    seen = events(site.post("/v1/ask/stream", json={"question": "   "}).text)
    assert [kind for kind, _ in seen] == ["error"]
    assert seen[0][1]["field"] == "question"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        pytest.param({}, "question", id="missing"),
        pytest.param({"question": ""}, "question", id="empty"),
        pytest.param({"question": 7}, "question", id="number"),
        pytest.param({"question": "x" * 50_000}, "question", id="overlong"),
        pytest.param({"question": "4090?", "colour": "red"}, "colour", id="unknown field"),
        pytest.param({"question": "4090?", "conversation_id": "../../etc"}, "conversation_id", id="path as id"),
    ],
)
def test_a_bad_question_names_its_field(site: TestClient, body: dict[str, Any], field: str) -> None:
    answer = site.post("/v1/ask", json=body)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["field"] == field


def test_a_megabyte_is_refused_before_it_is_read(site: TestClient) -> None:
    answer = site.post("/v1/ask", json={"question": "x" * 1_000_000})
    assert answer.status_code == 413
    assert answer.json()["field"] == "body"


def test_conversations_are_exported_and_forgotten(site: TestClient) -> None:
    name = site.post("/v1/ask", json={"question": QUESTION}).json()["conversation_id"]
    markdown = site.get(f"/v1/conversations/{name}/export", params={"form": "md"})
    assert QUESTION in markdown.text
    assert "attachment" in markdown.headers["content-disposition"]
    assert site.get(f"/v1/conversations/{name}/export", params={"form": "json"}).json()[0]["question"] == QUESTION
    assert site.delete(f"/v1/conversations/{name}").status_code == 204
    assert site.get(f"/v1/conversations/{name}").status_code == 404


def test_feedback_on_an_answer_is_kept_and_on_none_refused(site: TestClient, advisor: Advisor) -> None:
    answer = site.post("/v1/ask", json={"question": QUESTION}).json()
    judged = {"conversation_id": answer["conversation_id"], "answer_id": answer["id"], "helpful": False, "note": "太贵"}
    assert site.post("/v1/feedback", json=judged).status_code == 204
    assert advisor.conversations.judgements(answer["conversation_id"]) == {answer["id"]: False}
    assert site.post("/v1/feedback", json=judged | {"answer_id": "none"}).status_code == 404


def test_a_request_sent_again_with_its_key_gets_the_same_answer(site: TestClient) -> None:
    headers = {"Idempotency-Key": "3f0e-again"}
    first = site.post("/v1/ask", json={"question": QUESTION}, headers=headers)
    again = site.post("/v1/ask", json={"question": QUESTION}, headers=headers)
    assert again.json() == first.json()
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    name = first.json()["conversation_id"]
    assert len(site.get(f"/v1/conversations/{name}").json()["turns"]) == 1
    streamed = events(site.post("/v1/ask/stream", json={"question": QUESTION}, headers=headers).text)
    assert streamed == [("answer", first.json())]


def test_a_key_used_for_another_request_is_refused(site: TestClient) -> None:
    headers = {"Idempotency-Key": "3f0e-other"}
    site.post("/v1/ask", json={"question": QUESTION}, headers=headers)
    other = site.post("/v1/ask", json={"question": "4090?"}, headers=headers)
    assert other.status_code == 422
    assert other.json()["field"] == "Idempotency-Key"
    assert site.post("/v1/ask", json={"question": "4090?"}, headers={"Idempotency-Key": "a b"}).status_code == 422


@pytest.mark.parametrize("language", ["en", "zh-CN"])
@pytest.mark.parametrize(
    "body",
    [
        pytest.param({"question": QUESTION}, id="answered"),
        pytest.param({"question": "  "}, id="refused"),
        pytest.param({"question": "4090?", "conversation_id": "../../etc"}, id="bad id"),
        pytest.param({"question": "4090?", "colour": "red"}, id="unknown field"),
        pytest.param({"question": 7}, id="number"),
        pytest.param([], id="no object"),
    ],
)
def test_the_straight_way_says_what_the_route_says(site: TestClient, body: Any, language: str) -> None:
    headers = {"Accept-Language": language}
    straight = site.post("/v1/ask", json=body, headers=headers)
    routed = site.post("/v1/ask", json=body, headers=headers | {"Content-Type": "application/json; charset=utf-8"})
    own = {"id", "conversation_id", "elapsed_s"} if straight.status_code == 200 else set()
    first, second = ({**one.json(), **dict.fromkeys(own)} for one in (straight, routed))
    assert first == second
    assert straight.status_code == routed.status_code
    assert {*straight.headers} == {*routed.headers}
    assert straight.headers["content-type"] == routed.headers["content-type"]


def test_a_question_taken_straight_is_counted_under_its_route(site: TestClient) -> None:
    def counted() -> float:
        lines = site.get("/metrics").text.splitlines()
        found = [line for line in lines if 'route="/v1/ask"' in line and 'status="200"' in line]
        return sum(float(line.split()[-1]) for line in found)

    before = counted()
    site.post("/v1/ask", json={"question": QUESTION})
    assert counted() == before + 1


def test_two_requests_at_once_with_one_key_are_one_turn(site: TestClient) -> None:
    headers = {"Idempotency-Key": "3f0e-together"}
    with ThreadPoolExecutor(4) as pool:
        answers = list(
            pool.map(lambda _: site.post("/v1/ask", json={"question": QUESTION}, headers=headers).json(), range(4))
        )
    assert len({answer["id"] for answer in answers}) == 1


def test_a_batch_answers_each_question_or_says_why_not(site: TestClient) -> None:
    turns = ["4 张 3090 能跑 Qwen2.5-72B 吗？", "用 4-bit 呢？"]
    asked = [{"id": "a", "question": QUESTION}, {"id": "b", "question": " "}, {"id": 3, "turns": turns}]
    results = site.post("/v1/ask/batch", json={"questions": asked}).json()["results"]
    assert [result["id"] for result in results] == ["a", "b", 3]
    assert results[0]["answer"]["question"] == QUESTION
    assert results[1]["error"]["field"] == "question"
    assert [answer["question"] for answer in results[2]["turn_answers"]] == turns
    assert results[2]["answer"] == results[2]["turn_answers"][-1]


@pytest.mark.parametrize(
    "questions",
    [[], [{"id": 1}], [{"question": "a", "turns": ["b"]}], [{"question": "4090?"}] * 21, [{"turns": ["a"] * 21}]],
    ids=["none", "empty", "both", "too many", "too many turns"],
)
def test_a_batch_has_bounds(site: TestClient, questions: list[dict[str, Any]]) -> None:
    assert site.post("/v1/ask/batch", json={"questions": questions}).status_code == 422
