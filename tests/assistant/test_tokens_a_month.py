"""A month's tokens: read in any words, priced on hardware, held against what a provider asks."""

import math

import pytest

from assistant.ground.check import ground
from assistant.plan import particular
from assistant.understand import understand
from tests.assistant.planning import talk, turn
from tools.registry import tools


@pytest.mark.parametrize(
    ("text", "monthly", "price", "currency"),
    [
        ("Mistral Small 24B: 12 million tokens per day at €0.30 per 1M tokens, self-host?", 365e6, 0.30, "EUR"),
        ("日均 8000 万 token 的 Qwen2.5-14B，API 每百万 token 1.5 元，要不要自建", 80e6 * 365 / 12, 1.5, "CNY"),
        ("llama 3.3 70b, 20k requests a day, 1500 tokens each: cost to self-host?", 30e6 * 365 / 12, None, None),
        ("月消耗 40 亿 tokens，模型 Qwen3-32B，自己部署一个月多少钱", 4e9, None, None),
        ("We use 2.5 billion tokens monthly of gpt-oss-120b at $0.40/M tokens: own or API?", 2.5e9, 0.40, "USD"),
        ("一周 10 亿 token，Qwen2.5-7B，2 块钱/百万 token，划得来自己买卡吗", 1e9 * 365 / 84, 2.0, "CNY"),
    ],
)  # fmt: skip
def test_a_months_tokens_are_read_and_priced(
    text: str, monthly: float, price: float | None, currency: str | None
) -> None:
    understanding, records, draft = turn(text)
    need = understanding.need
    assert need.tokens_per_month == pytest.approx(monthly)
    assert need.api_million_price == price
    assert currency in {need.currency, None}
    assert need.dataset_tokens is None
    assert need.budget is None
    assert particular.shape(understanding) == "traffic"
    priced = [one.result for one in records if one.tool == "estimate_cost"]
    assert priced
    for one in priced:
        volume, tokens = one["volume"], one["tokens"]
        each = tokens["tokens_per_s_total"]["value"] * 3600 * one["hours_per_month"]
        assert volume["copies"] == max(1, math.ceil(monthly / (each * one["utilisation"])))
        assert volume["busy_ratio"] <= one["utilisation"] + 1e-9
        assert price is None or volume["api_cost"] == pytest.approx(price * monthly / 1e6)
    assert bool(volume["api"]) <= (price is None)
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    "text",
    [
        "fine-tune a 7B on 300M tokens",
        "70B at 40 tokens per second for one user",
        "cost per million tokens of an 8B on an L4",
    ],
)
def test_other_tokens_are_no_traffic(text: str) -> None:
    assert understand(text).need.tokens_per_month is None


@pytest.mark.parametrize(("price", "api_wins"), [(0.05, True), (50.0, False)])
def test_the_verdict_follows_the_price(price: float, api_wins: bool) -> None:
    text = f"2 billion tokens a month on Qwen2.5-32B at ${price} per million tokens: API or our own?"
    _, _, draft = turn(text)
    assert draft.answer.startswith("**The API is cheaper") is api_wins


def test_more_tokens_in_a_follow_up_keep_the_price() -> None:
    understanding, _, _ = talk(
        "30M tokens a day on Llama 3.1 8B, €0.2 per million tokens. self-host?", "and at 300M a day of tokens?"
    )
    assert understanding.need.api_million_price == 0.2


@pytest.mark.parametrize("card", ["l40s", "rtx-4090", "h100-sxm-80gb"])
def test_more_tokens_never_cost_less(card: str) -> None:
    def cost(tokens: float) -> float:
        request = {"gpu": card, "model": "llama-3.1-8b", "tokens_per_month": tokens, "acquisition": "rent"}
        volume = tools()["estimate_cost"].call(request).model_dump()["volume"]
        return float(volume["rent_cost"]["value"])

    costs = [cost(10.0**power) for power in range(6, 13)]
    assert costs == sorted(costs)
    assert costs[-1] > costs[0]


@pytest.mark.parametrize(
    ("text", "million"),
    [
        ("our API bill is $600 a month for 1.5 billion tokens of Llama 3.3 70B, self-host?", 0.4),
        ("API 每月花 8000 元，每月 20 亿 token，Qwen2.5-72B，自建划算吗", 4.0),
    ],
)
def test_a_bill_for_a_months_tokens_is_a_price_of_them(text: str, million: float) -> None:
    need = understand(text).need
    assert need.api_million_price == pytest.approx(million)
    assert need.budget is None
