"""Messages marked up over the faces: `gpu-advisor read`, `POST /v1/read`, and `ask --batch` with readings by hand."""

import json
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

import ui.serving.service
from assistant.agent import Advisor
from kb.settings import Settings
from ui.cli import main

MESSAGE = "Can two 3090 run Qwen3-32B at 16k?"
READING: dict[str, Any] = {
    "facts": [
        {"quote": "two 3090", "slot": "cards", "stance": "have", "of": [0]},
        {"quote": "Qwen3-32B", "slot": "model", "stance": "have", "of": [1]},
        {"quote": "16k", "slot": "context", "stance": "have", "of": [1]},
    ],
    "asks": [{"ask": "fits", "quote": "Can two 3090 run", "about": [0, 1]}],
    "unread": [],
}
LONGER = "and at 32k?"
CHANGED: dict[str, Any] = {
    "kind": "changes",
    "facts": [{"quote": "32k", "slot": "context", "stance": "have", "of": [0]}],
    "asks": [{"ask": "fits", "quote": "and at 32k", "about": []}],
}


@pytest.fixture
def by_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Advisor:
    """An advisor without a language model, in a home of its own."""
    made = Advisor(Settings(home=tmp_path))
    monkeypatch.setattr(ui.serving.service, "advisor", lambda: made)
    return made


def with_model(home: Path, *replies: dict[str, Any]) -> Advisor:
    """An advisor whose model only reads."""
    made = Advisor(Settings(home=home))
    made._model = GenericFakeChatModel(messages=iter([AIMessage(json.dumps(one)) for one in replies]))
    return made


def batch(
    folder: Path, line: dict[str, Any], capsys: pytest.CaptureFixture[str], command: str = "ask"
) -> dict[str, Any]:
    file = folder / "lines.jsonl"
    file.write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert main([command, "--batch", str(file)]) == 0
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    return told


def test_readings_take_the_readers_place_over_turns(
    by_hand: Advisor, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = {"id": 7, "turns": [MESSAGE, LONGER], "readings": [READING, CHANGED]}
    told = batch(tmp_path, line, capsys)
    first, second = told["turn_answers"]
    assert (told["id"], first["engine"]) == (7, "reading:given")
    assert first["looked_up"][0]["request"]["context_tokens"] == "16384"
    assert second["looked_up"][-1]["request"]["context_tokens"] == "32768"
    assert second["looked_up"][-1]["request"]["cards"] == "two 3090"
    assert second["reading"]["facts"][0]["value"] == {"tokens": 32768}
    assert first["grounding"]["ungrounded"] == []


def test_whatever_is_asked_topics_answer_and_say_what_was_read(
    by_hand: Advisor, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = {**READING, "asks": [{"ask": "risk", "quote": "Can two 3090 run", "about": [0]}]}
    told = batch(tmp_path, {"id": 1, "turns": [MESSAGE], "readings": [asked]}, capsys)
    assert told["engine"] == "reading:given"
    assert told["reading"]["asks"][0]["ask"] == told["sections"][0]["ask"] == "risk"


@pytest.mark.parametrize(
    ("readings", "field"),
    [([], "readings"), ([{"facts": [{"quote": "a", "slot": "llm", "stance": "have"}]}], "readings"), ("x", "readings")],
)
def test_a_reading_that_is_none_is_refused_by_its_field(
    readings: Any, field: str, by_hand: Advisor, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = batch(tmp_path, {"id": 1, "turns": [MESSAGE], "readings": readings}, capsys)
    assert told["error"]["field"] == field
    assert told["error"]["remedy"]


def test_a_model_that_only_reads_marks_up_what_topics_answer(tmp_path: Path) -> None:
    advisor = with_model(tmp_path, READING)
    annotation = advisor.read(MESSAGE)
    assert [one.slot for one in annotation.facts] == ["cards", "model", "context"]


def test_without_a_model_the_embedded_reader_reads(by_hand: Advisor, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["read", MESSAGE, "--json"]) == 0
    read = json.loads(capsys.readouterr().out)
    assert read["reader"] == "embedded"
    assert {one["slot"] for one in read["facts"]} >= {"cards", "model"}


def test_the_command_tells_a_person_and_a_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = with_model(tmp_path, READING, READING, READING, {**CHANGED, "unread": []})
    monkeypatch.setattr(ui.serving.service, "advisor", lambda: made)
    assert main(["read", MESSAGE]) == 0
    said = capsys.readouterr().out
    assert "cards have of 0: “two 3090”" in said
    assert main(["read", MESSAGE, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["asks"][0]["ask"] == "fits"
    told = batch(tmp_path, {"id": 3, "turns": [MESSAGE, LONGER]}, capsys, "read")
    assert [one["kind"] for one in told["readings"]] == ["new", "changes"]


def test_what_read_prints_can_be_given_back_as_a_reading(tmp_path: Path, by_hand: Advisor, capsys: Any) -> None:
    annotation = with_model(tmp_path / "model", READING).read(MESSAGE)
    printed = json.loads(annotation.model_dump_json())
    told = batch(tmp_path, {"id": 1, "turns": [MESSAGE], "readings": [printed]}, capsys)
    assert told["engine"] == "reading:given"


def test_over_rest_the_embedded_reader_reads_without_a_model(site: TestClient) -> None:
    read = site.post("/v1/read", json={"message": MESSAGE})
    assert read.status_code == 200
    assert read.json()["reader"] == "embedded"
    assert site.post("/v1/read", json={"message": " "}).status_code == 422


def test_a_chosen_model_in_the_reading_role_reads_and_topics_answer(tmp_path: Path) -> None:
    advisor = Advisor(Settings(home=tmp_path, llm="openai:small", llm_role="read"))
    replies = iter([AIMessage(json.dumps(READING)), AIMessage("no idea"), AIMessage("still none")])
    advisor._model = GenericFakeChatModel(messages=replies)
    answer = advisor.ask(MESSAGE)
    assert answer.engine == "reading:llm:openai:small"
    assert answer.tool_calls
    fallen_back = advisor.ask("Can one 4090 run Qwen3-8B?")
    assert fallen_back.engine == "planner"
    assert fallen_back.reading is None
