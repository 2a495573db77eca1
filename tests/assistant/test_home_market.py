"""Whose money prices are told in, and where hardware is bought, when nothing was said of either."""

import re

import pytest

from assistant.plan.home import settled
from assistant.understand import understand
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "country", "currency"),
    [
        pytest.param("跑 Qwen3-32B 买什么显卡？", "CN", "CNY", id="zh"),
        pytest.param("8 卡 H100 跑 DeepSeek-R1 要多少钱？", None, "CNY", id="a-card-not-sold-there"),
        pytest.param("在德国跑 Qwen3-32B，买什么卡？", "DE", "EUR", id="a-country"),
        pytest.param("Which GPU for Qwen3-32B?", None, None, id="en"),
        pytest.param("预算 3000 美元跑 Qwen3-32B", None, None, id="a-budget-says-it"),
    ],
)
def test_the_language_settles_money_and_market(text: str, country: str | None, currency: str | None) -> None:
    reading = understand(text)
    found = settled(reading, reading.need)
    assert (found.country, found.currency) == (country, currency)


@pytest.mark.parametrize(
    "text",
    [
        "跑 Qwen3-32B，要配一台机器，大概多少钱？",
        "部署 DeepSeek-R1 671B 需要什么服务器，价格多少？",
        "租什么云 GPU 跑 Llama 3.1 8B 划算？",
        "家里想跑 70B，买什么好？",
    ],
)
def test_verdict_and_orders_lead_with_yuan(text: str) -> None:
    _, _, draft = turn(text)
    first = draft.answer.split("\n")[0]
    assert "¥" in first
    orders = [line for line in draft.answer.split("\n") if line.startswith("- **") and "$" in line]
    assert all(re.search(r"¥[\d,.]+.*合 \$", line) for line in orders)


def test_what_is_bought_in_china_is_sold_there() -> None:
    _, records, _ = turn("部署 DeepSeek-R1 671B 需要什么服务器，价格多少？")
    bought = [
        one["gpu"]
        for record in records
        if record.tool == "configure"
        for one in record.result["configurations"]
        if one["acquisition"] == "buy"
    ]
    assert bought
    assert not any("pro-6000" in card or card.startswith("h200") for card in bought)


def test_a_run_that_is_rented_is_told_in_yuan() -> None:
    _, _, draft = turn("租卡训练 7B 模型，1000 亿 token，30 天内，租多少张 H100？")
    assert not re.search(r"整个任务约 \$", draft.answer)
