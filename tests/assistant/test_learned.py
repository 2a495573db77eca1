"""Turns without a language model: marked up by the learned reader, answered by topics, remembered, and never lost."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.agent import Advisor
from kb.settings import settings

FITS = "Can I run Qwen3-32B on 2x RTX 3090?"
ASKED = (
    FITS,
    "两张 4090 能跑 Qwen3-30B-A3B 吗",
    "How much VRAM does a LoRA of Llama-3.1-8B need?",
    "72B 全参微调要多少张 H100",
    "RTX 3090 or RTX 4060 Ti 16GB for Qwen3-14B?",
)


@pytest.fixture
def advisor(guidance_home: Path, advisor_home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Advisor]:
    """An advisor as a person installs it."""
    shutil.copytree(guidance_home, advisor_home)
    monkeypatch.setenv("GPU_ADVISOR_READING", "learned")
    settings.cache_clear()
    one = Advisor()
    yield one
    one.conversations.close()


@pytest.mark.parametrize("question", ASKED)
def test_a_question_is_answered_from_its_reading_with_every_number_traced(advisor: Advisor, question: str) -> None:
    answer = advisor.ask(question)
    assert answer.engine == "reading:embedded"
    assert answer.reading is not None
    assert answer.sections
    assert answer.grounding.ungrounded == ()
    assert answer.grounding.numbers > 0


def test_what_recurs_is_remembered_and_what_follows_rests_on_what_was_said(advisor: Advisor) -> None:
    first, again = advisor.ask(FITS), advisor.ask(FITS)
    assert (again.answer, again.engine) == (first.answer, first.engine)
    assert again.id != first.id
    assert len(advisor.recall) == 1
    after = advisor.ask("And with four of them?", first.conversation_id)
    assert after.engine == "reading:embedded"
    assert "Qwen3-32B" in after.answer
    assert len(advisor.recall) == 1, "an answer of one conversation is told in no other"


def test_the_steps_tell_what_was_looked_up(advisor: Advisor) -> None:
    steps = list(advisor.stream(FITS))
    assert [one.kind for one in steps[:1]] == ["understood"]
    assert steps[-1].answer is not None
    assert {one.kind for one in steps[1:-1]} == {"tool", "result"}


def test_where_topics_fail_or_do_not_speak_the_language_the_rules_answer(
    advisor: Advisor, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    assert advisor.ask("RTX 3090 두 장으로 Qwen3-32B 돌릴 수 있나요?").engine == "planner"

    def fails(*_: object) -> None:
        raise ValueError("of our own")

    monkeypatch.setattr("assistant.work.answered", fails)
    assert advisor.ask(FITS).engine == "planner"
    assert "of our own" in caplog.text


def test_the_rules_answer_where_a_person_wants_them(advisor: Advisor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPU_ADVISOR_READING", "rules")
    settings.cache_clear()
    other = Advisor()
    assert other.ask(FITS).engine == "planner"
    other.conversations.close()
