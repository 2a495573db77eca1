"""Every topic answers its cases by the right call, with figures of it, in the asker's language, or not at all."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import assistant
from assistant.answer import Answer
from assistant.reading.annotation import Marked
from assistant.reading.build import after
from assistant.reading.held import held
from assistant.topics.topic import topics
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
def test_a_topic_answers_its_cases_by_the_call_that_works_them_out(name: str, case: dict[str, Any]) -> None:
    annotation = held(case["say"], Marked.model_validate(case))
    assert not annotation.dropped
    found = taken(annotation, after(None, annotation))
    assert found is not None
    assert found[0][0].name == name
    answer = told(case)
    assert answer is not None
    assert answer.verdict == case["verdict"]
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


def test_an_ask_without_a_topic_leaves_the_whole_message_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    case = next(iter(cases())).values[1]
    asks = [*case["asks"], {"ask": "risk", "quote": case["say"][:4]}]
    without = tuple(one for one in topics() if "risk" not in one.asks)
    monkeypatch.setattr("assistant.topics.topic.topics", lambda: without)
    assert told(case, asks=asks) is None


def test_what_decides_and_cannot_be_read_leaves_the_message_to_others() -> None:
    case = next(iter(cases())).values[1]
    facts = [{"quote": case["say"][:4], "slot": "cards", "stance": "have", "of": [0]}]
    assert told(case, facts=facts) is None


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
        assert called or "assistant.writing.accounts" in source
        assert called <= set(agent_tools())
