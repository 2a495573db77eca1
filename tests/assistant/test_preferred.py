"""Buying, renting, cheapest: which configuration answers which words."""

from typing import Any

import pytest

from assistant.plan.preferred import asks_for_cheapest, only, preferred
from tools.configuration import Configuration
from tools.need import Need


def configuration(acquisition: str, amount: float | None, verdict: str = "yes") -> Configuration:
    row: dict[str, Any] = {
        "rank": 1, "title": "t", "acquisition": acquisition, "gpu": "l40s-48gb", "gpu_count": 1, "nodes": 1,
        "memory": {"needed_bytes_per_gpu": 1, "usable_bytes_per_gpu": 2, "verdict": verdict},
        "price": {"amount": amount, "complete": True},
    }  # fmt: skip
    return Configuration.model_validate(row)


FOUND = [configuration("rent", 2), configuration("buy", 900), configuration("rent", 1), configuration("buy", 500)]


@pytest.mark.parametrize(
    ("text", "way"),
    [
        ("要买什么卡", "buy"),
        ("在家跑 7B", "buy"),
        ("租哪种云主机", "rent"),
        ("cheapest cloud gpu", "rent"),
        ("rent or buy?", None),
        ("4 张 3090 够吗", None),
    ],
)
def test_the_words_say_whether_to_buy_or_to_rent(text: str, way: str | None) -> None:
    assert only(text, Need()) == way


def test_only_what_is_to_be_bought_answers_a_buyer() -> None:
    assert preferred(FOUND, "which card should i buy", Need()) == [FOUND[1], FOUND[3]]


def test_the_cheapest_leads_when_the_price_decides() -> None:
    assert preferred(FOUND, "最便宜的云主机", Need())[0] == FOUND[2]
    assert asks_for_cheapest("the cheapest card")
    assert not asks_for_cheapest("a good card")


def test_the_cheapest_leaves_a_margin_in_memory() -> None:
    found = [configuration("rent", 0.1, "tight"), configuration("rent", 1)]
    assert preferred(found, "cheapest", Need())[0] == found[1]


def test_without_such_a_configuration_the_others_still_answer() -> None:
    assert preferred(FOUND[:1], "what to buy", Need()) == FOUND[:1]
