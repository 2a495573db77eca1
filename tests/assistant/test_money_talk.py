"""Conversations about money: a later turn changes the card, the time, the currency or the way, and keeps the rest."""

import re

import pytest

from assistant.ground.check import ground
from tests.assistant.planning import talk


@pytest.mark.parametrize(
    ("turns", "says"),
    [
        pytest.param(("What would 8 H100s cost for 2 weeks?", "and in euros?"), r"336 hours .*€", id="currency"),
        pytest.param(("What would 8 H100s cost for 2 weeks?", "for a month instead?"), r"730 hours", id="time"),
        pytest.param(
            ("What would 8 H100s cost for 2 weeks?", "what if spot?"), r"336 hours .*(?:Nebius|\$)", id="spot"
        ),
        pytest.param(("What would 8 H100s cost for 2 weeks?", "and buying them?"), r"^\**Buying", id="buying"),
        pytest.param(("4 张 L20 租一个月多少钱", "换成 A10 呢"), r"租 4×A10 共一个月（730 小时）", id="card"),
        pytest.param(("4 张 L20 租一个月多少钱", "8 张呢"), r"租 8×L20 共一个月（730 小时）", id="count"),
        pytest.param(("租 2 张 A100 三个月多少钱", "换成美元"), r"2,190 小时.*\$", id="美元"),
        pytest.param(("rent or buy a 5090, 12 hours a day?", "over 5 years"), r"over 5 years", id="years"),
        pytest.param(("rent or buy a 5090, 12 hours a day?", "over 5 years", "in GBP"), r"over 5 years.*£", id="kept"),
        pytest.param(
            ("pretrain a 1B on 100B tokens with 16 A100s, cost?", "with 32"), r"On 32×A100.*GPU-hours", id="run-count"
        ),
        pytest.param(
            ("pretrain a 1B on 100B tokens with 16 A100s, cost?", "on H100 instead"), r"On 16×H100", id="run-card"
        ),
        pytest.param(("H200 国内能买吗", "那 H20 呢"), r"要有许可证：H20", id="sale"),
        pytest.param(("H200 国内能买吗", "那 H20 呢", "多少钱一张"), r"单卡价格：H20", id="then-the-price"),
        pytest.param(("electricity for 2x 4090 24/7?", "and 8 hours a day?"), r"kWh a month", id="energy"),
    ],
)
def test_a_later_turn_changes_what_it_says_and_keeps_the_rest(turns: tuple[str, ...], says: str) -> None:
    _, records, draft = talk(*turns)
    first = draft.answer.splitlines()[0]
    assert re.search(says, first.replace("*", "")), first
    assert not ground(first, records, turns, draft.citations).ungrounded


def test_another_question_is_not_about_the_price_any_more() -> None:
    understanding, _, draft = talk("What would 8 H100s cost for 2 weeks?", "can they run DeepSeek-V3 in FP8?")
    assert understanding.need.matter is None
    assert "hours costs" not in draft.answer.splitlines()[0]
