"""`cost`: a supply in hand is judged by itself, and what a question does not count is named."""

from typing import Any

import pytest

from tools.agent_tools.ledger import Ledger
from tools.agent_tools.monthly import of_month
from tools.agent_tools.toolset import agent_tool


def cost(**asked: Any) -> dict[str, Any]:
    return dict(agent_tool("cost").look_up(asked, Ledger()).shown)


@pytest.mark.parametrize(
    ("cards", "psu", "said"),
    [("2x 5080", "2000 W", "enough"), ("4x 3090", "700 W", "too small"), ("2x 4090", "1200 W", "tight")],
)
def test_the_supply_in_hand_has_its_verdict(cards: str, psu: str, said: str) -> None:
    judged = cost(what="power", cards=cards, psu=psu)["supply"]["in_hand"]

    assert said in judged
    assert f"{float(psu.split()[0]):,.0f} W" in judged


def test_a_supply_that_nobody_has_is_not_judged() -> None:
    assert "in_hand" not in cost(what="power", cards="2x 5080")["supply"]


def test_what_a_question_does_not_count_is_named() -> None:
    owned = cost(cards="2x 5080", purchase_price="$900 each", psu="1200 W", circuit="230V 16A")
    powered = cost(what="power", cards="2x 5080", purchase_price="$900 each", psu="1200 W")

    assert owned["not_counted"] == ["psu", "circuit"]
    assert powered["not_counted"] == ["purchase_price"]


def test_a_share_of_full_load_says_nothing_of_the_hours_of_a_rent_and_that_is_told() -> None:
    by_load = cost(cards="8x H100", rent="$2.50/gpu/h", utilisation="40%")
    by_hours = cost(cards="8x H100", rent="$2.50/gpu/h", hours_per_day="9.6")

    assert any("hours_per_day" in one for one in by_load["assumptions"])
    assert not any("hours_per_day" in one for one in by_hours["assumptions"])


@pytest.mark.parametrize(
    ("said", "month"),
    [
        ("2M/day", 2e6 * 730 / 24), ("2M tokens per day", 2e6 * 730 / 24), ("每天200万", 2e6 * 730 / 24),
        ("日均200万", 2e6 * 730 / 24), ("1.2B a year", 1e8), ("60,000,000", 6e7), ("3亿/月", 3e8), ("100M", 1e8),
    ],
)  # fmt: skip
def test_tokens_of_another_time_are_those_of_a_month(said: str, month: float) -> None:
    assert of_month(said, "tokens_per_month") == pytest.approx(month)


def test_a_time_beside_both_sides_is_meant_for_both() -> None:
    assert of_month("3M", "tokens_per_month", "3M in, 1M out per day") == pytest.approx(3e6 * 730 / 24)


def test_a_bill_is_no_price_of_a_million_and_one_price_is_of_both_kinds_of_token() -> None:
    asked = {"what": "tokens", "model": "Qwen3-8B", "cards": "1x 4090"}

    def monthly(**more: str) -> str:
        shown = agent_tool("cost").look_up({**asked, **more}, Ledger(), ()).shown
        return str((shown.get("volume") or shown)["api_monthly_cost"])

    assert monthly(api_price="$900/month", tokens_per_month="300M out, 1B in") == "$900.00/month"
    assert monthly(api_price="$1", tokens_per_month="1B in, 500M out") == "$1,500/month"
    refused = agent_tool("cost").look_up({**asked, "api_price": "$900/month"}, Ledger(), ()).shown
    assert "bill" in refused["error"]["message"]


def test_the_processor_that_is_named_makes_the_machine() -> None:
    def hosts(**more: str) -> str:
        return str(
            agent_tool("cost").look_up({"what": "power", "cards": "3x 3080", **more}, Ledger(), ()).shown["hosts"]
        )

    assert hosts() == "500 W"
    assert hosts(host="Ryzen 7 7700X") < hosts()
    assert hosts(host="Threadripper 7970X") > hosts(host="Ryzen 7 7700X")
    assert hosts(host="120 W") == "120 W"
