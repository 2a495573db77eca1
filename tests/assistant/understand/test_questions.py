"""Questions of our own writing: every expected slot, the intent, the scope, the language."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from expectations import slot_of

from assistant.understand import understand
from assistant.understanding import Understanding
from kb.catalog import gpu

CASES = Path(__file__).parents[2] / "cases"


def load(name: str) -> list[dict[str, Any]]:
    return yaml.safe_load((CASES / name).read_text(encoding="utf-8"))


def plain(value: object) -> str:
    return re.sub(r"[^a-z0-9.]", "", str(value).lower())


def check(case: dict[str, Any], read: Understanding) -> None:
    for slot, wanted in case.get("need", {}).items():
        got = slot_of(read, slot)
        if slot == "gpus_owned":
            wanted = {gpu(name).id: cards for name, cards in wanted.items()}
        if slot == "gpus_asked":
            wanted = [gpu(name).id for name in wanted]
        if slot == "model":
            assert plain(wanted) in plain(got), f"model: {got}"
        else:
            assert got == (sorted(wanted) if slot == "gpus_asked" else wanted), slot
    if "intent" in case:
        wanted = case["intent"]
        assert read.need.intent in (wanted if isinstance(wanted, list) else [wanted])
    assert read.out_of_scope == case.get("out_of_scope", False)
    for field in ("follow_up", "command"):
        if field in case:
            assert getattr(read, field) == case[field]
    if "lang" in case:
        assert read.language == case["lang"]
    if case.get("error"):
        assert read.error_text
    strangers = [doubt.text for doubt in read.ambiguities if doubt.unknown]
    for name in case.get("unknown", []):
        assert any(name in stranger for stranger in strangers), strangers
    if "unknown" not in case:
        assert not strangers


@pytest.mark.parametrize("case", [pytest.param(case, id=case["q"][:60]) for case in load("questions.yaml")])
def test_a_question_is_understood(case: dict[str, Any]) -> None:
    check(case, understand(case["q"]))


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=" → ".join(case["turns"])[:80]) for case in load("questions_dialogue.yaml")]
)
def test_a_conversation_is_understood(case: dict[str, Any]) -> None:
    previous = None
    for turn in case["turns"]:
        read = understand(turn, previous)
        previous = read.need
    check(case, read)
