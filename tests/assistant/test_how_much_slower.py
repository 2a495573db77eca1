"""Ways weighed by how much slower they are, cards that heads do not divide by, quotes of machines, signs."""

import pytest

from assistant.understand import understand
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    "question",
    [
        pytest.param("how much slower is 2x 4090 w/o nvlink vs 1x A100 80GB for llama 70b int4", id="en"),
        pytest.param("两张没有 NVLink 的 4090 跑 70B int4 比一张 A100 80G 慢多少？", id="zh"),
    ],
)
def test_by_how_much_is_no_complaint(question: str) -> None:
    _, _, draft = turn(question)
    head = draft.answer.split("\n")[0]
    assert "not normal" not in head
    assert "不正常" not in head


@pytest.mark.parametrize(
    ("question", "uneven"),
    [
        pytest.param("3x 3090 tensor parallel 3 w/ qwen2.5 72b awq dont start, why?", True, id="three"),
        pytest.param("vllm --tensor-parallel-size 6 on 6x 3090 with llama 3.3 70b awq, does it work?", True, id="six"),
        pytest.param("vllm llama 3.3 70b awq with tp=2 on two 3090s, good?", False, id="two"),
        pytest.param("qwen2.5 14b with tensor parallel 5 on 5x 3090?", True, id="eight-heads-of-the-cache-by-five"),
    ],
)
def test_cards_that_heads_do_not_divide_by_are_told_first(question: str, uneven: bool) -> None:
    _, _, draft = turn(question)
    assert ("do not divide" in draft.answer.split("\n")[0]) == uneven
    assert not uneven or draft.verdict != "fits"


@pytest.mark.usefixtures("fresh_prices")
def test_a_machine_quoted_at_the_price_of_its_cards_is_no_fraud() -> None:
    _, _, draft = turn("got quoted 38k usd for a 4x RTX PRO 6000 server. fair?")
    assert "fraud" not in draft.answer
    _, _, draft = turn("got quoted 6k usd for a 4x RTX PRO 6000 server. fair?")
    assert "fraud" in draft.answer


@pytest.mark.parametrize("words", ["in < 24h", "<= 24 hours", "≤24h", "in under 24 hours"])
def test_a_deadline_may_be_a_sign(words: str) -> None:
    assert understand(f"embed 30M docs with bge-m3 {words}, how many l4s?").need.deadline_s == 86_400


@pytest.mark.parametrize(
    "question",
    [
        pytest.param("deepseek-r1-distill-qwen-32b on M4 Pro 48gb, speed?", id="after-a-comma"),
        pytest.param("qwen3 14b q4 on a 3060 12gb, what speed", id="what-speed"),
    ],
)
def test_speed_alone_at_the_end_asks_for_it(question: str) -> None:
    assert understand(question).need.intent == "speed"


def test_cards_of_a_name_may_be_several() -> None:
    cards = understand("two dgx sparks vs one m3 ultra 256gb for qwen3 235b").need.gpus_asked
    assert set(cards) == {"gb10-dgx-spark-128gb", "apple-m3-ultra-256gb"}
