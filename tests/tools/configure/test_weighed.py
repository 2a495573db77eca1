"""What a buyer weighs: room, a budget that holds at its upper price, additions to cards in hand, cards by name."""

from typing import Any

import pytest

from tools.agent_tools.ledger import Ledger
from tools.agent_tools.toolset import agent_tool
from tools.configure import configure
from tools.configure.request import ConfigureRequest
from tools.configure.tell.weighed import every_named, weighed

GIB = 2**30


def order(gpu: str, amount: float, needed: float, usable: float, **fields: Any) -> dict[str, Any]:
    usual = {
        "tier": "also", "acquisition": "buy", "gpu": gpu, "gpu_name": gpu, "gpu_count": 1, "owned_count": 0,
        "title": f"1 × {gpu}", "condition": "new", "weight_format": "awq", "nodes": 1,
        "memory": {"needed_bytes_per_gpu": needed * GIB, "usable_bytes_per_gpu": usable * GIB, "verdict": "yes"},
        "speed": {"tokens_per_s_per_user": 30.0},
        "price": {"amount": amount, "low": amount, "high": amount, "complete": True},
    }  # fmt: skip
    return {**usual, **fields}


def asked(budget: float | None = 3000.0, **fields: Any) -> dict[str, Any]:
    sums = {"budget": {"amount": budget, "currency": "USD", "period": None}} if budget else {}
    return {"task": "inference", "context_tokens": 8192, **sums, **fields}


def of(*orders: dict[str, Any]) -> Any:
    """A search that finds those orders, of the cards named in it."""

    def ask(changed: dict[str, Any]) -> dict[str, Any]:
        cards = changed.get("gpus_asked") or [one["gpu"] for one in orders]
        return {"configurations": [one for one in orders if one["gpu"] in cards]}

    return ask


def test_an_order_with_room_leads_before_one_that_is_just_filled() -> None:
    lead = order("small", 1500, 11, 12, tier="recommended")
    roomy = order("large", 2000, 11, 24)
    first, second, *_ = weighed([lead], asked(), of(roomy))
    assert (first["gpu"], first["tier"]) == ("large", "recommended")
    assert (second["gpu"], second["tier"]) == ("small", "cheaper")


@pytest.mark.parametrize(
    "roomy",
    [
        pytest.param(order("large", 3500, 11, 24), id="beyond the budget"),
        pytest.param(order("large", 2000, 11, 24, speed={"tokens_per_s_per_user": 10.0}), id="much slower"),
        pytest.param(order("large", 2000, 23, 24), id="as full"),
    ],
)
def test_room_is_not_bought_at_any_price(roomy: dict[str, Any]) -> None:
    lead = order("small", 1200, 11, 12, tier="recommended")
    assert weighed([lead], asked(), of(roomy))[0]["gpu"] == "small"


def test_nothing_is_weighed_without_a_sum() -> None:
    lead = order("small", 1200, 11, 12, tier="recommended")
    assert weighed([lead], asked(None), of(order("large", 2000, 11, 24))) == [lead]


def test_an_order_that_stays_within_the_budget_at_its_upper_price_leads() -> None:
    lead = order("new", 2950, 10, 24, tier="recommended", price={"amount": 2950, "high": 3200, "complete": True})
    sure = order("used", 2400, 10, 24, tier="cheaper", price={"amount": 2400, "high": 2600, "complete": True})
    first, second = weighed([lead, sure], asked(), of())
    assert (first["gpu"], second["gpu"], second["tier"]) == ("used", "new", "stronger")


def test_every_card_that_was_named_has_an_order() -> None:
    """3090, 4090 or 5090: nobody who named three is told of two."""
    names = ("rtx-3090-24gb", "rtx-4090-24gb", "rtx-5090-32gb")
    rows = [order(name, 1000, 20, 24) for name in names]
    told = every_named([{**rows[0], "tier": "recommended"}], asked(gpus_asked=list(names)), of(*rows))
    assert [one["gpu"] for one in told] == list(names)


def test_somebody_with_a_card_is_told_the_fewest_more_of_it_first() -> None:
    """A second 3090 for 70B in four bits, not seven more for its published precision."""
    found = configure(ConfigureRequest.model_validate({
        "task": "inference", "model": "Llama-3.3-70B-Instruct", "users": 1, "acquisition": "buy",
        "gpus_owned": [{"gpu": "rtx-3090-24gb", "count": 1}],
    })).configurations  # fmt: skip
    owned = [one for one in found if one.owned_count]
    assert [one.gpu_count for one in owned[:2]] == [2, 4]


@pytest.mark.usefixtures("fresh_prices")
@pytest.mark.parametrize(
    ("model", "budget"),
    [("Qwen3-32B", "$3000"), ("Qwen3-14B", "$2000"), ("Qwen3-32B", "¥20000"), ("Qwen3-8B", "$1800")],
)
def test_a_home_is_proposed_a_whole_computer_within_its_budget(model: str, budget: str) -> None:
    request = {"model": model, "users": "1", "budget": budget, "acquisition": "buy"}
    first = agent_tool("configure").look_up(request, Ledger()).shown["orders"][0]
    assert "only)" not in first.get("title", "")
    assert "board" in first["bill"] or "WIFI" in first["bill"] or "ROMED" in first["bill"]
    assert first["price"].get("budget_left")
