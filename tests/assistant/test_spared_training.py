"""A whole training that cards in hand do not hold: eight-bit states and the optimizer on the host come before cards."""

import pytest

from assistant.ground.check import ground
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "eight_bit", "offloaded"),
    [
        ("Can I full fine-tune a 72B on 16×A800?", True, True),
        ("full fine-tune 32B on 8xA100 40GB possible?", False, True),
        ("8 张 4090 能全参微调 14B 吗", False, True),
        ("用 8 张 H100 全参训练 Qwen2.5-72B，够不够", False, True),
    ],
)
def test_settings_that_hold_it_are_told_with_their_memory(text: str, eight_bit: bool, offloaded: bool) -> None:
    _, records, draft = turn(text)
    tried = [one for one in records if one.tool == "estimate_memory" and one.request["task"] == "full_finetune"]
    held = [one for one in tried if one.result["fit"]["verdict"] in {"yes", "tight"}]
    assert any(one.request.get("optimizer") == "adamw_8bit" for one in tried)
    assert any(one.request.get("optimizer") == "adamw_8bit" for one in held) is eight_bit
    assert any(one.request.get("offload") == "optimizer" for one in held) is offloaded
    assert draft.verdict == "fits_with_changes"
    assert "CPU offload" in draft.answer.split("\n")[0]
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    "text",
    [
        "full fine-tune 14B on 8x4090 with the optimizer already offloaded to CPU and adamw_8bit: fits?",
        "8 张 H100 全参微调 7B 能跑吗",
    ],
)
def test_nothing_is_spared_twice_or_where_it_fits(text: str) -> None:
    _, records, _ = turn(text)
    tried = [one for one in records if one.tool == "estimate_memory" and one.request["task"] == "full_finetune"]
    keys = [(one.request.get("optimizer"), one.request.get("offload"), one.request.get("sharding")) for one in tried]
    assert len(keys) == len(set(keys))
    fits = tried[0].result["fit"]["verdict"] == "yes"
    assert not fits or len({key[:2] for key in keys}) == 1
