"""A circuit or a rack of stated size beside a question of what to buy."""

import pytest

from assistant.ground.check import ground
from assistant.plan import feeding
from assistant.understand.running import read_running
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        pytest.param("one 15A 120V circuit", 1000, 1240, id="circuit"),
        pytest.param("a single 16A 230V outlet", 2300, 2744, id="outlet"),
        pytest.param("机柜只给6kW", 4000, 5000, id="rack"),
        pytest.param("机房单柜12kW", 9000, 11000, id="each-rack"),
        pytest.param("电源只有1600W", 1080, 1080, id="supply"),
    ],
)
def test_what_feeds_the_machine_limits_the_cards(text: str, least: int, most: int) -> None:
    left = feeding.left(read_running(text))
    assert left is not None
    assert least <= left <= most


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("Which GPU server for Llama 3.3 70B for 30 users, on a 15A 120V circuit?", "120 V 15 A", id="en"),
        pytest.param("办公室只有一个16A插座,想跑70B给10个人用,配什么机器?", "220 V 16 A", id="zh"),
        pytest.param("Qwen2.5-72B做知识库,高峰20个请求,预算60万,机柜只给6kW,买什么服务器?", "机柜的 6.0 kW", id="rack"),
        pytest.param(
            "$15k for a workstation: inference of 70B models and LoRA fine-tuning of 13B. One 15A 120V circuit. What"
            " should we build?",
            "leaves about 1,096 W for cards",
            id="several-works",
        ),
    ],
)
def test_purchase_is_held_against_what_feeds_it(text: str, said: str) -> None:
    _, records, draft = turn(text)
    assert draft.verdict == "recommendation"
    assert said in draft.answer
    assert not ground(draft.answer, records, [text], draft.citations).ungrounded


def test_of_two_sets_of_cards_the_one_that_can_be_fed_is_said_first() -> None:
    text = "8x RTX 5090 or 2x RTX PRO 6000 for an office running a 32B model? It runs off a single 16A 230V outlet."
    _, _, draft = turn(text)
    first = draft.answer.splitlines()[0]
    assert "Only 2×RTX PRO 6000" in first
    assert "No: 8×RTX 5090" in draft.answer


def test_first_token_is_told_where_a_limit_was_set() -> None:
    _, _, draft = turn("Which GPUs for Llama 3.3 70B, 20 concurrent users at 8k, time to first token under 3 s?")
    assert "first token after ≈" in draft.answer


def test_bill_is_told_beside_the_racks() -> None:
    text = "Each rack gives 10 kW, PUE 1.4, $0.14 per kWh. How many 8-GPU H200 servers per rack, electricity per year?"
    assert "a year" in turn(text)[2].answer.splitlines()[0]
