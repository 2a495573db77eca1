"""Buying, renting, cheapest: which configuration answers which words."""

from typing import Any

import pytest

from assistant.plan.preferred import asks_for_cheapest, only, preferred
from tests.assistant.planning import turn
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
        ("公司内部部署 70B", "buy"),
        ("an in-house assistant", "buy"),
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


def purchase(form: str, amount: float, pace: float, *codes: str) -> Configuration:
    row = configuration("buy", amount).model_dump() | {
        "weight_format": form,
        "speed": {"tokens_per_s_per_user": pace},
        "reasons": [{"kind": "availability", "code": code} for code in codes],
    }
    return Configuration.model_validate(row)


PUBLISHED, EIGHT = purchase("bf16", 25_000, 29), purchase("fp8", 13_000, 19)
FOUR, USED = purchase("awq", 6_000, 25), purchase("awq", 2_400, 60, "second_hand")
LADDER = [PUBLISHED, EIGHT, FOUR, USED]


@pytest.mark.parametrize(
    ("text", "need", "lead"),
    [
        ("what GPU for 70B?", Need(), EIGHT),
        ("which card at home for 70B?", Need(), USED),
        ("70B 给 30 个人用，需要什么显卡", Need(), EIGHT),
        ("what GPU to train 70B?", Need(task="full_finetune"), PUBLISHED),
    ],
)
def test_formats_as_good_as_published_lead_where_they_cost_much_less(
    text: str, need: Need, lead: Configuration
) -> None:
    """Eight bits for anybody, four bits and second-hand cards at home; a training keeps its precision."""
    assert preferred(LADDER, text, need)[0] == lead


@pytest.mark.parametrize(("amount", "way"), [(20_000, "buy"), (90_000, "rent")])
def test_a_purchase_leads_unless_years_of_rent_cost_as_much(amount: float, way: str) -> None:
    found = [configuration("rent", 1), configuration("buy", amount)]
    assert preferred(found, "13B for us", Need())[0].acquisition == way


@pytest.mark.parametrize(
    ("text", "ordered"),
    [
        ("Is 24GB enough for 32B models?", False),
        ("how much vram for qwen3 32b", False),
        ("I have 2x4090, can they run Qwen3-32B?", False),
        ("How much VRAM does Qwen3-32B need, and which card should I buy?", True),
        ("跑 Qwen2.5-32B 需要什么显卡", True),
    ],
)
def test_what_could_be_bought_is_told_to_who_asks_for_it(text: str, ordered: bool) -> None:
    _, _, draft = turn(text)
    assert ("**Buy**" in draft.answer or "**购买**" in draft.answer) is ordered
