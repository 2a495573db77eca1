"""References to results are filled in with what these say, or told as leading nowhere."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.grounding.references import in_unit, paths, rendered
from tests.assistant.grounding.results import ALL, RUN
from tools.agent_tools.ledger import Ledger

HELD = Ledger(ALL)


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("{{R1.ways[0].memory.needed_per_gpu}}", "12.6 GiB"),
        ("{{R1.ways[0].memory.needed_per_gpu|GB}}", "13.5 GB"),
        ("{{r1.ways.0.memory.needed_per_gpu | GiB}}", "12.6 GiB"),
        ("{{ R1.ways[0].limits.max_context_tokens }}", "131,072"),
        ("{{R1.ways[0].speed.tokens_per_s_per_user}}", "41.5 tokens/s (33–52)"),
        ("{{R1.ways[0].speed.first_token|ms}}", "1,770 ms"),
        ("{{R2.found[1].bandwidth|GB/s}}", "1,010 GB/s"),
        ("{{R2.found[0].price_usd}}", "$1,207"),
        ("{{R1.answer.verdict}}", "fits"),
    ],
)
def test_a_reference_says_what_its_result_says(written: str, told: str) -> None:
    filled = rendered(f"It is {written} here.", HELD)
    assert filled.text == f"It is {told} here."
    assert filled.problems == ()
    ((start, end, key),) = filled.spans
    assert (filled.text[start:end], key) == (told, written.strip("{} ")[:2].upper())


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("{{R99.ways[0]}}", "no result R99"),
        ("{{R1.ways[0].memory.nothing}}", "no such path"),
        ("{{R1.ways[0].memory}}", "not one figure"),
        ("{{R1.ways[0].memory}}", "needed_per_gpu"),
        ("{{R1.ways[7].memory.needed_per_gpu}}", "no such path"),
        ("{{R1.ways[0].memory.needed_per_gpu|tokens/s}}", "cannot be told in tokens/s"),
        ("{{the memory}}", "is no reference"),
        ("{{R1.__class__.__name__}}", "no such path"),
    ],
)
def test_one_that_leads_nowhere_is_told_with_what_could_be_said(written: str, says: str) -> None:
    filled = rendered(f"It is {written}.", HELD)
    assert says in " ".join(filled.problems)
    assert filled.text == f"It is {written}."
    assert filled.spans == ()


def test_several_are_filled_in_where_each_stands() -> None:
    text = "{{R1.ways[0].memory.needed_per_gpu}} of {{R1.ways[0].memory.usable_per_gpu}} [[R1]], {{R9.x}}"
    filled = rendered(text, HELD)
    assert filled.text == "12.6 GiB of 23.6 GiB [[R1]], {{R9.x}}"
    assert [filled.text[start:end] for start, end, _ in filled.spans] == ["12.6 GiB", "23.6 GiB"]
    assert len(filled.problems) == 1


@pytest.mark.parametrize(
    ("said", "unit", "told"),
    [
        ("41.0 GiB", "GB", "44 GB"), ("90 min", "h", "1.5 h"), ("1.2 kW", "W", "1,200 W"), ("41.0 GiB", "W", None),
        ("no figure", "GB", None), ("41.5 tokens/s", "tokens/s", "41.5 tokens/s"),
    ],
)  # fmt: skip
def test_a_figure_is_told_in_another_unit_of_its_kind_only(said: str, unit: str, told: str | None) -> None:
    assert in_unit(said, unit) == told


def test_paths_are_those_that_a_reference_takes() -> None:
    for path in paths(RUN.shown):
        assert rendered(f"{{{{R1{path}}}}}", HELD).problems == ()


@settings(deadline=None)
@given(st.text(alphabet="{}R0123.[]|way_ ", max_size=80))
def test_any_braces_are_read_and_spans_lie_in_the_text(text: str) -> None:
    filled = rendered(text, HELD)
    assert all(0 <= start < end <= len(filled.text) for start, end, _ in filled.spans)
    assert filled.spans or filled.problems or "{{" not in text or "}}" not in text or filled.text == text
