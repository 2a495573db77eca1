"""Every topic answers its cases by the right call, with figures of it, in the asker's language, or not at all."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import assistant
from assistant import turn
from assistant.answer import Answer
from assistant.reading.annotation import Marked
from assistant.reading.build import after
from assistant.reading.held import held
from assistant.topics.topic import topics, topics_for
from assistant.turn import answered, taken
from assistant.writing.words import LANGUAGES, templates
from tools.agent_tools.toolset import agent_tools

ROOM = Path(assistant.__file__).parent
HAN = re.compile(r"[一-鿿]")


def cases() -> Iterator[Any]:
    for topic in topics():
        for case in yaml.safe_load((topic.folder / "cases.yaml").read_text(encoding="utf-8")):
            yield pytest.param(topic.name, case, id=f"{topic.name}: {case['say'][:40]}")


def told(case: dict[str, Any], **changes: Any) -> Answer | None:
    message = case["say"]
    annotation = held(message, Marked.model_validate({**case, **changes}))
    return answered(message, annotation, after(None, annotation), "c", ())


@pytest.mark.parametrize(("name", "case"), list(cases()))
def test_a_topic_answers_its_cases_by_the_call_that_works_them_out(
    name: str, case: dict[str, Any], request: pytest.FixtureRequest
) -> None:
    if name == "guidance":
        request.getfixturevalue("guidance")
    annotation = held(case["say"], Marked.model_validate(case))
    assert not annotation.dropped
    found = taken(after(None, annotation))[0]
    assert found is not None
    assert found.name == name
    answer = told(case)
    assert answer is not None
    assert answer.verdict == case["verdict"]
    if case["calls"] is not None:
        call = dict(case["calls"])
        tool = call.pop("tool")
        assert answer.looked_up[0].tool == tool
        assert {key: answer.looked_up[0].request.get(key) for key in call} == call
    assert answer.grounding.ungrounded == ()
    assert answer.grounding.numbers > 0 or not case.get("figures", True)
    assert answer.sections[0].lead in re.sub(r" \[\d+\]", "", answer.answer.replace("**", ""))
    assert bool(HAN.search(answer.answer)) is bool(HAN.search(case["say"]))
    assert not re.search(r"[{}]", re.sub(r"`[^`]*`", "", answer.answer.split("```")[0]))
    assert all(one in answer.answer for one in case.get("names", ()))


@pytest.mark.parametrize("topic", topics(), ids=lambda one: one.name)
def test_a_topic_says_the_same_in_both_languages(topic: Any) -> None:
    holes = [
        {name: set(re.findall(r"\{(\w+)\}", said)) for name, said in templates(topic.folder, language).items()}
        for language in ("en", "zh")
    ]
    assert holes[0].keys() == holes[1].keys()
    for name, needed in holes[0].items():
        assert holes[1][name] <= needed, name


def test_an_ask_that_nothing_answers_is_named_behind_what_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn, "topics_for", lambda ask, known: () if ask.ask == "risk" else topics_for(ask, known))
    case = next(one.values[1] for one in cases() if one.values[0] == "speed")
    answer = told(case, asks=[{"ask": "risk", "quote": case["say"][:9]}, *case["asks"]])
    assert answer is not None
    assert [one.ask for one in answer.sections] == ["speed", "risk"]
    assert case["say"][:9] in answer.sections[-1].lead


def test_a_model_that_is_not_known_is_named_and_asked_for() -> None:
    message = "How long does Nimbusnet take to train on two 4090s?"
    facts = [
        {"quote": "Nimbusnet", "slot": "model", "stance": "have", "of": [0]},
        {"quote": "train", "slot": "activity", "stance": "have", "of": [0]},
        {"quote": "two 4090s", "slot": "cards", "stance": "have", "of": [1]},
    ]
    answer = told({"say": message, "facts": facts, "asks": [{"ask": "duration", "quote": "How long"}]})
    assert answer is not None
    assert any("Nimbusnet" in one for one in answer.clarifying_questions)
    assert answer.clarifying_questions[0] in answer.answer


def test_a_message_that_asks_nothing_bears_on_what_was_asked_before() -> None:
    first, then = "How fast is Qwen3-8B on a 3090?", "It is a 4090, sorry."
    marked = {
        "facts": [
            {"quote": "Qwen3-8B", "slot": "model", "stance": "have", "of": [0]},
            {"quote": "a 3090", "slot": "cards", "stance": "have", "of": [1]},
        ],
        "asks": [{"ask": "speed", "quote": "How fast", "about": [0, 1]}],
    }
    read = held(first, Marked.model_validate(marked))
    situation = after(None, read)
    before = answered(first, read, situation, "c", ())
    corrected = {"kind": "corrects", "facts": [{"quote": "a 4090", "slot": "cards", "stance": "have", "of": [0]}]}
    read = held(then, Marked.model_validate(corrected))
    assert before is not None
    answer = answered(then, read, after(situation, read), "c", (before,))
    assert answer is not None
    assert answer.sections[0].ask == "speed"
    assert "4090" in answer.sections[0].lead
    assert "3090" not in answer.answer


def test_a_language_topics_do_not_speak_is_left_to_others() -> None:
    case = next(iter(cases())).values[1]
    assert "fr" not in LANGUAGES
    assert told(case, language="fr") is None


def imports(file: Path) -> set[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}


def test_topics_import_no_topic_and_read_no_words() -> None:
    for topic in topics():
        taken_in = imports(topic.folder / "topic.py")
        others = {one for one in taken_in if one.startswith("assistant.topics.")} - {"assistant.topics.topic"}
        assert not others, topic.name
        words = {one for one in taken_in if one.startswith(("assistant.understand", "kb.lexicon", "kb.naming.names"))}
        assert not words, topic.name
    for file in (ROOM / "writing").glob("*.py"):
        assert not {one for one in imports(file) if one.startswith("assistant.understand")}, file.name


def test_rooms_are_small() -> None:
    for room in ("reading", "topics", "writing"):
        for folder in [ROOM / room, *(one for one in (ROOM / room).rglob("*") if one.is_dir())]:
            entries = [one for one in folder.iterdir() if one.name != "__pycache__"]
            assert len(entries) <= 14, folder
        for file in (ROOM / room).rglob("*.py"):
            assert len(file.read_text(encoding="utf-8").splitlines()) <= 400, file


def test_every_call_of_a_topic_is_to_one_of_the_nine() -> None:
    for topic in topics():
        source = (topic.folder / "topic.py").read_text(encoding="utf-8")
        called = set(re.findall(r'calls\.call\(\s*"(\w+)"', source))
        assert called or topic.name in ("aside", "about_answer") or "assistant.writing.accounts" in source
        assert called <= set(agent_tools())
