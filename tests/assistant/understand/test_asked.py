"""Questions as people ask them: every slot, card and intent an expert reads from them, whatever the tools then say."""

from typing import Any

import expectations
import pytest

from assistant.understand import understand

CASES = [
    case
    for name in ("questions_asked.yaml", "questions_last.yaml", "questions_fresh.yaml")
    for case in expectations.load((name,))
]


def test_there_are_enough_questions_of_our_own() -> None:
    assert len(CASES) >= 300
    assert len({tuple(expectations.turns(case)) for case in CASES}) == len(CASES)
    intents = {intent for case in CASES for intent in [case.get("intent")] if isinstance(intent, str)}
    assert len(intents) >= 18
    assert {expectations.language(case) for case in CASES} >= {"zh", "en", "de", "es", "fr", "ja", "ko"}


@pytest.mark.parametrize("case", [pytest.param(case, id=" → ".join(expectations.turns(case))[:70]) for case in CASES])
def test_a_question_as_asked_is_understood(case: dict[str, Any]) -> None:
    previous = None
    for turn in expectations.turns(case):
        read = understand(turn, previous)
        previous = read.need
    assert expectations._slots(case, read) == []
    assert expectations._intent(case, read) is not False
    if "out_of_scope" in case:
        assert read.out_of_scope == case["out_of_scope"]
    if case.get("error"):
        assert read.error_text
