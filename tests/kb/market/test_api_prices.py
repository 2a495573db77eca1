"""What services ask for a million tokens: every price of a model of the catalog, positive, dated and sourced."""

from decimal import Decimal

import pytest

from kb.catalog import models, sources
from kb.market.api_prices import api_prices


def test_every_price_is_of_a_model_of_the_catalog_and_sourced() -> None:
    prices = [price for name in models() for price in api_prices(name)]
    assert len(prices) > 100
    assert {one.source for one in prices} <= set(sources())
    assert all(0 < one.input <= one.output < 100 for one in prices if one.provider != "Together AI")
    assert all(one.as_of >= "2026" for one in prices)


@pytest.mark.parametrize(
    ("model", "provider", "output"),
    [
        ("Qwen/Qwen3-32B", "Groq", "0.59"),
        ("meta-llama/Llama-3.3-70B-Instruct", "Together AI", "0.88"),
        ("deepseek-ai/DeepSeek-V3.2", "Novita", "0.4"),
    ],
)
def test_a_published_price_is_held(model: str, provider: str, output: str) -> None:
    assert {one.provider: one.output for one in api_prices(model)}[provider] == Decimal(output)


def test_the_cheapest_answers_come_first_and_an_unknown_model_has_no_price() -> None:
    found = [one.output for one in api_prices("openai/gpt-oss-120b")]
    assert len(found) > 3
    assert found == sorted(found)
    assert api_prices("nobody/nothing") == api_prices(None) == ()
