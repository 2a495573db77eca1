"""A turn runs to its end whoever still listens, and tells its listener whatever goes wrong."""

import logging
import threading
import time
from collections.abc import Iterator
from typing import Any, cast

import pytest

from assistant.agent import Advisor, Step
from kb.base import ConversationBusy, ModelFailed
from ui.serving.turn import steps

QUESTION = "Does the RTX 6000 Ada support NVLink?"


def test_a_turn_whose_listener_leaves_is_still_answered_and_kept(advisor: Advisor) -> None:
    listening = steps(advisor, QUESTION, "left-early", face="test")
    next(listening)
    cast(Any, listening).close()
    deadline = time.monotonic() + 20
    while not advisor.conversations.history("left-early") and time.monotonic() < deadline:
        time.sleep(0.02)
    assert [turn.question for turn in advisor.conversations.history("left-early")] == [QUESTION]


def test_two_questions_at_once_in_one_conversation_are_both_kept(advisor: Advisor) -> None:
    threads = [
        threading.Thread(target=lambda text=text: list(steps(advisor, text, "both", face="test")))
        for text in (QUESTION, "Does the RTX 3090 support NVLink?")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(advisor.conversations.history("both")) == 2


class Failing:
    """An advisor that fails as it is told."""

    def __init__(self, problem: Exception) -> None:
        self.problem = problem

    def stream(self, question: str, conversation_id: str | None) -> Iterator[Step]:
        yield Step("understood", data={})
        raise self.problem


def test_a_refusal_reaches_the_listener_as_it_is() -> None:
    failing = cast(Advisor, Failing(ConversationBusy("one")))
    with pytest.raises(ConversationBusy):
        list(steps(failing, QUESTION, "one", face="test"))


def test_a_defect_is_logged_and_told_without_its_words(caplog: pytest.LogCaptureFixture) -> None:
    failing = cast(Advisor, Failing(RuntimeError("secret path")))
    with caplog.at_level(logging.ERROR), pytest.raises(ModelFailed) as told:
        list(steps(failing, QUESTION, "one", face="test"))
    assert "secret" not in str(told.value)
    assert "secret path" in caplog.text
