"""Slowness that is told of without a rate: what to expect comes first, and where to look when it is less."""

import pytest

from assistant.ground.check import ground
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "opening"),
    [
        ("ollama is slow on my 3060 with 14b model, why", "**The card is not why"),
        ("ollama跑qwen3:32b很慢，显存24g，怎么回事", "**问题多半不在卡上"),
        ("qwen3 8b runs really slow in vllm on our L40S", "**The card is not why"),
        ("4090 跑 llama3 8b 特别慢", "**问题多半不在卡上"),
    ],
)
def test_what_to_expect_comes_first(text: str, opening: str) -> None:
    understanding, records, draft = turn(text)
    assert understanding.need.intent == "speed"
    assert draft.answer.startswith(opening)
    speed = next(one for one in records if one.tool == "estimate_inference_speed")
    assert f"{speed.result['tokens_per_s_per_user']['low']:.0f}"[:1] in draft.answer.split("\n")[0]
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("两张 3090 训练 ChatGLM 比一张还慢", "interconnect"),
        ("fine-tuning llama 8b on my 4090 is very slow", None),
        ("4090 太慢了，跑 70B 换什么卡", None),
    ],
)
def test_comparisons_training_and_purchases_are_other_questions(text: str, intent: str | None) -> None:
    understanding, _, draft = turn(text)
    assert intent is None or understanding.need.intent == intent
    assert not draft.answer.startswith(("**The card is not why", "**问题多半不在卡上"))


def test_a_model_partly_in_host_memory_is_told_that_instead() -> None:
    _, _, draft = turn("llama3 70b q4 very slow on my 3090, any idea?")
    assert "host memory" in draft.answer.split("\n")[0]
