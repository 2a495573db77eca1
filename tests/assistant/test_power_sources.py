"""Whether what feeds the whole machine does: an inverter, a generator, so many kilowatts to spare."""

import pytest

from assistant.ground.check import ground
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "watts", "first"),
    [
        ("My solar setup gives me 1.5 kW spare, can I run two 3090s on that?", 1500, "**Yes"),
        ("Can I run two 3090s on a 1500 W inverter?", 1500, "**Yes"),
        ("我家逆变器 1500W，能带两张 3090 吗？", 1500, "**能"),
        ("Can I run 4 RTX 4090s on 2 kW?", 2000, "**No"),
        ("Can I run 8 4090s on a 3 kW generator?", 3000, "**No"),
        ("只有 2 千瓦，能带 4 张 4090 吗？", 2000, "**不能"),
    ],
)
def test_what_the_machine_draws_is_held_against_its_source(text: str, watts: int, first: str) -> None:
    _, records, draft = turn(text)
    drawn = next(one for one in records if one.tool == "plan_power").result["wall_max_w"]
    assert (drawn <= watts) is first.startswith(("**Yes", "**能"))
    assert draft.answer.startswith(first)
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    "text",
    [
        "What PSU for two 3090s?",
        "1000W 的电源带两张 3090 够吗？",
        "how many 4090s can I run on a 15A circuit?",
        "run 2x 3090 limited to 250 W each on a 750 W power supply?",
        "What does it cost to run 4 4090s around the clock in Germany?",
    ],
)
def test_supplies_circuits_and_limits_keep_their_answers(text: str) -> None:
    assert "there are" not in turn(text)[2].answer.split("\n")[0]
    assert "可用" not in turn(text)[2].answer.split("\n")[0]
