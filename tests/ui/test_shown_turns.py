"""Every kind of question can be shown: its steps, what was understood and its cards, whatever was left as usual."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from assistant.agent import Advisor, Step
from tests.assistant.planning import turn
from ui.web import cards, steps
from ui.web.page import answering
from ui.web.understood import understood

EVERY = 20
"""One question of so many is shown: they are ordered by theme, and all would take a minute."""
CASES = Path(__file__).parents[1] / "cases"


def questions() -> list[str]:
    """Single questions of the sets that the advisor is scored on."""
    rows: list[Any] = []
    for name in ("questions_asked", "questions_money", "questions_sizing", "questions_fresh", "questions_last"):
        found = yaml.safe_load((CASES / f"{name}.yaml").read_text(encoding="utf-8"))
        rows += found if isinstance(found, list) else [row for group in found.values() for row in group]
    return [row["q"] for row in rows if isinstance(row, dict) and isinstance(row.get("q"), str)][::EVERY]


def shown(question: str) -> str:
    """What the page makes of the turn besides its text."""
    read, records, draft = turn(question)
    told = [
        step for one in records for step in (Step("tool", one.tool, one.request), Step("result", one.tool, one.result))
    ]
    return understood(read.need, read.language) + steps.running(told) + cards.cards(draft.configurations)


def test_a_sample_of_all_questions_can_be_shown() -> None:
    asked = questions()
    assert len(asked) > 40
    assert all("<" in shown(one) for one in asked)


@pytest.mark.parametrize(
    ("question", "sum_"),
    [
        ("We need to run Llama-3.3-70B for 10 users, budget $25k. What do we buy?", "$25,000 Buy"),
        ("Which GPU can I rent under $2 an hour for Llama-3.1-8B?", "$2.00/h Rent"),
        ("预算 3000 美元，跑 Qwen2.5-14B，买什么卡？", "$3,000"),
        ("budget 2000 euros for a card that runs a 14B", "€2,000"),
    ],
)
def test_money_in_any_currency_is_shown_among_what_was_understood(question: str, sum_: str) -> None:
    assert sum_ in shown(question)


def test_what_fails_while_a_turn_is_shown_is_said(advisor: Advisor, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> str:
        raise KeyError("currency")

    monkeypatch.setattr("ui.web.turn.answered", fails)
    last = list(answering(advisor, "4090 能跑 Qwen2.5-7B 吗？", "shown-1"))[-1]
    assert "这边出了故障" in last[1]
    assert last[3]["interactive"] is True
