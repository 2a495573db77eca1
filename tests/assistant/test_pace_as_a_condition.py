"""A pace that hardware has to reach, tokens a day, and a model trained from nothing, however they are worded."""

import pytest

from tests.assistant.planning import turn


@pytest.mark.parametrize(
    "question",
    [
        "Cheapest way to run Qwen3-235B-A22B at home at 5+ tok/s?",
        "what should I buy to run Llama 3.3 70B at 20 tokens/s?",
        "跑 Qwen3-32B 要 30 tokens/s，买什么卡最便宜？",
    ],
)
def test_hardware_for_a_pace_is_hardware_to_order(question: str) -> None:
    understanding, _, draft = turn(question)
    assert understanding.need.intent in ("which_to_buy", "budget")
    assert draft.verdict == "recommendation"
    assert draft.configurations


@pytest.mark.parametrize("words", ["1M tokens/day", "2M tokens a day", "5M tokens per month", "500k tokens every day"])
def test_tokens_that_come_by_the_day_are_no_length_of_a_context(words: str) -> None:
    understanding, _, _ = turn(f"What would {words} with Llama 3.1 70B cost on rented GPUs?")
    assert understanding.need.context_tokens is None


@pytest.mark.parametrize(
    "question", ["训练一个 1B 模型从零开始，8 张 4090 要多久", "从零训练一个 1B 模型，8 张 4090 要多久"]
)
def test_from_nothing_is_said_before_or_after_the_model(question: str) -> None:
    understanding, _, draft = turn(question)
    assert understanding.need.task == "pretrain"
    assert "20B" in draft.answer.split("\n")[0]
