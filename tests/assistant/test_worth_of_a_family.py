"""Whether a card is worth buying for a family of models: the member that is meant is said first."""

import pytest

from assistant.ground.check import ground
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("is a 3090 still worth it for DeepSeek?", "DeepSeek-R1-Distill-Llama-8B"),
        ("跑 DeepSeek 值得买 A100 吗", "DeepSeek-R1-Distill-Llama-70B"),
        ("Qwen 值得买 L40S 吗", "Qwen3"),
    ],
)
def test_the_member_and_what_is_out_of_reach_come_first(text: str, said: str) -> None:
    _, records, draft = turn(text)
    line = draft.answer.split("\n")[0]
    assert said in line
    assert "four bits" in line or "四位量化" in line
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


def test_a_full_name_is_not_read_as_anything() -> None:
    assert "read as" not in turn("is a 3090 still worth it for Qwen3-8B?")[2].answer.split("\n")[0]


def test_cards_whose_generation_is_no_number_are_judged_too() -> None:
    assert "MI300X" in turn("is an MI300X worth it for Llama 3.3 70B?")[2].answer.split("\n")[0]


def test_another_form_of_the_same_card_is_no_reason_against_it() -> None:
    assert "A100 PCIe" not in turn("is an A100 SXM 80GB worth buying for Llama 3.3 70B?")[2].answer
