"""Cards of several kinds in hand: the answer leads with what they hold alone and together, never with the smallest."""

import re
from functools import cache

import pytest

from assistant.answer import Draft
from tests.assistant.planning import turn

BOXES = [
    pytest.param("I own a 5090, a 3090 and a GTX 1060 6GB. Can I run Qwen3-32B?", "RTX 5090 alone", id="one-alone"),
    pytest.param("Can I run Llama 3.3 70B on a 3090 plus a 4060 Ti 16GB?", "Q3_K_M", id="below-four-bits"),
    pytest.param("我有 2 张 3090 和 1 张 P40，能跑 Qwen2.5-72B 吗？", "按层合放", id="zh"),
]


@cache
def answered(question: str) -> Draft:
    return turn(question)[2]


def first_line(question: str) -> str:
    return answered(question).answer.split("\n")[0]


@pytest.mark.parametrize(("question", "told"), BOXES)
def test_the_verdict_names_the_cards_that_do_it(question: str, told: str) -> None:
    answer = answered(question)
    assert told in first_line(question)
    assert answer.verdict == "fits_with_changes"
    assert not re.search(r"[23]×(?:RTX 4060 Ti|GTX 1060|Tesla P40)", first_line(question).split("：")[0])


def test_cards_in_hand_stand_under_no_heading_of_things_to_order() -> None:
    text = answered("Can I run Llama 3.3 70B on a 3090 plus a 4060 Ti 16GB?").answer
    assert "With the cards you have" in text
    assert "What you could order" not in text


def test_what_they_can_do_counts_all_their_memory() -> None:
    text = first_line("I have a 3090 and a 4060 Ti 16GB. What models can I run?")
    assert "1×RTX 3090 + 1×RTX 4060 Ti 16GB" in text
    assert "39.2 GiB usable together" in text


def test_an_engine_that_needs_equal_cards_counts_the_smallest() -> None:
    text = first_line("Can I serve Qwen3-14B with vLLM on a 3090 plus a 4060 Ti 16GB?")
    assert "2×RTX 4060 Ti 16GB" in text
