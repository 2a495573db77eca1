"""What named cards come to over a time and what a training on them costs: totals first, rents dated."""

import pytest

from assistant.ground.check import ground
from assistant.understand import understand
from assistant.understand.currency import find_currency
from assistant.understand.span import find_span
from assistant.understand.usage import find_usage
from tests.assistant.planning import turn

MONTH_H = 730


@pytest.mark.parametrize(
    ("text", "hours", "used"),
    [
        ("what would four L40S cost me around the clock for a year", 8760, 730),
        ("3 months of 8xH100 – cost?", 2190, None),
        ("rent 2 A100 for six weeks, 10h a day", 1008, 304),
        ("only at night, 8xA100, two months", 1460, 243),
        ("weekdays 9 to 6, one L40S, whole year, price?", 8760, 196),
        ("10 hours a week on 2 H100, what's that a year?", 8760, 43),
        ("we'd need six A6000 during business hours for a quarter", 2190, 174),
        ("8 张 4090 24小时不关机，一年下来多少钱", 8760, 730),
        ("租两台 8 卡 H20 半年总共要多少预算", 4380, None),
        ("两张 A800 租一年半", 13140, None),
        ("H20 八卡一台，租两个半月", 1825, None),
        ("工作日每天 8 小时，四张 L20 半年", 4380, 174),
        ("一周训两天，租 A100 三个月多少钱", 2190, 209),
        ("夜里才用，租 4090 一个月", 730, 243),
        ("4090 三年质保", None, None),
        ("每天 5 小时，H100 多少钱", None, 152),
        ("monthly price for 4x RTX A5000 kept on", 730, None),
    ],
)
def test_the_time_of_a_bill_is_told_from_the_use(text: str, hours: int | None, used: int | None) -> None:
    span, use = find_span(text), find_usage(text.lower())
    assert (span and round(span.value / 3600)) == hours
    assert (use and round(use.value)) == used


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("price in euros please", "EUR"), ("how much in HK$?", "HKD"), ("换成人民币", "CNY"), ("按欧元算", "EUR"),
        ("what is that in £", "GBP"), ("I have $500 in cash", None), ("in real life", None), ("预算 3 万元", None),
    ],
)  # fmt: skip
def test_the_money_asked_for(text: str, code: str | None) -> None:
    assert find_currency(text.lower()) == code


@pytest.mark.parametrize(
    ("text", "card", "count", "hours"),
    [
        ("What would six A10 cost me around the clock for a year?", "a10-24gb", 6, 8760),
        ("price for two MI300X nights only for a month", "mi300x-192gb", 2, 243.33),
        ("4 张 L20 24小时开着，半年要多少钱", "l20-48gb", 4, 4380),
        ("租 16 张 H100 三周什么价", "h100-sxm-80gb", 16, 504),
    ],
)
def test_named_cards_are_priced_without_a_model(text: str, card: str, count: int, hours: float) -> None:
    _, records, draft = turn(text)
    cost = next(one for one in records if one.tool == "estimate_cost")
    assert (cost.result["gpu"], cost.result["gpu_count"]) == (card, count)
    assert cost.request["term_s"] == pytest.approx(hours * 3600, rel=1e-3)
    assert not draft.clarifying_questions
    first = draft.answer.split("\n")[0]
    assert f"{hours:,.0f}" in first
    assert not ground(first, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize("text", ["4x L40S for two years, total cost?", "两张 5090 开一年，要花多少钱"])
def test_the_purchase_and_its_electricity_stand_beside_the_rent(text: str) -> None:
    _, records, draft = turn(text)
    own = next(one.result["own"] for one in records if one.tool == "estimate_cost")
    energy = next(part for part in own["parts"] if part["name"] == "energy")
    years = next(one.result["years"] for one in records if one.tool == "estimate_cost")
    assert energy["total_cost"]["value"] == pytest.approx(energy["monthly_cost"]["value"] * 12 * years)
    first = draft.answer.split("\n")[0]
    assert "electricity" in first or "电费" in first


@pytest.mark.parametrize(
    "text",
    [
        "pretrain 3B on 300B tokens with 32 H100s, and what would that cost?",
        "Full fine-tune Mistral 7B on 200M tokens with 4 H200, how long and how much in euros?",
        "用 64 张 A100 预训练 1B，500 亿 token，要多久、多少钱",
        "fine-tune Qwen2.5-14B full on 2B tokens with 16 A100s, time and cost?",
    ],
)
def test_a_training_on_cards_not_owned_is_timed_and_priced(text: str) -> None:
    understanding, records, draft = turn(text)
    assert not understanding.need.gpus_owned
    run = next(one.result["run"] for one in records if one.tool == "estimate_cost")
    assert run["cheapest_cost"] <= run["rent_cost"]["value"]
    first = draft.answer.split("\n")[0]
    assert ("GPU-hours" in first and "rented" in first) or ("GPU 小时" in first and "租" in first)
    assert "Use your" not in draft.answer
    assert "用现有的" not in draft.answer
    assert not ground(first, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    ("text", "owned"),
    [
        ("I have 8 A800, what does a full fine-tune of 7B on 500M tokens cost?", True),
        ("我有 8 张 A800，全参训 7B 5 亿 token 多少钱", True),
        ("with 8 A800, what does a full fine-tune of 7B on 500M tokens cost?", False),
        ("8 张 A800 全参训 7B 5 亿 token 多少钱", False),
    ],
)
def test_priced_cards_are_owned_only_where_it_is_said(text: str, owned: bool) -> None:
    assert bool(understand(text).need.gpus_owned) == owned


@pytest.mark.parametrize(
    ("text", "starts", "instead"),
    [
        ("5090 在中国能买吗", "禁售", "RTX 5090 D"),
        ("H200 国内能合法采购吗", "逐案审批", "Ascend"),
        ("Is the MI308X allowed to be sold to China?", "Only under licence", ""),
        ("L20 国内受出口管制吗", "不受限", ""),
        ("can I ship RTX 6000 Ada to Hong Kong?", "Barred", "RTX"),
    ],
)
def test_whether_a_card_may_be_sold(text: str, starts: str, instead: str) -> None:
    understanding, records, draft = turn(text)
    assert not understanding.need.gpus_owned
    assert draft.answer.lstrip("*").startswith(starts)
    assert instead in draft.answer
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded
