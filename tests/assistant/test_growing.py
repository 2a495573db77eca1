"""A load that grows: sized for what is to come, with what is enough today."""

import pytest

from assistant.ground.check import ground
from assistant.understand.load import find_load
from assistant.understand.text import Text
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "later", "today"),
    [
        pytest.param("We have 20 users now, growing 15% a month for the next 12 months.", 107, 20, id="monthly-rate"),
        pytest.param("50个用户,每月增长10%,未来半年", 89, 50, id="zh-half-a-year"),
        pytest.param("30人用,年增长50%", 45, 30, id="zh-yearly-rate"),
        pytest.param("200 users and traffic grows 5% per week over 3 months", 377, 200, id="weekly-rate"),
        pytest.param("现在日活500人,预计一年后涨到3000", 3000, 500, id="number-without-a-noun"),
        pytest.param("40 users today and 3x by next summer", 120, 40, id="so-many-times"),
        pytest.param("100 人用,准确率每月提升 2%", 100, None, id="something-else-grows"),
        pytest.param("50 users, 20% of them active", 50, None, id="a-share"),
    ],
)
def test_growth_is_read_as_the_load_to_come(text: str, later: int, today: int | None) -> None:
    load = find_load(Text.of(text).plain)
    assert load.users is not None
    assert load.users.value == later
    assert (load.today.value if load.today else None) == today


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(
            "We have 100 users now, growing 6% a month for the next 12 months. Qwen3-32B with 16k context."
            " What should we buy now?",
            "begin with it and add the rest",
            id="en",
        ),
        pytest.param("现在60路并发,每月增长6%,未来一年,Qwen3-32B,8K上下文,买什么卡", "涨上来再加同样的卡", id="zh"),
    ],
)
def test_what_is_enough_today_stands_beside_it(text: str, said: str) -> None:
    _, records, draft = turn(text)
    assert said in draft.answer
    assert not ground(draft.answer, records, [text], draft.citations).ungrounded
