"""How many cards serve a load at a pace that was set, each kind by itself, with its rent."""

import pytest

from assistant.ground.check import ground
from assistant.understand import understand
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "pace"),
    [
        pytest.param("serve 150 concurrent users at 25 tok/s each with a 70B", 25, id="each"),
        pytest.param("70B for 40 users, 15 tokens/s per user", 15, id="per-user"),
        pytest.param("Qwen2.5-72B 给100个并发用户,每人20 tokens/s", 20, id="zh"),
        pytest.param("I get 12 tok/s per user on 2 A100s with Qwen2.5-72B, why so slow?", None, id="measured"),
        pytest.param("实测每人只有 8 tokens/s,Qwen2.5-72B 100 并发", None, id="zh-measured"),
    ],
)
def test_pace_for_each_is_a_target_unless_it_was_measured(text: str, pace: float | None) -> None:
    assert understand(text).need.target_tokens_per_s == pace


def test_each_card_gets_its_number_and_its_month() -> None:
    text = (
        "We need to serve Llama 3.3 70B to 150 concurrent users, time to first token under 2 s and 25 tok/s each,"
        " prompts 4k tokens. How many H100s or MI300Xs, and what would each cost per month rented?"
    )
    _, records, draft = turn(text)
    first = draft.answer.splitlines()[0]
    assert {one.gpu for one in draft.configurations} == {"h100-sxm-80gb", "mi300x-192gb"}
    assert all((one.speed or {})["tokens_per_s_per_user"] >= 25 for one in draft.configurations)
    assert first.count("a month around the clock") == 2
    assert not ground(draft.answer, records, [text], draft.citations).ungrounded


def test_pace_decides_over_memory() -> None:
    _, _, draft = turn("32B模型给60个人用,每人不低于15 token/s,用L20要几张?")
    assert draft.configurations[0].gpu == "l20-48gb"
    assert f"{draft.configurations[0].gpu_count}×L20" in draft.answer.splitlines()[0]


def test_card_that_cannot_keep_the_pace_is_said_to() -> None:
    _, _, draft = turn("How many K80s or H100s to serve Llama 3.3 70B to 40 concurrent users at 50 tok/s each?")
    assert "No configuration of Tesla K80" in draft.answer
