from collections.abc import Callable

import pytest

from assistant.answer import ToolCallRecord
from assistant.compose import compose
from assistant.understanding import Understanding
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    "text",
    ["配 100G 显存就够了吧", "100GB is enough, right?", "it only needs 100 GB", "别人说只要 100G"],
)
def test_too_little_memory_taken_for_granted_is_corrected(
    text: str, estimate: Callable[..., ToolCallRecord], asked: Callable[..., Understanding]
) -> None:
    draft = compose(asked(text, intent="min_vram"), [estimate(134, gpus=1, usable=None)])
    assert "100 GB" in draft.answer


@pytest.mark.parametrize("text", ["配 200G 显存就够了吧", "我有 24G 的卡", "A100 80G 能跑吗", "上下文 100k 够吗"])
def test_nothing_is_corrected_when_nothing_is_wrong(
    text: str, estimate: Callable[..., ToolCallRecord], asked: Callable[..., Understanding]
) -> None:
    draft = compose(asked(text, intent="min_vram"), [estimate(134, gpus=1, usable=None)])
    assert "不够" not in draft.answer
    assert "用不了" not in draft.answer


def test_a_requirement_far_above_the_estimate_is_corrected_downwards(
    estimate: Callable[..., ToolCallRecord], asked: Callable[..., Understanding]
) -> None:
    draft = compose(asked("说要 400G 显存", intent="min_vram"), [estimate(134, gpus=1, usable=None)])
    assert "用不了 400 GB" in draft.answer


def test_of_a_copy_on_each_card_the_least_way_is_held_against_the_claim() -> None:
    """Four copies take 150 GB together, and yet nobody needs that: dealt out by layers it is a quarter."""
    answer = turn("needs 80GB for GLM4-9B LoRA with 6k tokens on 4x3090?")[2].answer
    assert "is not enough" not in answer
    assert "does not take 80 GB" in answer.split("\n")[0]
