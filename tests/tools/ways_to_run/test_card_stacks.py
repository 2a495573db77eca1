"""Formats that the stack of a card has no kernel for are no ways, and what stands in for them is named."""

from typing import Any

import pytest

from tools.registry import tool
from tools.ways_to_run.result import WaysToRun


def find(**fields: Any) -> WaysToRun:
    """The tool, by its name."""
    found = tool("find_ways_to_run").call(fields)
    assert isinstance(found, WaysToRun)
    return found


@pytest.mark.parametrize(
    ("model", "cards", "form"),
    [("gpt-oss-20b", "Ascend 910B4", "mxfp4"), ("gpt-oss-20b", "2x MetaX C500", "mxfp4"),
     ("Qwen3-14B-FP8", "MetaX C500", "fp8")],
)  # fmt: skip
def test_a_format_without_a_kernel_is_no_way_and_wider_weights_stand_in(model: str, cards: str, form: str) -> None:
    found = find(model=model, cards=cards)

    assert found.ways
    assert all(way.weight_format != form for way in found.ways)
    assert any(row.kind == "format" and form.upper() in row.way for row in found.rejected)


def test_weights_that_nobody_publishes_so_are_told_as_to_be_found_or_made() -> None:
    found = find(model="gpt-oss-120b", cards="4x Ascend 910B3", weight_format="mxfp4")

    assert any("must be found or made" in line for line in found.warnings)
    assert all("openai/gpt-oss-120b " not in way.command for way in found.ways)


def test_nvidia_cards_read_the_published_format_still() -> None:
    found = find(model="gpt-oss-120b", cards="H100")

    assert found.ways[0].weight_format == "mxfp4"
    assert not any("must be found or made" in line for line in found.warnings)


def test_a_tight_fit_is_told_as_tight() -> None:
    fields = {"model": "Qwen3-32B", "weight_format": "awq", "cards": "3090", "engine": "vllm", "kv_format": "fp8"}
    said = {
        way.memory.surety: found.answer.said
        for context in range(2048, 40960, 2048)
        if (found := find(**fields, context_tokens=context)).answer.verdict == "fits"
        for way in found.ways[:1]
    }

    assert "tight:" in said["tight"]
    assert "tight" not in said.get("yes", "")
