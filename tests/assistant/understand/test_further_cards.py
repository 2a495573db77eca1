"""Cards that would be added to those in hand, and what their number makes of the question."""

import pytest

from assistant.plan import requests
from assistant.understand import understand
from tests.assistant.planning import talk


@pytest.mark.parametrize(
    ("text", "card", "count"),
    [
        ("I have one 3090, should I get a second one or sell it for a 4090? 70B Q4", "rtx-3090-24gb", 2),
        ("my rig has a P40; is another P40 enough for Mixtral 8x7B Q4?", "p40-24gb", 2),
        ("we own two A6000s, would two more let us serve Llama 3.1 70B in fp16?", "rtx-a6000-48gb", 4),
        ("手上一张 3090，再加一张能跑 70B Q4 吗", "rtx-3090-24gb", 2),
        ("I own 2x 4060 Ti 16GB, one more for Qwen2.5 72B Q4?", "rtx-4060-ti-16gb", 3),
    ],
)
def test_the_cards_in_question_are_those_there_would_be(text: str, card: str, count: int) -> None:
    need = understand(text).need
    weighed = {one.gpu: one.count for one in requests.compared(need)}
    assert weighed[card] == count
    owned = {one.gpu: one.count for one in need.gpus_owned}
    assert owned.get(card, 0) < count


@pytest.mark.parametrize(
    "text",
    [
        "I have a 3090 and a second user asks for Llama 3.1 8B",
        "my 4090 OOMs on the second request with Qwen2.5 14B",
        "we have 4 A100, is another node needed for 70B?",
    ],
)
def test_a_second_of_something_else_adds_no_card(text: str) -> None:
    need = understand(text).need
    assert requests.cards(need) == need.gpus_owned


@pytest.mark.parametrize(
    ("turns", "count"),
    [
        (("can a 3090 run Qwen2.5 32B?", "and if I put in a second one?"), 2),
        (("Llama 3.3 70B on my two 4090s?", "and with two more?"), 4),
        (("一张 4090 跑 QwQ-32B 够吗", "再加一张呢"), 2),
        (("does 70B Q4 fit my 3090?", "what if I add another 3090"), 2),
    ],
)
def test_a_follow_up_that_adds_a_card_recounts_those_in_hand(turns: tuple[str, ...], count: int) -> None:
    understanding, _, _ = talk(*turns)
    assert [one.count for one in understanding.need.gpus_owned] == [count]
