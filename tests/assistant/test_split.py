"""Cards in hand divided between works that run at once: each on cards of its own, with what it holds there."""

import pytest

from assistant.ground.check import ground
from assistant.plan import split
from assistant.understand import understand
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "I have 8 H100: I want to serve Qwen3-32B and fine-tune Llama 8B at once: how do I split them?",
            [("inference", 1), ("full_finetune", 7)],
        ),
        ("我有 8 张 H100，想同时部署 Qwen3-32B 和微调 Llama 8B，怎么分？", [("inference", 1), ("full_finetune", 7)]),
        (
            "8x A100 80GB: how should I divide them between serving Llama 3.3 70B and LoRA fine-tuning of Qwen2.5-7B?",
            [("inference", 2), ("lora", 6)],
        ),
        ("一台 8 卡 4090，一边跑 Qwen3-14B 推理一边微调 7B，卡怎么分配？", [("inference", 2), ("lora", 6)]),
        (
            "We own 4 A100 80GB. Half for serving Qwen3-32B, half for training Llama 3.1 8B LoRA - does it fit?",
            [("inference", 2), ("lora", 2)],
        ),
        ("我们有 2 台 8 卡 A100 80G，一台推理 72B，一台训练 7B，够吗", [("inference", 8), ("full_finetune", 8)]),
        (
            "I have 8 H100, serve DeepSeek-R1-Distill-Llama-70B and Qwen3-32B on them, how to split?",
            [("inference", 2), ("inference", 1)],
        ),
    ],
)
def test_each_work_gets_cards_of_its_own(text: str, parts: list[tuple[str, int]]) -> None:
    understanding, records, draft = turn(text)
    found = split.shares(understanding)
    assert [(one.way.task, one.way.card.count) for one in found] == parts
    assert all(one.way.fits for one in found)
    first = draft.answer.split("\n")[0]
    for _, count in parts:
        assert f"{count}×" in first
    assert draft.answer.count("tokens/s") >= len(parts)
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("4 张 4090，同时跑 Qwen3-8B 推理和 LoRA 微调 Qwen2.5-7B，够吗", "够："),
        ("We own 4 A100 80GB. Half for serving Qwen3-32B, half for training Llama 3.1 8B LoRA - does it fit?", "Yes: "),
    ],
)
def test_whether_they_suffice_is_said_first(text: str, first: str) -> None:
    assert turn(text)[2].answer.removeprefix("**").startswith(first)


def test_a_way_nobody_said_is_told() -> None:
    answer = turn("I have 8 H100: serve Qwen3-32B and fine-tune Llama 8B at once: how do I split them?")[2].answer
    assert "LoRA takes less" in answer


@pytest.mark.parametrize(
    "text",
    [
        "8 张 A800，推理 Qwen2.5-72B 和 embedding bge-m3，怎么分",
        "Two 4090s: by day a 14B chat, at night LoRA of a 7B. Does that work?",
        "Can 4 A100 run Llama 3 70B and can they fine-tune Qwen2.5-7B?",
        "8 张 H100 能跑 Qwen3-32B 吗",
    ],
)
def test_other_questions_keep_their_answers(text: str) -> None:
    assert not split.asked(understand(text))
