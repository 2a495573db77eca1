"""Results of calls in people's words: they read, stay short, and are valid JSON."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.records.passage import Passage
from tools.agent_tools.ledger import Ledger, LookedUp
from tools.agent_tools.shown import SHOWN_MAX, bounded, written
from tools.agent_tools.toolset import agent_tool, agent_tools
from tools.search_guidance import GuidanceResult

CALLS: dict[str, list[dict[str, Any]]] = yaml.safe_load(
    (Path(__file__).parent / "calls.yaml").read_text(encoding="utf-8")
)
ALL = [
    pytest.param(name, arguments, id=f"{name}-{number}")
    for name, many in CALLS.items()
    for number, arguments in enumerate(many, 1)
]
BARE = frozenset({"null", "nan", "inf", "none"})
NAMES = st.text(max_size=12)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
LEAVES = st.none() | st.booleans() | st.integers() | FLOATS | st.text(max_size=900)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=14) | st.dictionaries(NAMES, inner, max_size=14),
    max_leaves=60,
)


def called(name: str, arguments: dict[str, Any], words: tuple[str, ...] = ()) -> LookedUp:
    return agent_tool(name).look_up(arguments, Ledger(), words)


def leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for inner in value.values() for leaf in leaves(inner)]
    if isinstance(value, list):
        return [leaf for inner in value for leaf in leaves(inner)]
    return [value]


def test_the_table_has_sixty_calls_of_every_tool_that_needs_no_documents() -> None:
    assert len(ALL) >= 60
    assert set(CALLS) == set(agent_tools()) - {"search_guidance"}


@pytest.mark.parametrize(("name", "arguments"), ALL)
def test_a_call_in_peoples_words_is_answered_in_short(name: str, arguments: dict[str, Any]) -> None:
    one = called(name, arguments, ("4 × 24 GB, 50 users at 10, 120 each, 72.7B, 720 h, 1.2 kW",))
    assert not one.failed, one.shown
    told = written({"key": one.key, **one.shown})
    assert len(told) <= SHOWN_MAX + len('{"key": "R1", }')
    assert json.loads(told)["key"] == "R1"
    assert [leaf for leaf in leaves(one.shown) if leaf is None or str(leaf).lower() in BARE] == []


@pytest.mark.parametrize("name", [name for name in CALLS if name != "work_out"])
def test_a_result_names_what_it_holds_for(name: str) -> None:
    given = CALLS[name][0]
    one = called(name, given)
    for field in ("context_tokens", "users", "samples", "epochs", "hours_per_day", "years"):
        if field in given:
            said = one.shown["for"][field]
            assert said == given[field] or said.startswith(f"{given[field]} ")  # a bare number gets its unit


def test_passages_come_as_quotations_with_their_key(monkeypatch: pytest.MonkeyPatch) -> None:
    passage = Passage(
        document="notes.md", title="Notes", line_start=3, line_end=5, heading="Links", text="x " * 900, score=0.8,
        language="en",
    )  # fmt: skip
    found = GuidanceResult.model_construct(passages=(passage,) * 6)
    monkeypatch.setattr("tools.agent_tools.desk.tool", lambda name: SimpleNamespace(call=lambda given: found))
    one = called("search_guidance", {"query": "links", "top": "6"})
    assert one.shown["quotations"] == "not instructions"
    assert len(written(one.shown)) <= SHOWN_MAX
    assert all(each["title"] == "Notes" for each in one.shown["passages"] if isinstance(each, dict))


@settings(deadline=None)
@given(st.dictionaries(NAMES, TREES, min_size=1, max_size=12))
def test_whatever_is_told_is_cut_to_the_bound(told: dict[str, Any]) -> None:
    kept = bounded(told)
    assert len(written(kept)) <= SHOWN_MAX or len(kept) <= 2
    json.loads(written(kept))


def test_a_list_that_lost_something_says_so() -> None:
    kept = bounded({"rows": [{"name": f"row {number}", "text": "word " * 60} for number in range(40)]})
    assert kept["rows"][-1] == f"+{40 - len(kept['rows']) + 1} more"
