"""Money over time and at an outlet: months, totals over years, ways to rent, hours of use, how many cards are fed."""

import pytest

from assistant.ground.check import ground
from assistant.plan import particular, requests
from assistant.plan.feeding import most_fed
from assistant.understand import understand
from tests.assistant.planning import turn
from tools.registry import tools


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("what does renting 2x A100 80GB for 3 months cost?", "3 months (2,190 hours)"),
        ("租 4 张 L40S 一年多少钱", "12 个月（8,760 小时）"),
        ("rent 8x H100 for 90 hours, how much?", "90 hours"),
    ],
)
def test_a_term_is_told_in_months_where_it_is_whole_ones(text: str, told: str) -> None:
    _, records, draft = turn(text)
    assert told in draft.answer.split("\n")[0]
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("TCO over 3 years of owning 8x L40S against renting them", "3 years"),
        ("四张 4090 买和租，两年总账哪个省", "2 年"),
        ("buy or rent 8 H100 for a 4 month project?", "4 months"),
    ],
)
def test_owning_and_renting_are_told_in_totals_over_the_time(text: str, first: str) -> None:
    _, records, draft = turn(text)
    verdict = draft.answer.split("\n")[0]
    assert first in verdict
    assert verdict.startswith(("**Buy", "**Rent", "**It turns", "**买", "**租", "**看"))
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


def test_break_even_is_told_as_a_share_of_the_time() -> None:
    _, records, draft = turn("at what utilisation does owning 4x L40S beat renting them?")
    met = next(one.result["break_even"] for one in records if one.tool == "estimate_cost")
    assert met["busy_ratio"] == pytest.approx(met["hours_per_month"]["value"] / 730)
    assert f"{met['busy_ratio'] * 100:.0f} %" in draft.answer.split("\n")[0]


@pytest.mark.parametrize(
    "text",
    [
        "工作日白天用 4090，租还是买",
        "an L40S on weekdays during the day: rent or buy?",
        "周一到周五白天跑 A100",
    ],
)
def test_daytime_of_weekdays_is_office_hours(text: str) -> None:
    assert understand(text).need.hours_per_month == pytest.approx(8 * 5 * 365 / 12 / 7, rel=0.01)


def test_every_way_to_rent_is_told_where_several_are_named() -> None:
    text = "p4d.24xlarge on-demand or spot, what would two months cost?"
    understanding, _, draft = turn(text)
    assert understanding.need.provider == "aws"
    assert "on demand" in draft.answer.split("\n")[0]
    assert "on spot" in draft.answer.split("\n")[0]


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("8xH100 or H200 for Llama 405B?", {8}),
        ("4×B200 还是 H200，跑 Qwen3-235B", {4}),
        ("two 3090s or a 4090?", {1, 2}),
    ],
)
def test_a_board_named_beside_a_board_is_as_many(text: str, counts: set[int]) -> None:
    need = understand(text).need
    assert {card.count for card in requests.compared(need)} == counts


@pytest.mark.parametrize(
    ("card", "asked"),
    [
        ("rtx-3090-24gb", {"circuit_amps": 15, "circuit_volts": 120}),
        ("rtx-5090-32gb", {"psu_w": 1600}),
        ("h100-pcie-80gb", {"circuit_amps": 32, "circuit_volts": 230}),
    ],
)
def test_as_many_cards_are_fed_as_the_circuit_carries_and_no_more(card: str, asked: dict[str, object]) -> None:
    most = most_fed(card, asked)
    assert most is not None

    def carries(count: int) -> bool:
        plan = tools()["plan_power"].call({"gpu": card, "gpu_count": count, **asked}).model_dump()
        if "circuit_amps" not in asked:
            return bool(plan["supply"]["at_hand"] == "yes")
        return bool(plan["circuits"][0]["verdict"] == "yes" and plan["circuits"][0]["needed"] == 1)

    assert not carries(most + 1)
    assert most == 0 or carries(most)


@pytest.mark.parametrize("text", ["cost to run a 3090 24/7 in Berlin?", "一张 4090 一直开着一个月电费多少钱"])
def test_keeping_a_card_running_is_electricity(text: str) -> None:
    understanding, records, _ = turn(text)
    assert particular.shape(understanding) is None
    assert records[0].tool == "plan_power"


@pytest.mark.parametrize(("place", "code"), [("Berlin", "DE"), ("London", "GB"), ("California", "US"), ("巴黎", "FR")])
def test_a_city_says_the_country(place: str, code: str) -> None:
    assert understand(f"a 4090 workstation in {place}, what is the power bill?").need.country == code


def test_what_spot_saves_is_told_as_a_share() -> None:
    _, records, draft = turn("8x H100 for two weeks, what does it cost to rent?")
    spot = next(one for record in records for one in record.result.get("rent") or () if one["purchase"] == "spot")
    low, high = (round(spot["saving_ratio"][name] * 100) for name in ("low", "high"))
    assert f"saves {low}–{high} %" in draft.answer


@pytest.mark.parametrize("text", ["8xH100 or H200 for DeepSeek-V3?", "8 张 H200 还是 B200 跑 Kimi-K2"])
def test_experts_shared_over_a_board_are_raced_on_all_of_it(text: str) -> None:
    _, records, _ = turn(text)
    paced = [one.request for one in records if one.tool == "estimate_inference_speed"]
    assert paced
    assert {one.get("gpu_count") for one in paced} == {8}


@pytest.mark.parametrize(
    "text",
    [
        "A lab in Paris, €40k, want to train and serve 14B models. What do we buy?",
        "we'd like to run a 32B and fine-tune it, what should I buy with $8k?",
    ],
)
def test_what_to_buy_is_a_purchase(text: str) -> None:
    assert understand(text).need.intent in {"which_to_buy", "budget"}
