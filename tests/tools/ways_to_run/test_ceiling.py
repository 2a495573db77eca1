"""Cards that were hardly measured: the estimate is told as a ceiling, by reports that can be looked up."""

from typing import Any

import pytest

from kb.catalog import gpus
from kb.constants.measured_speed import measured_speeds
from kb.constants.weak_stacks import weak_stack, weak_stacks
from tools.registry import tool
from tools.ways_to_run.result import WaysToRun
from tools.ways_to_run.weigh.ceiling import reached

WORST = 0.9
"""Share of the formula above which no class is worth telling apart."""


def find(**fields: Any) -> WaysToRun:
    """The tool, by its name."""
    found = tool("find_ways_to_run").call(fields)
    assert isinstance(found, WaysToRun)
    return found


@pytest.mark.parametrize(
    ("cards", "fields"),
    [
        ("2x B580", {"host_memory": "48GB"}),
        ("Atlas 300I Duo 96GB", {}),
        ("MI50 32GB", {}),
        ("4x V100 32GB", {"engine": "vllm"}),
        ("4x 910B3", {"engine": "vllm"}),
        ("DGX Spark", {"engine": "vllm"}),
    ],
)
def test_a_stack_that_was_hardly_measured_reaches_down_to_its_worst_report(cards: str, fields: dict[str, Any]) -> None:
    found = find(model="Qwen3-30B-A3B", cards=cards, **fields)
    way = found.ways[0]
    share = reached(gpus()[way.cards[0].gpu], way.engine)

    assert share is not None
    assert way.speed is not None
    assert way.speed.first_token_s is not None
    rate, wait = way.speed.tokens_per_s_per_user, way.speed.first_token_s
    assert rate.low <= rate.value * share.decode * 1.001
    assert wait.high >= wait.value / share.prefill * 0.999
    assert rate.low <= rate.value <= rate.high
    assert any("of this engine on this card" in line for line in found.warnings)


@pytest.mark.parametrize("cards", ["4090", "8x H100", "7900 XTX", "M3 Ultra 512GB"])
def test_kept_stacks_are_told_as_before(cards: str) -> None:
    found = find(model="Qwen3-8B", cards=cards)

    assert not any("of this engine on this card" in line for line in found.warnings)


def test_a_card_that_was_measured_in_an_engine_is_in_no_class_there_but_of_several_ways() -> None:
    several = set()
    for row in measured_speeds():
        if row.kind == "decode" and not row.doubt and row.gpu in gpus():
            stack = weak_stack(gpus()[row.gpu], row.engine)
            assert stack is None or stack.even_measured, row.id
            several.add(stack.id if stack else None)
    assert {"volta", "npu", None} <= several


@pytest.mark.parametrize("stack", weak_stacks().stacks, ids=lambda one: str(one.id))
def test_every_class_has_reports_of_its_own_cards_and_is_below_the_formula(stack: Any) -> None:
    assert {row.source for row in stack.rows} <= set(weak_stacks().sources)
    for row in stack.rows:
        share = reached(gpus()[row.gpu], row.engine)

        assert stack.holds(gpus()[row.gpu], row.engine), row
        assert share is not None
        assert 0.02 < share.decode < WORST
        assert 0.02 < share.prefill <= 1
