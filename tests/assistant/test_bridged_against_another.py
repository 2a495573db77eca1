"""A set of cards with a bridge held against another set is a comparison, not a question about the bridge."""

import pytest

from tests.assistant.planning import turn


@pytest.mark.parametrize(
    "text",
    [
        "is 2x 3090 with an nvlink bridge faster than a single 4090 for 70b q4?",
        "两张 3090 加 NVLink 桥比一张 4090 跑 70B Q4 快吗？",
    ],
)
def test_both_sets_are_weighed(text: str) -> None:
    _, records, draft = turn(text)
    first = draft.answer.split("\n\n")[0]
    assert draft.verdict == "comparison"
    assert "2×RTX 3090" in first
    assert "1×RTX 4090" in first
    needed = [one.result["per_gpu"]["total_bytes"] / 2**30 for one in records if one.tool == "estimate_memory"]
    assert f"{max(needed):.0f} GiB" in first  # what the single card would have to hold, not what each of two does


@pytest.mark.parametrize(
    "text",
    ["4×A100 PCIe with NVLink bridges or 2×H100 for Llama 70B?", "四张 A100 PCIe 加 NVLink 桥还是两张 H100 跑 72B？"],
)
def test_either_of_two_sets_is_a_choice(text: str) -> None:
    assert turn(text)[2].verdict == "comparison"


def test_the_bridge_alone_is_still_answered_as_such() -> None:
    _, _, draft = turn("do I need nvlink for 2x3090 running 70b q4?")
    assert draft.answer.startswith("**Hardly")
