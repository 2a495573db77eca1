"""Several copies of a model on the cards in hand, and what keeps a service up."""

import pytest

from assistant.ground.check import ground
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(
            "Our 8x MI300X node serves Llama 3.1 405B. In FP8, could we run two copies?",
            "2 copies: yes, each on 4×AMD Instinct MI300X",
            id="fit",
        ),
        pytest.param("8张A100 80G上跑两个Qwen2.5-72B实例行吗?", "2 份：可以，每份独占 4×A100", id="zh"),
        pytest.param("Can I run two copies of it on 2x RTX 4090: Qwen3-32B in FP8?", "2 copies: no", id="no"),
    ],
)
def test_each_copy_is_held_against_its_share(text: str, said: str) -> None:
    _, records, draft = turn(text)
    assert said in draft.answer
    assert not ground(draft.answer, records, [text], draft.citations).ungrounded


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("We need 99.9% availability for Llama 3.3 70B, 50 concurrent users. How many servers?", id="en"),
        pytest.param("Qwen2.5-32B给30人并发用,要高可用,一张卡坏了服务不能停,买什么?", id="zh"),
    ],
)
def test_service_that_has_to_stay_up_is_ordered_twice(text: str) -> None:
    answer = turn(text)[2].answer
    assert "order that machine twice" in answer or "买两套" in answer


def test_training_needs_no_second_machine() -> None:
    assert "买两套" not in turn("微调70B的机器,可用性有什么要求,买什么卡")[2].answer
