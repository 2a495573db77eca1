"""Spot capacity is not put forward for a service that has to be up."""

import pytest

from tests.assistant.planning import turn


@pytest.mark.parametrize(
    "text",
    [
        "Is it OK to use spot H100s to serve our 24x7 customer chatbot on Llama-3.3-70B?",
        "is renting RTX 4090 spot instances fine for production inference of Qwen3-32B?",
        "竞价实例能拿来 7×24 跑 Qwen3-32B 客服模型吗",
    ],
)
def test_spot_for_a_service_is_advised_against_first(text: str) -> None:
    first = turn(text)[2].answer.removeprefix("**")
    assert first.startswith(("Not for a service that has to be up", "要一直在线的服务不能靠竞价实例"))


@pytest.mark.parametrize(
    "text",
    [
        "What do spot H100s cost for fine-tuning Llama-3.1-8B with LoRA on 50M tokens?",
        "7×24 跑 Qwen3-32B 客服模型，租 H20 还是买两张 L20？",
        "spot or on demand for a batch job of Qwen3-8B over 10 hours on an A100?",
    ],
)
def test_spot_for_what_can_wait_is_not(text: str) -> None:
    answer = turn(text)[2].answer
    assert "Not for a service" not in answer
    assert "不能靠竞价实例" not in answer
