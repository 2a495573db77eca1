"""Questions as people ask them: every slot, card and intent an expert reads from them, whatever the tools then say."""

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from assistant.understand import understand


def _expectations() -> ModuleType:
    path = Path(__file__).parents[2] / "bench" / "expectations.py"
    spec = importlib.util.spec_from_file_location("expectations", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


KNOW = _expectations()
CASES = [
    case
    for name in ("questions_asked.yaml", "questions_last.yaml", "questions_fresh.yaml")
    for case in KNOW.load((name,))
]


def test_there_are_enough_questions_of_our_own() -> None:
    assert len(CASES) >= 300
    assert len({tuple(KNOW.turns(case)) for case in CASES}) == len(CASES)
    intents = {intent for case in CASES for intent in [case.get("intent")] if isinstance(intent, str)}
    assert len(intents) >= 18
    assert {KNOW.language(case) for case in CASES} >= {"zh", "en", "de", "es", "fr", "ja", "ko"}


@pytest.mark.parametrize("case", [pytest.param(case, id=" → ".join(KNOW.turns(case))[:70]) for case in CASES])
def test_a_question_as_asked_is_understood(case: dict[str, Any]) -> None:
    previous = None
    for turn in KNOW.turns(case):
        read = understand(turn, previous)
        previous = read.need
    assert KNOW._slots(case, read) == []
    assert KNOW._intent(case, read) is not False
    if "out_of_scope" in case:
        assert read.out_of_scope == case["out_of_scope"]
    if case.get("error"):
        assert read.error_text
