"""One card in two numbers: both side by side, which of them hold the work and how much faster the more are."""

import pytest

from assistant.ground.check import ground
from assistant.plan import particular
from assistant.understand import understand
from tests.assistant.planning import talk, turn


@pytest.mark.parametrize(
    ("text", "few", "many"),
    [
        ("1 张 4090 和 2 张 4090 跑 Qwen2.5-32B 差多少", 1, 2),
        ("one 3090 vs two 3090s for 70B Q4", 1, 2),
        ("single 4090 or dual 4090 for Qwen2.5-32B?", 1, 2),
        ("2张3090和4张3090跑72B int4 速度差多少", 2, 4),
        ("1x H100 vs 2x H100 for Llama 3.3 70B FP8, how much faster?", 1, 2),
        ("4卡A800和8卡A800部署Qwen2.5-72B，吞吐差多少", 4, 8),
        ("Is two 5090s much faster than one 5090 for Llama 3.1 8B?", 1, 2),
        ("4 vs 8 H100 for fine-tuning Llama 3.1 70B LoRA", 4, 8),
        ("两张 4090 比一张 4090 跑 32B 快多少", 1, 2),
        ("4090 一张和两张跑 Qwen2.5-32B 有多大区别", 1, 2),
        ("H100 x4 vs x8 for Llama 3.1 405B FP8", 4, 8),
        ("跑 Qwen2.5-72B 用 4 卡还是 8 卡 A100 80G", 4, 8),
        ("does going from 1 to 2 RTX 6000 Ada help with 70B int4", 1, 2),
        ("8卡H100和16卡H100训练7B，1T tokens 分别要多久", 8, 16),
        ("2 台 8 卡 H100 还是 1 台 8 卡 H100 跑 DeepSeek-R1", 8, 16),
        ("双 3090 比单 3090 强多少", 1, 2),
    ],
)
def test_both_numbers_are_told(text: str, few: int, many: int) -> None:
    understanding, records, draft = turn(text)
    assert particular.shape(understanding) == "in_numbers"
    assert sorted(card.count or 1 for card in understanding.need.gpus_proposed) == [few, many]
    lines = [line for line in draft.answer.splitlines() if line.startswith("- **")]
    assert [line.removeprefix("- **").partition("×")[0] for line in lines[:2]] == [str(few), str(many)]
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("one 3090 vs two 3090s for 70B Q4", "Only 2×RTX 3090 hold it"),
        ("2张3090和4张3090跑72B int4 速度差多少", "只有 4×RTX 3090 放得下"),
        ("single 4090 or dual 4090 for Qwen2.5-32B?", "2×RTX 4090 are"),
        ("4 vs 8 H100 for fine-tuning Llama 3.1 70B LoRA", "8×H100 SXM5 80GB are"),
        ("单张 A100 和双 A100 跑 flux 差别", "单个任务不会更快"),
        ("single 4090 vs dual 4090?", "2×RTX 4090 hold models up to"),
    ],
)
def test_the_verdict_comes_first(text: str, first: str) -> None:
    assert turn(text)[2].answer.removeprefix("**").startswith(first)


@pytest.mark.parametrize(
    "text", ["single 4090 or dual 4090 for Qwen2.5-32B?", "4090 一张和两张跑 Qwen2.5-32B 有多大区别"]
)
def test_layers_in_turn_and_shared_are_told_apart(text: str) -> None:
    first = turn(text)[2].answer.split("\n")[0]
    assert first.index("vLLM") < first.index("llama.cpp")
    assert "≈ 1.6" in first


def test_throughput_is_told_for_many_at_once() -> None:
    _, records, draft = turn("4卡A800和8卡A800部署Qwen2.5-72B，吞吐差多少")
    speeds = [one.request for one in records if one.tool == "estimate_inference_speed"]
    assert {one["concurrent_sequences"] for one in speeds} == {64}
    assert "吞吐按 64 路并发算" in draft.answer


@pytest.mark.parametrize(
    "text",
    [
        "4 or 8 bit on 2x 3090 for 70B?",
        "7B or 14B on one 4090?",
        "I have a 4090 and two 3090s, run 70B?",
        "32 users vs 64 users on 2x H100 for Llama 3.3 70B FP8",
        "2x A6000 or one H100 for finetuning Llama 3.1 8B?",
        "Can two 3090s run a 70B model?",
        "2 A100 or 8 for 3000 users, does throughput scale?",
        "4 卡和 8 卡 A100 哪个够 2000 人用",
    ],
)
def test_other_numbers_are_no_cards(text: str) -> None:
    assert particular.shape(understand(text)) != "in_numbers"


def test_a_further_number_is_answered_after_it() -> None:
    answer = talk("2张3090和4张3090跑72B int4 速度差多少", "那 8 张呢")[2].answer
    assert "8×RTX 3090" in answer
