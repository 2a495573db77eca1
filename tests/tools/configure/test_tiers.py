"""Beside what is recommended there is something cheaper and something stronger, and each says in what it differs."""

from typing import Any

import pytest

from tools.agent_tools.ledger import Ledger
from tools.agent_tools.shown import SHOWN_MAX, written
from tools.agent_tools.toolset import agent_tool
from tools.configure.tell.tiers import differences, tiers


def order(title: str, amount: float, rate: float, **changed: Any) -> dict[str, Any]:
    return {
        "title": title, "acquisition": "buy", "gpu_count": 1, "weight_format": "fp8", "condition": "new",
        "owned_count": 0, "price": {"amount": amount, "complete": True}, "speed": {"tokens_per_s_per_user": rate},
        "memory": {"verdict": "yes", "usable_bytes_per_gpu": 2**35}, "items": [], **changed,
    }  # fmt: skip


def told(orders: list[dict[str, Any]], found: list[dict[str, Any]] | None = None) -> dict[str, str]:
    made = tiers(orders, {}, lambda _: {"configurations": found or []})
    return {one["tier"]: one["title"] for one in made}


def test_a_cheaper_and_a_stronger_order_stand_beside_the_one_recommended() -> None:
    found = told([order("lead", 5000, 30), order("small", 3000, 20), order("big", 8000, 50)])
    assert found == {"recommended": "lead", "cheaper": "small", "stronger": "big"}


def test_they_are_searched_for_where_the_result_holds_none() -> None:
    found = told([order("lead", 5000, 30)], [order("small", 3000, 20), order("big", 8000, 50)])
    assert found == {"recommended": "lead", "cheaper": "small", "stronger": "big"}


@pytest.mark.parametrize(
    "changed",
    [
        {"condition": "used"},
        {"memory": {"verdict": "tight", "usable_bytes_per_gpu": 2**35}},
        {"weight_format": "awq"},
        {"price": {"amount": 8000, "complete": False}},
    ],
    ids=["second-hand", "tight", "coarser", "unpriced"],
)
def test_a_stronger_order_lacks_nothing(changed: dict[str, Any]) -> None:
    assert "stronger" not in told([order("lead", 5000, 30), order("big", 8000, 50) | changed])


def test_what_is_hardly_cheaper_or_of_three_bits_is_no_cheaper_tier() -> None:
    others = [order("near", 4800, 30), order("rough", 2000, 30, weight_format="gguf:Q3_K_M")]
    assert "cheaper" not in told([order("lead", 5000, 30), *others])


def test_the_first_rent_stands_beside_purchases_and_cards_in_hand_come_first() -> None:
    held = order("mine", 0, 10, owned_count=1)
    rent = order("cloud", 1, 30, acquisition="rent")
    found = [one["tier"] for one in tiers([held, order("lead", 5000, 30), rent], {}, lambda _: None)]
    assert found == ["in hand", "best to buy", "best to rent"]


def test_a_difference_says_what_is_lost_and_what_is_won() -> None:
    one = order("used", 3000, 15, condition="used", gpu_count=2)
    said = differences(one, order("lead", 5000, 30), better=False)
    assert "15 instead of 30 tokens/s" in said
    assert "second-hand" in said
    assert "2 cards instead of 1" in said


@pytest.mark.parametrize(
    "asked",
    [
        {"model": "Qwen3-32B", "users": "10", "budget": "$10k", "country": "US"},
        {"model": "Llama-3.3-70B-Instruct", "users": "1", "acquisition": "buy", "context_tokens": "16k"},
        {"model": "DeepSeek-V3", "users": "30", "country": "CN", "currency": "CNY"},
        {"model": "Qwen3-8B", "task": "lora", "dataset_tokens": "50M", "acquisition": "buy"},
        {"purpose": "coding", "budget": "$3000", "acquisition": "buy"},
    ],
    ids=["budget", "alone", "yuan", "training", "purpose"],
)
def test_every_answer_shows_several_orders_uncut_with_a_bill_that_adds_up(asked: dict[str, str]) -> None:
    shown = agent_tool("configure").look_up(asked, Ledger()).shown
    orders = shown["orders"]
    assert all(isinstance(one, dict) for one in orders)  # nothing was cut off
    assert len({one["tier"] for one in orders}) >= 2
    assert len(written(shown)) <= SHOWN_MAX
    for one in orders:
        if one["acquisition"] == "buy" and "bill" in one and "no price known" not in one["bill"]:
            sign = one["price"]["amount"][0]
            sums = [float(part.split()[0].replace(",", "").strip(";")) for part in one["bill"].split(sign)[1:]]
            amount = float(one["price"]["amount"].strip("$¥€").replace(",", ""))
            assert sum(sums) == pytest.approx(amount, rel=0.01)


def test_every_amount_is_in_the_currency_asked_for_with_its_rate() -> None:
    asked = {"model": "Qwen3-32B", "users": "20", "country": "CN", "currency": "CNY"}
    shown = agent_tool("configure").look_up(asked, Ledger()).shown
    assert "$" not in written(shown["orders"])
    assert shown["rate"].startswith("1 USD = ")


def test_what_surely_fits_is_the_cheaper_one_before_what_may_not() -> None:
    tight = {"memory": {"verdict": "tight", "usable_bytes_per_gpu": 2**35}}
    found = told([order("lead", 5000, 30), order("tight", 2000, 20) | tight, order("sure", 3500, 20)])
    assert found["cheaper"] == "sure"


def test_who_wants_the_cheapest_gets_it_first() -> None:
    shown = (
        agent_tool("configure")
        .look_up({"model": "grok-1", "users": "1", "objective": "cheapest", "acquisition": "buy"}, Ledger())
        .shown
    )
    first, second = shown["orders"][:2]
    assert first["engine"] == "llama.cpp"
    assert second["tier"] == "stronger"


def test_a_stronger_order_says_how_far_it_is_beyond_the_budget() -> None:
    asked = {"model": "Qwen3-32B", "users": "10", "budget": "$5k", "country": "US", "acquisition": "buy"}
    for one in agent_tool("configure").look_up(asked, Ledger()).shown["orders"]:
        amount = float(one["price"]["amount"].strip("$").replace(",", ""))
        beyond = float(one["price"].get("beyond_budget_cost", "$0").strip("$").replace(",", ""))
        left = float(one["price"].get("budget_left", "$0").strip("$").replace(",", ""))
        assert amount + left - beyond == pytest.approx(5000, abs=2)
