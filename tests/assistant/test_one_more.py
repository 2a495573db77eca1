"""A further card of the kind in hand: what it makes possible, what it does for speed, and what it costs."""

import pytest

from assistant.ground.check import ground
from assistant.plan import one_more, particular
from assistant.plan.provisional import provisional
from assistant.understand import understand
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "own", "total"),
    [
        ("I have two 3090s, is a third worth it for 70B?", 2, 3),
        ("已有两张 3090，再加一张跑 70B 有用吗？", 2, 3),
        ("I've got a 4090. Does adding a second one help with Qwen3-32B?", 1, 2),
        ("2x 3090 now, should I add two more for Qwen2.5-72B?", 2, 4),
        ("手上一张 4090，加一张能跑 72B 吗", 1, 2),
        ("3 张 3090 要不要凑第四张，跑 Qwen2.5-72B", 3, 4),
        ("Would a third 4090 help with Llama 3.3 70B? I run two today.", 2, 3),
        ("再买一张 3090 值得吗？现在两张，跑 Qwen2.5-72B", 2, 3),
        ("我有 4 张 A100 40G，再买 4 张跑 DeepSeek-V3 有意义吗", 4, 8),
        ("already own two P40s, would one more make 70B faster?", 2, 3),
    ],
)
def test_how_many_there_are_and_would_be(text: str, own: int, total: int) -> None:
    understanding, records, draft = turn(text)
    assert particular.shape(understanding) == "one_more"
    pair = one_more.numbers(provisional(understanding), text)
    assert pair is not None
    assert [card.count for card in pair] == [own, total]
    assert {one.request.get("gpu_count", 1) for one in records if one.tool == "estimate_inference_speed"} <= {
        own, total, 4
    }  # fmt: skip
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("I have two 3090s, is a third worth it for 70B?", "Yes for quality: 3×RTX 3090 hold it as GGUF Q6_K"),
        ("已有两张 3090，再加一张跑 70B 有用吗？", "要精度就有用：3×RTX 3090 放得下 GGUF Q6_K"),
        ("手上一张 4090，加一张能跑 72B 吗", "有用：1×RTX 4090 连 GGUF Q4_K_M 都放不下"),
        ("Does a second 3090 help for Llama 3.1 8B?", "No: it fits as GGUF Q8_0 already"),
        ("我有 4 张 A100 40G，再买 4 张跑 DeepSeek-V3 有意义吗", "没用：8×A100 SXM4 40GB 也放不下"),
        ("already own two P40s, would one more make 70B faster?", "No, not faster: in GGUF Q4_K_M"),
        ("Two RTX 3090 in my rig: worth getting a third or a fourth for 70B at Q8?", "Not with 3×RTX 3090"),
        ("I have one 3090, is a second worth it for Qwen3-32B fine-tuning?", "Yes: 1×RTX 3090 cannot hold it"),
        (
            "I have a single H100. Would a second H100 help full fine-tuning Llama 3.1 8B?",
            "Yes: 2×H100 SXM5 80GB hold full fine-tuning, 1×H100 SXM5 80GB only LoRA",
        ),
    ],
)
def test_the_verdict_comes_first(text: str, first: str) -> None:
    assert turn(text)[2].answer.removeprefix("**").startswith(first)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I have two 3090s, is a third worth it for 70B?", "take the layers one after another"),
        ("已有两张 3090，再加一张跑 70B 有用吗？", "用不了张量并行"),
    ],
)
def test_an_odd_number_cannot_share_layers(text: str, words: str) -> None:
    _, records, draft = turn(text)
    assert words in draft.answer
    assert "4×RTX 3090" in draft.answer
    rates = {
        (one.request.get("gpu_count"), one.request["weight_format"]): one.result["tokens_per_s_per_user"]["value"]
        for one in records
        if one.tool == "estimate_inference_speed"
    }
    assert rates[(3, "gguf:Q4_K_M")] < 1.1 * rates[(2, "gguf:Q4_K_M")]
    assert rates[(4, "int4")] > 1.3 * rates[(2, "int4")]


@pytest.mark.parametrize(
    "text",
    [
        "Can two 3090s run a 70B model?",
        "Is NVLink worth it for two 3090s with 70B?",
        "我有一张 3090，预算一万再加一张什么卡跑 72B",
        "Should I buy a second server for Qwen2.5-72B? We have one with 8 H100.",
    ],
)
def test_other_questions_keep_their_answers(text: str) -> None:
    assert particular.shape(understand(text)) != "one_more"


def test_what_is_added_is_priced_in_the_askers_money() -> None:
    answer = turn("已有两张 3090，再加一张跑 70B 有用吗？")[2].answer.split("\n")[0]
    assert "加 1×RTX 3090 约 ¥" in answer
    assert "2×RTX 3090 more: about $" in turn("2x 3090 now, should I add two more for Qwen2.5-72B?")[2].answer
