"""Cards in the number stated, and rates only in what they compute in, or can unpack, which is said."""

import pytest

from assistant.ground.check import ground
from kb.catalog import gpu
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("We own 16 A100 80GB, serve DeepSeek-R1 for 50 users, how fast?", 16),
        ("我有 16 张 A800，DeepSeek-R1 给 50 人用能跑多快？", 16),
        ("我有 10 张 3090，Qwen3-235B 能跑多快？", 10),
        ("A800 16 cards, INT8 DeepSeek-V3, how fast for 20 requests at once?", 16),
    ],
)
def test_cards_that_hold_the_work_are_told_in_the_number_stated(text: str, count: int) -> None:
    _, records, draft = turn(text)
    paced = [one for one in records if one.tool == "estimate_inference_speed" and "error" not in one.result]
    assert paced
    assert {one.result["gpu_count"] for one in paced} == {count}
    assert "8×" not in draft.answer
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("我有 16 张 A800，给 50 人用 Qwen2.5-72B，要不要再买？", "16×A800 SXM4 80GB 里的 8 张"),
        ("We have 16 A800s, what should we buy to serve Qwen2.5-72B to 100 users?", "8 of the 16×A800 SXM4 80GB"),
    ],
)
def test_fewer_of_the_cards_in_hand_are_told_as_some_of_them(text: str, said: str) -> None:
    answer = turn(text)[2].answer
    first = answer.split("\n")[0]
    assert said in first
    assert "BF16" in first


@pytest.mark.parametrize(
    "text",
    [
        "我有 16 张 A800，给 50 人用 DeepSeek-R1，要不要再买？",
        "We have 16 A800s, what should we buy to serve DeepSeek-V3 to 100 users?",
    ],
)
def test_all_of_them_hold_the_published_format_unpacked(text: str) -> None:
    """The cards have no units for FP8, and engines unpack it there: no fewer bits are needed."""
    first = turn(text)[2].answer.split("\n")[0]
    assert "FP8" in first
    assert "里的" not in first
    assert "of the 16" not in first


@pytest.mark.parametrize(
    "text",
    [
        "We own 16 A100 80GB, serve DeepSeek-R1 for 50 users, how fast?",
        "8 张 A100 80G 跑 DeepSeek-V3 有多快？",
        "How fast is DeepSeek-V3 on 8 A800s?",
    ],
)
def test_no_rate_is_told_in_a_format_that_cards_do_not_compute_in(text: str) -> None:
    _, records, _ = turn(text)
    paced = [one.result for one in records if one.tool == "estimate_inference_speed" and "error" not in one.result]
    assert paced
    for one in paced:
        assert one["weight_format"] != "fp8" or gpu(one["gpu"]).fp8_flops


@pytest.mark.parametrize(
    ("text", "format_name"),
    [
        ("RTX 3090 fp8 Qwen3-14B speed?", "FP8"),
        ("A100 80G 跑 FP8 的 Qwen3-32B 有多快？", "FP8"),
        ("RTX 4090 NVFP4 Qwen3-32B speed", "NVFP4"),
        ("H100 上 NVFP4 的 Llama 3.3 70B 多快？", "NVFP4"),
    ],
)
def test_a_stated_format_without_units_is_paced_as_weights_alone_and_said_so(text: str, format_name: str) -> None:
    _, records, draft = turn(text)
    assert any(one.tool == "estimate_inference_speed" for one in records)
    line = next(one for one in draft.answer.split("\n") if "weight-only" in one)
    assert format_name in line


@pytest.mark.parametrize(
    "text",
    [
        "A800 8卡 FP8 训练 Llama 3.1 8B，50M tokens 要多久？",
        "Full fine-tune Llama 3.1 8B in FP8 on 8 A100 80GB with 50M tokens, how long?",
    ],
)
def test_a_training_in_fp8_on_cards_without_is_timed_in_bf16(text: str) -> None:
    _, records, draft = turn(text)
    timed = next(one.result for one in records if one.tool == "estimate_training_time")
    assert timed["precision"] == "bf16"
    assert any("FP8" in one and "BF16" in one for one in draft.answer.split("\n") if one.startswith("- "))


def test_a_training_in_fp8_on_cards_with_it_stays_in_fp8() -> None:
    records = turn("Full fine-tune Llama 3.1 8B in FP8 on 8 H100s with 50M tokens, how long?")[1]
    assert next(one for one in records if one.tool == "estimate_training_time").result["precision"] == "fp8"


@pytest.mark.parametrize("text", ["Does the RTX 3090 support FP8?", "3090 支持 fp8 吗？"])
def test_what_a_card_supports_is_still_a_look_up(text: str) -> None:
    assert not any(one.tool == "estimate_inference_speed" for one in turn(text)[1])


@pytest.mark.parametrize("text", ["4 张 A6000 能跑 Qwen3-235B 吗？", "Can my 4 A6000s run Qwen3-235B?"])
def test_all_the_cards_have_a_pace_where_some_would_do(text: str) -> None:
    _, records, draft = turn(text)
    paced = [one.result for one in records if one.tool == "estimate_inference_speed"]
    assert {one["gpu_count"] for one in paced} == {4}
    fastest = max(one["tokens_per_s_per_user"]["value"] for one in paced)
    assert f"{fastest:.0f} tokens/s" in draft.answer
    assert "3×RTX A6000" in draft.answer
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded
