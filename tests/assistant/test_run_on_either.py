"""A training that may run on one set of cards or on another is timed, and priced where that is asked, on both."""

import pytest

from assistant.compose import numbers
from tests.assistant.planning import talk, turn


@pytest.mark.parametrize(
    "text",
    [
        "LoRA of Llama-3.1-8B on 100M tokens: how long on 8xA100 or 8xH100, and what does it cost rented?",
        "用 5000 万 token 微调 Qwen2.5-7B（LoRA），A100 和 H100 各要多久，租下来各多少钱？",
        "How long would pre-training gpt2 on 300B tokens take on rented 8xA100 or 8xH100, and what does it cost?",
        "Pretrain gpt2 on openwebtext, 8xL40S vs 8xH100 rented: time and cost?",
    ],
)
def test_both_are_timed_and_priced_the_faster_first(text: str) -> None:
    _, records, draft = turn(text)
    timed = [one.result for one in records if one.tool == "estimate_training_time"]
    bills = [one.result for one in records if one.tool == "estimate_cost" and one.result["run"]]
    assert len({one["gpu"] for one in timed}) == 2
    assert {(one["gpu"], one["gpu_count"]) for one in bills} == {(one["gpu"], one["gpu_count"]) for one in timed}
    headline = draft.answer.split("\n\n")[0]
    told = [
        numbers.duration(one["time_s"]["value"])[0] for one in sorted(timed, key=lambda one: one["time_s"]["value"])
    ]
    assert headline.index(told[0]) < headline.index(told[1])
    assert draft.verdict == "comparison"


def test_time_alone_is_told_without_prices() -> None:
    _, records, draft = turn("How long does LoRA of Qwen2.5-7B on 50M tokens take on one L40S or one A6000?")
    assert sum(one.tool == "estimate_training_time" for one in records) == 2
    assert "$" not in draft.answer.split("\n\n")[0]


def test_cards_asked_about_in_a_follow_up_are_timed_not_those_told_before() -> None:
    _, records, _ = talk(
        "LoRA 微调 Qwen2.5-7B，1 亿 token，4090 要多久？", "租 8 卡 A100 或者 8 卡 H100 呢，多久、多少钱？"
    )
    timed = {one.result["gpu"] for one in records if one.tool == "estimate_training_time"}
    assert timed == {"a100-sxm-80gb", "h100-sxm-80gb"}


def test_several_kinds_in_hand_are_one_machine() -> None:
    _, records, _ = turn("I have a 4090 and a 3090: how long does LoRA of Qwen2.5-7B on 50M tokens take?")
    assert len({one.result["gpu"] for one in records if one.tool == "estimate_training_time"}) <= 1
