"""Questions about money as people put them: what is paid a month or an hour, offered prices, several places, years."""

import pytest

from assistant.plan import plan
from assistant.understand import understand
from assistant.understand.running import read_running
from assistant.understand.span import find_span
from tests.assistant.planning import turn


def cost_of(text: str) -> dict[str, object]:
    """The request of what it costs, as the last wave has it."""
    _, records, _ = turn(text)
    return dict([one for one in records if one.tool == "estimate_cost"][-1].request)


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("an L40S I rent at $0.80 an hour", None),
        ("we pay 6,000 dollars a month for it", None),
        ("4×L40S for a month", 730),
        ("a year of 4×L40S", 8760),
        ("$2 an hour for a month", 730),
    ],
)
def test_the_unit_of_a_price_is_no_time(text: str, hours: float | None) -> None:
    found = find_span(text)
    assert (found.value / 3600 if found else None) == hours


def test_a_price_for_tokens_is_told_at_the_rent_that_is_paid() -> None:
    _, _, draft = turn("Cost per million tokens for Llama 3.1 8B on one L40S I rent at $0.80 an hour?")
    assert draft.answer.startswith("**A million output tokens on 1×L40S cost about $0.")


@pytest.mark.parametrize(
    ("text", "machines", "cards"),
    [
        ("3 sites with one 2×L40S server each", 3, 2),
        ("five branches, two 4×L4 servers each", 10, 4),
        ("三个门店各放一台 2 卡 L20 服务器", 3, 2),
        ("2 台 8 卡 H20", 2, 8),
        ("one 2×L40S server", 1, None),
    ],
)
def test_machines_of_several_places_are_counted_together(text: str, machines: int, cards: int | None) -> None:
    found = read_running(text)
    assert (found.nodes, found.cards_per_node) == (machines, cards)


@pytest.mark.parametrize(
    ("text", "price", "currency"),
    [
        ("H20 8 卡 130 万买合适，还是租？用三年", 1_300_000, "CNY"),
        ("Buy 2 RTX 5090 at $4,000 each or rent them for 2 years?", 8_000, "USD"),
        ("买 4 张 L40S 还是租两年？预算 20 万", None, None),
        ("Buy 8×H100 or rent them for 3 years?", None, None),
    ],
)
def test_an_offered_price_is_what_renting_is_held_against(text: str, price: float | None, currency: str | None) -> None:
    request = cost_of(text)
    assert request.get("purchase_price") == price
    assert currency is None or request.get("currency", "USD") == currency


def test_what_is_paid_a_month_is_held_against_owning() -> None:
    text = "We pay OpenAI $6,000 a month; would a 4×RTX PRO 6000 server be cheaper over 2 years?"
    assert understand(text).need.intent == "cloud_or_buy"
    assert cost_of(text)["rent_per_hour"] == pytest.approx(6_000 / 730)


@pytest.mark.parametrize(
    "text", ["What does it cost to run an RTX 4090 24/7 in Germany for 3 years?", "4 张 5090 开机三年电费多少？上海"]
)
def test_electricity_of_some_years_is_told_in_all(text: str) -> None:
    assert {call.tool for call in plan(understand(text))} >= {"plan_power"}
    assert "3 years" in turn(text)[2].answer.split("\n")[0] or "3 年合计" in turn(text)[2].answer.split("\n")[0]


def test_a_price_of_long_ago_judges_no_used_machine() -> None:
    _, _, draft = turn("Is $28,000 for a used 8×A100 40GB SXM server a fair price?")
    assert "Too cheap" not in draft.answer


def test_a_place_to_be_hosted_at_is_said_to_be_priced_apart() -> None:
    _, _, draft = turn("深圳机柜托管一台 8 卡 4090 服务器，一年电费和托管费大概多少？")
    assert "托管费按千瓦谈" in draft.answer.split("\n")[0]


def test_a_sum_paid_every_month_does_not_turn_on_the_hours() -> None:
    _, _, draft = turn("We spend $15,000 a month on RunPod H100s. At what point should we buy 8×H100 instead?")
    first = draft.answer.split("\n")[0]
    assert "$15,000 to rent" in first
    assert "turns on the hours" not in first


@pytest.mark.parametrize(
    "text",
    ["买 2 张 RTX 5090 每天跑 8 小时，北京一年电费多少？", "We bought 4 L40S. How much electricity is that a month?"],
)
def test_electricity_is_told_however_the_cards_were_come_by(text: str) -> None:
    first = turn(text)[2].answer.split("\n")[0]
    assert "kWh" in first or "度电" in first
