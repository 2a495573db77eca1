"""Asking over REST: whole answers, steps, refusals."""

import json
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

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


def test_feedback_on_an_answer_is_kept_and_on_none_refused(site: TestClient, advisor_home: Path) -> None:
    answer = site.post("/v1/ask", json={"question": QUESTION}).json()
    judged = {"conversation_id": answer["conversation_id"], "answer_id": answer["id"], "helpful": False, "note": "太贵"}
    assert site.post("/v1/feedback", json=judged).status_code == 204
    kept = [json.loads(line) for line in (advisor_home / "feedback.jsonl").read_text(encoding="utf-8").splitlines()]
    assert kept[-1]["question"] == QUESTION
    assert kept[-1]["note"] == "太贵"
    assert site.post("/v1/feedback", json=judged | {"answer_id": "none"}).status_code == 404
