"""Serving over several machines: a slow network is named as the bottleneck, and one machine alone is looked at."""

import pytest

from assistant.ground.check import ground
from assistant.plan import nodes
from assistant.understand import understand
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "said", "moves"),
    [
        ("DeepSeek R1 on two nodes of 8×H100 over 10 GbE, will it work?", "the network decides", "1.25 GB/s"),
        ("Qwen2.5-72B on 2 machines of 4×A100 over 25GbE, does it work?", "the network decides", "3.12 GB/s"),
        ("两台 8×H20 用 25G 网跑 DeepSeek V3，够快吗", "瓶颈在网络", "3.12 GB/s"),
        ("GLM-4.6 跑在两台 8×A800 上，万兆网，行吗", "瓶颈在网络", "1.25 GB/s"),
    ],
)
def test_a_slow_network_is_the_bottleneck(text: str, said: str, moves: str) -> None:
    _, records, draft = turn(text)
    assert said in draft.answer.split("\n")[0]
    assert moves in draft.answer
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


def test_one_machine_that_holds_it_needs_no_network() -> None:
    assert "8×H100 SXM5 80GB alone hold it" in turn("DeepSeek R1 on two nodes of 8×H100 over 10 GbE?")[2].answer


def test_a_fast_network_takes_the_layers_across() -> None:
    line = turn("Llama 405B over two 8×H100 nodes with InfiniBand")[2].answer.split("\n")[0]
    assert line.startswith("**Yes, with tensor parallelism inside each machine")


@pytest.mark.parametrize("text", ["16×H100 with RoCE", "64 张 H800，RoCE 网络", "32×A100 over InfiniBand"])
def test_cards_without_work_are_told_what_they_hold_and_how_they_are_joined(text: str) -> None:
    _, records, draft = turn(text)
    assert any(one.tool == "what_fits" for one in records)
    assert not any(one.tool == "estimate_inference_speed" for one in records)
    assert "tensor parallelism inside a machine" in draft.answer or "张量并行留在机内" in draft.answer


@pytest.mark.parametrize(
    "text",
    [
        "8×H100 with InfiniBand for Llama 70B",
        "两台机器各一张 4090，万兆网，跑 70B 行吗",
        "full fine-tune Llama 70B on 4 nodes of 8×H100 over 100 GbE",
        "does NVLink help with 2×3090?",
    ],
)
def test_one_machine_one_card_each_and_training_are_other_questions(text: str) -> None:
    assert not nodes.asked(understand(text))
