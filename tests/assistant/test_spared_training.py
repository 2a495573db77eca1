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


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("can i qlora llama 3 8b on a 4070 super 12gb", 1024),
        ("3060 12G 能 qlora 微调 qwen2.5-7b 吗", 1024),
        ("qlora 70b on a single 40gb a100 possible?", None),
        ("can i qlora llama 3 8b on a 4070 super 12gb with seq length 2048", None),
        ("qlora llama 3 8b on a 24gb 3090?", None),
    ],
)
def test_adapters_that_just_miss_are_tried_on_shorter_samples_where_no_length_was_stated(
    text: str, cut: int | None
) -> None:
    _, records, draft = turn(text)
    tried = [one for one in records if one.tool == "estimate_memory" and one.request["task"] == "qlora"]
    shorter = [one for one in tried if one.request.get("sequence_tokens") == cut] if cut else []
    assert [one.request.get("sequence_tokens") for one in tried[1:]].count(1024) == (1 if cut == 1024 else 0)
    if cut:
        assert shorter[0].result["fit"]["verdict"] in {"yes", "tight"}
        assert draft.verdict == "fits_with_changes"
        assert f"{cut:,} tokens" in draft.answer.split("\n")[0]
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    ("text", "offloaded"),
    [
        ("qlora 70b on 2x4090, does it fit?", True),
        ("两张 3090 能不能 QLoRA 微调 Llama 3.3 70B？", True),
        ("qlora 8b on 2x4090, does it fit?", False),
    ],
)
def test_quantised_weights_that_cards_do_not_share_are_left_to_the_host(text: str, offloaded: bool) -> None:
    """Answer.AI trained Llama-2-70B so on two cards of 24 GB, at a peak of 15 GiB with two samples."""
    _, records, draft = turn(text)
    tried = [one for one in records if one.tool == "estimate_memory" and one.request["task"] == "qlora"]
    assert any(one.request.get("offload") == "all" for one in tried) is offloaded
    assert draft.verdict == ("fits_with_changes" if offloaded else "fits")
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    "text",
    [
        "full fine-tune Qwen2.5-7B in FP8 on 8 H100: how long for 100M tokens?",
        "FP8 全参微调 Qwen2.5-7B，8 张 H100，1 亿 token 要多久？",
    ],
)
def test_a_whole_training_in_eight_bits_is_timed_in_them(text: str) -> None:
    _, records, draft = turn(text)
    timed = next(one for one in records if one.tool == "estimate_training_time")
    assert timed.request["precision"] == "fp8"
    assert draft.verdict == "estimate"
