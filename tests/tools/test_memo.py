"""A remembered result is the one that would be worked out again; anything that could change it is asked anew."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import Field

from kb.base import Frozen
from tools.base import ToolResult
from tools.memo import Memo, documents
from tools.registry import READING, Tool, tools


class Asked(Frozen):
    """A request."""

    number: int = 0
    mapping: dict[str, Any] = Field(default_factory=dict)


class Plain(Frozen):
    """A request that can be a key."""

    number: int = 0


class Doubled(ToolResult):
    """A result."""

    value: int


class Counting:
    """A tool that counts how often it really works."""

    def __init__(self) -> None:
        self.runs = 0

    def __call__(self, request: Any) -> Doubled:
        self.runs += 1
        return Doubled(value=2 * request.number)


def test_the_same_request_is_worked_out_once() -> None:
    memo, run = Memo(world=lambda: 0), Counting()
    first, second = (memo.result("double", Plain(number=4), run) for _ in range(2))
    assert first is second
    assert run.runs == 1


def test_another_request_tool_or_world_is_worked_out_anew() -> None:
    state = [0]
    memo, run = Memo(world=lambda: state[0]), Counting()
    memo.result("double", Plain(number=4), run)
    memo.result("double", Plain(number=5), run)
    memo.result("other", Plain(number=4), run)
    state[0] = 1
    memo.result("double", Plain(number=4), run)
    assert run.runs == 4


def test_it_keeps_no_more_than_so_many() -> None:
    memo, run = Memo(most=2, world=lambda: 0), Counting()
    for number in (1, 2, 1, 3, 1, 2):
        memo.result("double", Plain(number=number), run)
    assert run.runs == 4  # 2 was the one used least lately when 3 came


def test_a_request_that_cannot_be_a_key_is_still_answered() -> None:
    memo, run = Memo(world=lambda: 0), Counting()
    for _ in range(2):
        assert memo.result("double", Asked(number=3, mapping={"a": 1}), run) == Doubled(value=6)
    assert run.runs == 2


def test_an_error_is_not_kept() -> None:
    memo, runs = Memo(world=lambda: 0), []

    def fails(request: Any) -> Doubled:
        runs.append(request)
        raise ValueError("no")

    for _ in range(2):
        try:
            memo.result("fails", Plain(), fails)
        except ValueError:
            continue
    assert len(runs) == 2


def test_what_was_found_is_remembered_until_a_document_changes(
    advisor_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr("tools.registry.SEARCHED", Memo(world=documents))

    def finds(request: Any) -> Doubled:
        asked.append("search")
        return Doubled(value=1)

    (name,) = READING
    held = Tool(finds, tools()[name].request, Doubled)
    monkeypatch.setattr(Tool, "name", name)
    request = held.request.model_validate({"query": "memory"})
    for _ in range(2):
        held.answer(request)
    assert len(asked) == 1
    index = advisor_home / "index"
    index.mkdir(parents=True, exist_ok=True)
    (index / "library.sqlite3").write_bytes(b"another state")
    held.answer(request)
    assert len(asked) == 2
    assert set(tools()) >= READING
