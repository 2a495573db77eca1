"""Chinese amounts with 「一年」, 「一个月」, 「一张」 behind them, where 「一」 counts what follows."""

import pytest

from assistant.understand import understand
from assistant.understand.budget import find_money
from assistant.understand.text import Text


@pytest.mark.parametrize(
    ("text", "amount", "period"),
    [
        ("预算30万一年，跑 Qwen2.5-72B，要买什么卡？", 300_000, "year"),
        ("预算三十万一年，跑 Qwen2.5-72B", 300_000, "year"),
        ("20万一个月的预算，部署 DeepSeek R1 够吗？", 200_000, "month"),
        ("我们有 10万一月，租 H100 能跑 R1 吗", 100_000, "month"),
        ("预算三千一个月，想跑 7B", 3_000, "month"),
        ("3千一个月能租到什么卡跑 72B", 3_000, "month"),
        ("20万一个月，部署 DeepSeek R1 够吗", 200_000, "month"),
        ("老板给了五万一年，跑 32B", 50_000, "year"),
        ("预算三万一，跑 Qwen3-32B 买什么？", 31_000, None),
        ("预算一万一，跑 7B 买什么", 11_000, None),
        ("预算1万一，跑 7B 买什么卡", 11_000, None),
        ("预算3万1，跑 7B 买什么卡", 31_000, None),
        ("预算一万二，跑 7B 买什么", 12_000, None),
    ],
)
def test_budget_of_an_amount_before_one(text: str, amount: float, period: str | None) -> None:
    budget = understand(text).need.budget
    assert budget is not None
    assert (budget.amount, budget.period) == (amount, period)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("H100 5万一张贵吗？", 50_000),
        ("V100 五千一张，买 8 张跑 72B", 5_000),
        ("P100 3千一台的二手机器，跑 7B 行吗？", 3_000),
        ("一台一万一，跑 7B 行吗", 11_000),
        ("一台 9 万，跑 7B 行吗", 90_000),
    ],
)
def test_price_of_one(text: str, amount: float) -> None:
    (money,) = find_money(Text.of(text).plain, chinese=True)
    assert (money.value.amount, money.value.is_price) == (amount, True)


@pytest.mark.parametrize("text", ["万一显存不够，Qwen3-32B 能在 4090 上跑吗？", "万一一个人用不完，7B 怎么办"])
def test_in_case_is_no_amount(text: str) -> None:
    need = understand(text).need
    assert need.budget is None
    assert (need.concurrent_sequences or 1) == 1


@pytest.mark.parametrize(
    ("text", "samples"),
    [
        ("数据一万五千条，微调 7B", 15_000),
        ("三万一千条数据，微调 7B", 31_000),
        ("1万5千条数据，微调 7B", 15_000),
        ("五千条数据，微调 7B", 5_000),
    ],
)
def test_samples_in_chinese_numerals(text: str, samples: int) -> None:
    assert understand(text).need.samples == samples
