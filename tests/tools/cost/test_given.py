"""The person's own figures: read as given, told as theirs, and never mistaken for something else."""

from datetime import date
from typing import Any

import pytest

from kb.base import AdvisorError, BadInput
from tools.cost import estimate_cost
from tools.cost.request import CostRequest
from tools.cost.result import BreakEven, CostEstimate, Growth, Owning

H200 = {
    "gpu": "h200-sxm-141gb", "gpu_count": 8, "prices": "8xH200 server 285k EUR", "hosting": "colo 2,400/mo",
    "support": "12k/yr", "residual": "maybe 25%", "rents": "2.90/gpu/h on demand", "duty": "55% utilisation",
    "horizon": "3 yrs",
}  # fmt: skip
"""285,000 · 0.75 + 36 · 2,400 + 3 · 12,000 = €336,150; 8 · 2.90 · 26,280 · 0.55 = €335,333."""
H20 = {
    "gpu": "h20-96gb", "gpu_count": 8, "prices": "8卡H20整机118万买断", "rents": "包月租6.2万",
    "hosting": "托管+电0.9万/月", "residual": "残值按45%", "horizon": "14个月", "support": "0%",
}  # fmt: skip
"""118 · 0.55 + 14 · 0.9 = ¥775,000; 14 · 6.2 = ¥868,000."""


def estimate(**fields: Any) -> CostEstimate:
    return estimate_cost(CostRequest.model_validate({"today": date(2026, 11, 21), **fields}))


def owned(found: CostEstimate) -> Owning:
    assert found.own is not None
    return found.own


def met(found: CostEstimate) -> BreakEven:
    assert found.break_even is not None
    return found.break_even


def grown(found: CostEstimate) -> Growth:
    assert found.growth is not None
    return found.growth


def test_a_server_against_renting_by_the_hour_by_hand() -> None:
    found = estimate(**H200)
    assert found.currency == "EUR"
    assert owned(found).total_cost.value == pytest.approx(336_150)
    assert found.rent[0].total_cost.value == pytest.approx(8 * 2.9 * 26_280 * 0.55)
    assert met(found).busy_ratio == pytest.approx(336_150 / (8 * 2.9 * 26_280))


def test_a_server_against_renting_by_the_month_by_hand() -> None:
    found = estimate(**H20)
    assert found.currency == "CNY"
    assert owned(found).total_cost.value == pytest.approx(775_000)
    assert found.rent[0].purchase == "by_month"
    assert found.rent[0].total_cost.value == pytest.approx(868_000)
    resold = met(found).months_resold
    assert resold is not None
    assert resold.value == pytest.approx(64.9 / 5.3)
    assert met(found).residual_ratio_even == pytest.approx(1 - 14 * 5.3 / 118)
    assert met(found).reached


def test_every_figure_given_is_told_as_theirs() -> None:
    found = estimate(**H200)
    assert {one.field for one in found.given} == {
        "prices", "hosting", "support", "residual", "rents", "duty", "horizon",
    }  # fmt: skip
    for one in found.given:
        assert any(said.startswith("Yours") and one.said in said for said in found.assumptions), one.field


def test_a_rent_by_the_month_is_paid_however_much_it_is_used() -> None:
    little, much = (
        estimate(gpu="4090", gpu_count=1, rents="3000元/月", duty=duty, acquisition="rent") for duty in ("10%", "24/7")
    )
    assert little.rent[0].monthly_cost == much.rent[0].monthly_cost
    assert little.rent[0].useful_hourly_cost.value > 5 * much.rent[0].useful_hourly_cost.value


def test_what_is_begun_of_a_month_is_paid_whole() -> None:
    found = estimate(gpu="4090", gpu_count=1, rents="3000元/月", horizon="6 weeks", acquisition="rent")
    assert found.rent[0].total_cost.value == pytest.approx(6000)


@pytest.mark.parametrize(
    ("hosting", "monthly", "billed"),
    [
        pytest.param("$200/kW/month", 200 * 10.2, True, id="kilowatt"),
        pytest.param("$100/U/month", 100 * 8, True, id="unit"),
        pytest.param("$900 a month", 900, False, id="sum"),
        pytest.param("$900 a month without power", 900, True, id="without"),
        pytest.param("$200/kW/month incl. power", 200 * 10.2, False, id="with"),
        pytest.param("$1,500 per rack per month", 1500, False, id="rack"),
    ],
)
def test_a_place_is_paid_as_given_and_its_electricity_once(hosting: str, monthly: float, billed: bool) -> None:
    parts = {one.name: one.monthly_cost.value for one in owned(estimate(server="dgx-h100", hosting=hosting)).parts}
    assert parts["colocation"] == pytest.approx(monthly)
    assert ("energy" in parts) is billed


def test_a_machines_price_holds_its_cards() -> None:
    own = owned(estimate(gpu="l40s-48gb", gpu_count=4, prices="$60,000 server with the cards"))
    assert own.purchase_cost.value == 60_000


def test_cards_alone_bring_no_machine() -> None:
    alone = owned(estimate(gpu="rtx-3090-24gb", gpu_count=2, prices="$700 each", buys="cards"))
    whole = owned(estimate(gpu="rtx-3090-24gb", gpu_count=2, prices="$700 each"))
    catalog = owned(estimate(gpu="rtx-3090-24gb", gpu_count=2, buys="cards"))
    assert alone.purchase_cost.value == 1400
    assert whole.purchase_cost.value > 1400
    assert [one.count for one in catalog.prices] == [2]


def test_cards_and_the_machine_without_them_are_added() -> None:
    given = ["$700 each", "$1,500 chassis without the cards"]
    assert owned(estimate(gpu="rtx-3090-24gb", gpu_count=2, prices=given)).purchase_cost.value == 2900


@pytest.mark.parametrize(
    "prices",
    [["$9,000 server", "$700 each"], ["$9,000 in total", "$700 each"], ["$700 each", "$800 each"]],
    ids=["machine-and-card", "all-and-card", "twice"],
)
def test_the_same_hardware_is_never_counted_twice(prices: list[str]) -> None:
    with pytest.raises(BadInput, match="twice"):
        estimate(gpu="rtx-3090-24gb", gpu_count=2, prices=prices)


@pytest.mark.parametrize(("price", "total"), [("$1,100", 4400), ("$4,800", 4800)])
def test_a_price_of_which_nothing_is_said_is_that_which_is_nearer(price: str, total: float) -> None:
    found = estimate(gpu="rtx-3090-24gb", gpu_count=4, prices=price, buys="cards")
    assert owned(found).purchase_cost.value == total


@pytest.mark.parametrize("tariff", ["PUE 1.3", "pue=1.5", "1.3", "9198 kWh", "3000元/月", "$900/kWh"])
def test_what_is_no_price_of_electricity_is_refused_with_the_remedy(tariff: str) -> None:
    with pytest.raises(AdvisorError) as refused:
        estimate(gpu="4090", gpu_count=1, tariff=tariff)
    assert "tariff" in str(refused.value)
    assert "pue" in str(refused.value).lower() or "kilowatt-hour" in str(refused.value)


def test_a_pue_as_a_bare_number_is_no_tariff_either() -> None:
    with pytest.raises(BadInput, match="pue"):
        estimate(gpu="h100-sxm-80gb", gpu_count=8, tariff_per_kwh=1.3)
    assert estimate(gpu="h100-sxm-80gb", gpu_count=8, tariff_per_kwh=1.3, currency="CNY").energy.tariff_country is None


def test_pue_and_tariff_each_have_their_place() -> None:
    found = estimate(
        gpu="a100-sxm-80gb", gpu_count=80, pue=1.3, tariff="0.6元/度", duty="24小时满载", acquisition="buy"
    )
    assert found.energy.pue.value == 1.3
    assert found.energy.tariff_per_kwh.value == 0.6
    assert found.energy.monthly_cost.value == pytest.approx(found.energy.kwh_per_month.value * 0.6)


def test_a_day_and_night_for_a_year_is_no_day_a_year() -> None:
    """「24小时满载一年」 for eight H100: thousands of kilowatt-hours a month, not 26."""
    found = estimate(gpu="h100-sxm-80gb", gpu_count=8, duty="24小时满载一年", tariff="0.8元/度", acquisition="buy")
    assert found.hours_per_month == 730
    assert found.utilisation == 1
    assert found.energy.kwh_per_month.value > 8 * 0.7 * 730


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"tariff": "$0.1/kWh", "tariff_per_kwh": 0.2}, "tariff"),
        ({"residual": "30%", "residual_ratio": 0.2}, "residual"),
        ({"horizon": "2 years", "years": 3}, "horizon"),
        ({"rents": "$2/h", "rent_per_hour": 2}, "rents"),
        ({"prices": "$2000", "purchase_price": 2000}, "prices"),
        ({"support": "5%", "maintenance_ratio_per_year": 0.05}, "support"),
        ({"duty": "50%", "utilisation": 0.5}, "duty"),
    ],
)
def test_words_beside_the_same_in_figures_are_refused(fields: dict[str, Any], field: str) -> None:
    with pytest.raises(BadInput, match=f"{field}: stands beside"):
        estimate(gpu="4090", gpu_count=1, **fields)


def test_owning_for_a_shorter_time_resells_for_more() -> None:
    short, long = (
        estimate(gpu="rtx-4090-24gb", gpu_count=2, buys="cards", horizon=span) for span in ("1 year", "3 years")
    )
    assert owned(short).residual_ratio.value > owned(long).residual_ratio.value
    assert owned(short).total_cost.value < owned(long).total_cost.value
    assert owned(short).monthly_cost.value > owned(long).monthly_cost.value


def test_a_residual_may_be_a_sum() -> None:
    own = owned(estimate(gpu="4090", gpu_count=1, prices="$2,000 in total", residual="$500"))
    assert own.residual_ratio.value == 0.25
    with pytest.raises(BadInput, match="residual"):
        estimate(gpu="4090", gpu_count=1, prices="$2,000 in total", residual="$5000")


@pytest.mark.parametrize(("support", "monthly"), [("6 %", 1425), ("12k EUR/yr", 1000), ("500/month", 500)])
def test_support_is_a_share_or_a_sum_and_takes_the_place_of_maintenance(support: str, monthly: float) -> None:
    parts = {one.name: one for one in owned(estimate(**H200 | {"support": support})).parts}
    assert parts["support"].monthly_cost.value == pytest.approx(monthly)
    assert "maintenance" not in parts


def test_amounts_in_another_currency_are_told_in_the_one_asked_for() -> None:
    euros = owned(estimate(**H200)).purchase_cost.value
    dollars = owned(estimate(**H200 | {"currency": "USD"})).purchase_cost.value
    assert euros == 285_000
    assert dollars != pytest.approx(285_000)


def test_a_growing_load_tells_when_one_more_machine_is_needed() -> None:
    """0.55 · 1.05 ^ m = 1 at m = ln(1 / 0.55) / ln(1.05) = 12.25 months; after 35 months 3.03, so four."""
    found = grown(estimate(**H200, growth="5 % a month"))
    assert found.next_machine_months == pytest.approx(12.253, abs=0.001)
    assert [one.machines for one in found.steps[:3]] == [1, 2, 3]
    assert found.machines_at_end == 4
    assert found.own_total_cost is not None
    assert found.rent_total_cost is not None
    hours = 730 * 0.55 * (1.05**36 - 1) / 0.05
    assert found.rent_total_cost.value == pytest.approx(8 * 2.9 * hours)


def test_machines_added_later_cost_their_own_months() -> None:
    """Today's for 36 months, the next from month 13, 27 and 35 on, each sold for a quarter."""
    found = grown(estimate(**H200, growth="5 % a month"))
    running = 2400 + 1000
    assert found.own_total_cost is not None
    assert found.own_total_cost.value == pytest.approx(4 * 285_000 * 0.75 + running * (36 + 23 + 9 + 1))


def test_no_growth_is_one_machine_for_ever() -> None:
    found = grown(estimate(**H200, growth="0 % a month"))
    assert found.next_machine_months is None
    assert found.own_total_cost == owned(estimate(**H200)).total_cost


def test_growth_without_a_load_asks_for_it() -> None:
    with pytest.raises(BadInput, match="growth: says not from what load"):
        estimate(gpu="4090", gpu_count=1, growth="5 % a month")
