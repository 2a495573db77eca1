"""Prices said of each of several cards are theirs, not a budget, and decide between them."""

import pytest

from assistant.ground.check import ground
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("question", "prices", "taken"),
    [
        ("used 3090 at $700 or new 5070 Ti at $800 for Qwen3 14B?", (700, 800), "Take 1×RTX 3090"),
        ("3090 for 900 USD vs 4090 for 1500 USD, for LoRA of 8B which one?", (900, 1500), "Worth it: 1×RTX 4090"),
        ("two 3090 at $700 or one 4090 at $1,800 for Qwen3-32B?", (700, 1800), "Take 2×RTX 3090"),
        ("A6000 48G 二手 2.2 万 vs 4090 48G 魔改 2 万，做 32B 推理选哪个", (22000, 20000), "选 1×RTX 4090 48GB"),
        ("4090 1.5万，5090 2.8万，跑 32B 哪个划算", (15000, 28000), "选 1×RTX 5090"),
        ("3090 卖 6k，4090 卖 1.4w，LoRA 微调 7B 选哪个", (6000, 14000), "选 1×RTX 3090"),
    ],
)
def test_the_prices_said_decide(question: str, prices: tuple[float, float], taken: str) -> None:
    understanding, records, draft = turn(question)
    first = draft.answer.split("\n")[0]
    assert tuple(one.amount for one in understanding.need.said_prices) == prices
    assert understanding.need.budget is None
    assert taken in first
    assert not ground(draft.answer, records, (question,), draft.citations).ungrounded


@pytest.mark.parametrize(
    "question",
    [
        "budget $2000: 3090 or 4090 for 14B?",
        "H100 at $2.5/h or A100 at $1.2/h for LoRA 8B?",
        "预算 2 万，3090 还是 4090 跑 14B",
        "3090 24GB or 4090 24GB for 14B?",
        "4090 or 5090 for Qwen3 32B with 16k context?",
    ],
)
def test_a_budget_a_rent_or_a_size_is_no_price_of_each_card(question: str) -> None:
    assert turn(question)[0].need.said_prices == ()
