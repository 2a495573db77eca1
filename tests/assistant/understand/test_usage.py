"""How often hardware is used, as people say it: hours a month."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.understand import understand
from assistant.understand.span import find_span
from assistant.understand.text import Text
from assistant.understand.usage import MONTH_H, find_usage, find_weekend

NEAR = 0.03
SAID = [
    ("monday, wednesday and friday afternoons, 5 hours each", 65),
    ("周一和周四跑，每次 6 个小时", 52),
    ("weekends only, 8 hours a day", 69.5),
    ("只有周末跑，一天六小时", 52),
    ("一周也就训个两三天", 260),
    ("每天晚上跑三四个小时 LoRA，周末休息", 76),
    ("i only train on weekends, maybe 10 hours each", 43),
    ("24/7 on a single L40S over 3 years", 730),
    ("两周训一次，每次占 8 张 A100 大概 3 天", 156),
    ("about 40 hours a week of fine-tuning", 174),
    ("一个季度只用两周 8 卡 H100", 112),
    ("I use it 2h a day", 61),
    ("业务白天 9 点到晚上 9 点有流量", 365),
    ("每天跑三四个小时", 106),
    ("a few hours a day", 91),
    ("every night", 243),
    ("nightly for 6 hours", 182),
    ("two weeks per quarter", 112),
    ("4 hours a day, 5 days a week", 87),
    ("8 hours/day on weekdays", 174),
    ("I just need 10-20 hours now and then", 15),
    ("每月大概 100 小时", 100),
    ("每个月用 100 个小时", 100),
    ("一个月训两次，每次三天", 144),
    ("twice a month for 2 days", 96),
    ("two runs a month, 30 hours each", 60),
    ("工作日朝九晚六", 174),
    ("during business hours", 174),
    ("9am to 6pm on weekdays", 195.5),
    ("平均每天 10 小时左右，租还是买", 304),
    ("一天就用两小时", 61),
    ("一年也就用一个月", 61),
    ("one month a year", 61),
    ("3 days a week, 24h", 313),
    ("每周 70 小时", 304),
    ("天天跑", 730),
    ("隔天跑 12 小时", 182),
    ("every other day for about 5 hours", 76),
    ("三天打鱼 两天晒网", None),
    ("3 年算下来哪个便宜", None),
    ("用 3 年", None),
    ("over two years", None),
    ("7b 训练 3 天", None),
    ("只用一个月", 20.3),
    ("just for two weeks", 9.3),
    ("周末才跑", 208),
    ("only on weekends", 208),
    ("每天半天", 365),
    ("half a day every day", 365),
    ("20h/week", 87),
    ("30 hrs per month", 30),
    ("每天 24 小时", 730),
    ("a couple of hours each evening", 61),
    ("24小时不停", 730),
    ("一星期用个三天左右", 313),
    ("一周两次，一次 5 小时", 43),
    ("每周末跑 20 小时", 87),
    ("我们每个季度集中训练十天左右", 80),
    ("训 7B 3 天，电源 850W", None),
    ("each run takes 12 hours and I do 3 runs per week", 156),
    ("每天不到 2 小时", 61),
    ("maybe an hour or two a day", 46),
    ("weekly 6 hour jobs", 26),
    ("租一张 3 小时", None),
    ("3 个月", None),
    ("一个礼拜跑个十来个小时", 43),
    ("会用到大概 500 小时一年", 42),
    ("500 gpu hours a year", 42),
    ("roughly 15 hours each week", 65),
    ("i train two nights a week", 70),
    ("每周训两晚", 70),
    ("训练集中在寒暑假，平时不用", None),
    ("once a week overnight", 35),
    ("we'd run it 10 hours per day monday to friday", 217),
    ("每天 8 小时，一周 5 天", 174),
    ("每天8小时，每周六天", 209),
    ("每晚八点到十二点用", 122),
    ("from 8 pm to midnight", 122),
    ("用电高峰在 10:00 到 18:00", 243),
    ("runs 24 hours a day", 730),
    ("全年无休", 730),
    ("it sits idle most of the time, perhaps 5% utilisation", None),
    ("一周用一次，一次大概 6 小时", 26),
    ("三个月里大概跑 20 天", 160),
    ("sporadic use, maybe 30 h a month", 30),
    ("半年训一次，一次两周", 56),
    ("every six months for 10 days", 40),
    ("in total about 200 hours this year", None),
    ("每年 2000 卡时", 167),
    ("一天 3-4h", 106),
    ("1~2 小时/天", 46),
    ("跑完一次实验要 36 小时，每周两次", 313),
    ("工作时间用，下班关机", 174),
    ("一天断断续续用五六个小时", 167),
    ("trains continuously", 730),
    ("production traffic around the clock", 730),
    ("I game on it and fine-tune maybe 5 hours weekly", 22),
    ("课题组每天都在跑", 730),
    ("一直在跑", 730),
]
"""Words, and hours a month that they come to; None where nothing is said of use."""


@pytest.mark.parametrize(("text", "hours"), SAID)
def test_use_is_read_as_hours_a_month(text: str, hours: float | None) -> None:
    found = find_usage(Text.of(text).plain)
    assert (found and found.value) == (hours and pytest.approx(hours, rel=NEAR))


@given(hours=st.integers(1, 24), days=st.integers(1, 7))
def test_hours_a_day_on_days_a_week_multiply(hours: int, days: int) -> None:
    expected = hours * days * MONTH_H / 168
    for text in (f"{hours} hours a day, {days} days a week", f"每天 {hours} 小时，每周 {days} 天"):
        found = find_usage(text.replace("，", ", "))
        assert found is not None
        assert found.value == pytest.approx(expected)


@given(low=st.integers(1, 20), more=st.integers(1, 20))
def test_a_range_is_taken_at_its_middle(low: int, more: int) -> None:
    found = find_usage(f"{low}-{low + more} hours a week")
    assert found is not None
    assert found.value == pytest.approx((low + more / 2) * MONTH_H / 168)


@pytest.mark.parametrize("text", ["每天" * 4000, "1-2 " * 5000, "a week " * 3000, "9点到" * 3000])
def test_long_nonsense_is_read_without_harm(text: str) -> None:
    assert find_usage(text) is None or find_usage(text).value <= MONTH_H  # type: ignore[union-attr]


def test_a_later_turn_changes_the_hours_and_keeps_the_question() -> None:
    first = understand("rent or buy an L40S for LoRA, two evenings a week?", None)
    later = understand("每天跑 10 个小时呢", first.need)
    assert first.need.hours_per_month == pytest.approx(70, rel=NEAR)
    assert later.need.hours_per_month == pytest.approx(304, rel=NEAR)
    assert later.need.intent == "cloud_or_buy"


@pytest.mark.parametrize(
    ("text", "single"),
    [
        ("rent a gpu for a weekend", True),
        ("a 4090 for the whole weekend, what does it cost", True),
        ("租个周末跑微调", True),
        ("这个周末租一张卡", True),
        ("one weekend a month", False),
        ("for one weekend a month", False),
        ("每个月租一个周末", False),
        ("on weekends", False),
        ("周末才跑", False),
    ],
)
def test_a_single_weekend_is_a_time_and_no_use(text: str, single: bool) -> None:
    found = find_weekend(Text.of(text).plain)
    assert (found is not None) is single
    if single:
        assert found is not None
        assert found.value == 48
        assert find_usage(Text.of(text).plain) is None
        span = find_span(text)
        assert span is not None
        assert span.value == 48 * 3600


@pytest.mark.parametrize("year", range(2020, 2040, 5))
def test_the_year_that_it_is_is_no_time_to_pay_for(year: int) -> None:
    for text in (f"{year} 年 P40 还值得买吗", f"{year} 年了，A100 一年租金多少"):
        span = find_span(text)
        assert span is None or span.value <= 366 * 24 * 3600
        assert understand(text).need.gpus_asked
