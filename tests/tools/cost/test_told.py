"""What is told beside the figures, and figures of a month's tokens by hand: faults that no other test noticed."""

from datetime import date
from typing import Any

import pytest

from kb.catalog import gpus
from kb.market.offers import current_offers
from kb.market.rates import rate
from kb.market.tariffs import tariff_facts
from tools.agent_tools.ledger import Ledger
from tools.agent_tools.toolset import agent_tool
from tools.cost import estimate_cost
from tools.cost.request import CostRequest
from tools.cost.result import CostEstimate
from tools.prices import card_price
from tools.registry import tool

SERVED = {"gpu": "h100-sxm-80gb", "gpu_count": 8, "model": "Llama-3.1-70B", "rent_per_hour": 16, "acquisition": "rent"}


def estimate(**fields: Any) -> CostEstimate:
    return estimate_cost(CostRequest.model_validate({"today": date(2026, 11, 21), **fields}))


def said(found: CostEstimate, words: str) -> bool:
    return any(words in one for one in (*found.assumptions, *found.warnings))


@pytest.mark.parametrize(
    ("words", "without", "given"),
    [
        ("PUE ", {}, {"pue": 1.2}),
        ("around the clock", {}, {"hours_per_day": 8}),
        ("At full load", {}, {"utilisation": 0.4}),
        ("Fetches ", {}, {"residual_ratio": 0.3}),
        ("Nobody's time", {}, {"staff_per_month": 100}),
        ("Spot loses", {}, {"spot_lost_ratio": 0.2}),
        ("Reckoned over", {}, {"years": 2}),
    ],
)
def test_what_is_taken_for_granted_is_told_and_what_is_given_is_not(
    words: str, without: dict[str, Any], given: dict[str, Any]
) -> None:
    machine = {"gpu": "h100-sxm-80gb", "gpu_count": 8}
    assert said(estimate(**machine, **without), words)
    assert not said(estimate(**machine, **given), words)


def test_spot_is_told_of_only_where_it_is_among_the_ways() -> None:
    found = estimate(gpu="h100-sxm-80gb", gpu_count=8, rent_per_hour=16)
    assert not said(found, "Spot loses")
    source = tariff_facts().ownership.spot_lost_ratio.source
    assert source not in {one.id for one in found.sources}
    assert source in {one.id for one in estimate(gpu="h100-sxm-80gb", gpu_count=8).sources}


def test_cards_that_nobody_lets_are_said_to_be_so() -> None:
    assert said(estimate(gpu="p40-24gb", gpu_count=1, purchase_price=300, provider="AWS"), "No offer to rent")
    assert not said(estimate(gpu="h100-sxm-80gb", gpu_count=8), "No offer to rent")
    assert not said(estimate(gpu="p40-24gb", gpu_count=1, purchase_price=300, acquisition="buy"), "No offer to rent")


def test_only_what_has_no_price_is_named_as_such() -> None:
    found = estimate(gpu="mi300x-192gb", gpu_count=4)
    lacking = next(one for one in found.warnings if one.startswith("No price is known of"))
    assert "machine" in lacking
    assert "MI300X" not in lacking


def test_the_middle_of_a_cards_street_prices_is_budgeted() -> None:
    key = next(
        key for key, one in sorted(gpus().items())
        if one.price_high_usd and (price := card_price(one)) and float(one.price_high_usd) > float(price.amount_usd)
        and one.tdp_w
    )  # fmt: skip
    found = estimate(gpu=key, gpu_count=1, buys="cards").own
    price = card_price(gpus()[key])
    assert found is not None
    assert price is not None
    ends = float(price.amount_usd), float(gpus()[key].price_high_usd or 0)
    assert found.purchase_cost.value == pytest.approx(sum(ends) / 2)
    assert (found.purchase_cost.low, found.purchase_cost.high) == pytest.approx(ends)


def test_a_month_of_tokens_by_hand() -> None:
    """copies = ⌈tokens / (rate · 3600 · hours · utilisation)⌉; a provider's bill = tokens / 10⁶ · price."""
    found = estimate(**SERVED, tokens_per_month=5e10, api_million_price=0.5, utilisation=0.5)
    volume, tokens = found.volume, found.tokens
    assert volume is not None
    assert tokens is not None
    full = tokens.tokens_per_s_total.value * 3600 * 730
    assert volume.copies == -(-5e10 // (full * 0.5))
    assert volume.busy_ratio == pytest.approx(5e10 / (volume.copies * full))
    assert volume.api_cost == pytest.approx(25_000)
    assert volume.rent_cost is not None
    assert volume.rent_cost.value == pytest.approx(volume.copies * 16 * 730)


def test_without_a_stated_price_the_cheapest_service_is_held_against_it() -> None:
    found = estimate(**SERVED | {"model": "meta-llama/Llama-3.3-70B-Instruct"}, tokens_per_month=1e9).volume
    assert found is not None
    assert found.api
    assert found.api_cost == pytest.approx(1000 * found.api[0].output_million_price)


def test_spot_that_nobody_was_read_to_let_is_the_usual_discount() -> None:
    """On demand less 55 %, and of each hour a tenth is lost: 1 − 0.45 / 0.9 = half is saved."""
    facts = tariff_facts().ownership
    let = {one.gpu for one in current_offers() if one.gpu and gpus()[one.gpu].tdp_w}
    spot_read = {one.gpu for one in current_offers() if one.spot_usd_per_hour is not None}
    found = [estimate(gpu=gpu, gpu_count=1, purchase_price=1000) for gpu in sorted(let - spot_read)]
    derived = [(each.rent[0], one) for each in found for one in each.rent if one.basis == "derived"]
    assert derived
    for on_demand, spot in derived:
        off, lost = facts.spot_discount, facts.spot_lost_ratio.value
        assert spot.hourly_cost.value == pytest.approx(on_demand.hourly_cost.value * (1 - off.value))
        assert spot.hourly_cost.high == pytest.approx(on_demand.hourly_cost.high * (1 - off.low))
        assert spot.saving_ratio is not None
        assert spot.saving_ratio.value == pytest.approx(1 - (1 - off.value) / (1 - lost))
        assert spot.saving_ratio.high == pytest.approx(1 - (1 - off.high) / (1 - lost))


def test_curves_run_from_nothing_to_the_end() -> None:
    met = estimate(server="dgx-h100", purchase_price=360_000, rent_per_hour=20, years=3).break_even
    assert met is not None
    assert [met.curve[0].hours_per_month, met.curve[-1].hours_per_month] == [0, 730]
    assert [met.timeline[0].months, met.timeline[-1].months] == [0, 36]


def test_a_job_of_some_hours_is_rented_once_and_told_by_what_it_costs() -> None:
    """75 hours of one card: no month and no break-even, but the rent of those hours at each offer."""
    shown = agent_tool("cost").look_up({"cards": "1x A100 80GB", "years": "75 hours"}, Ledger()).shown
    assert "break_even" not in shown
    for one in shown["against"]:
        hourly, paid = (float(one[name].strip("$").removesuffix("/h").replace(",", ""))
                        for name in ("gpu_hourly_cost", "term_cost"))  # fmt: skip
        lost = 0.9 if one["which"] == "cheapest spot" else 1  # of the hours, to interruptions
        assert paid == pytest.approx(75 * hourly / lost, rel=0.01)


def test_prices_in_several_currencies_are_brought_to_one() -> None:
    """$15 a million tokens beside cards paid in yuan are 15 times the rate, not 15 yuan."""
    asked = {"cards": "1x 4090", "model": "Qwen3-32B", "tokens_per_month": "1M", "purchase_price": "20000元"}
    shown = agent_tool("cost").look_up({**asked, "what": "tokens", "api_price": "$15"}, Ledger()).shown
    assert shown["currency"] == "CNY"
    paid = float(shown["volume"]["api_monthly_cost"].strip("¥").removesuffix("/month").replace(",", ""))
    assert paid == pytest.approx(15 * float(rate("CNY").per_usd), rel=0.01)


def test_what_a_provider_reads_and_writes_is_priced_by_each() -> None:
    """20 million in at $2 and 4 million out at $10: $80 a month; and $1,600 less what running costs pays back."""
    asked = {"what": "tokens", "model": "Qwen3-32B AWQ", "cards": "1x 3090", "country": "US", "purchase_price": "$1600"}
    pair = {**asked, "tokens_per_month": "20M in, 4M out", "api_price": "$2 in, $10 out"}
    volume = agent_tool("cost").look_up(pair, Ledger()).shown["volume"]
    assert volume["api_monthly_cost"].startswith("$80")
    assert volume["api_monthly_cost"].endswith("/month")
    turned = {**asked, "tokens_per_month": "output 4M, input 20M", "api_price": "output $10, input $2"}
    assert (
        agent_tool("cost").look_up(turned, Ledger()).shown["volume"]["api_monthly_cost"] == volume["api_monthly_cost"]
    )
    alone = {**asked, "tokens_per_month": "4M", "api_price": "$10"}
    assert agent_tool("cost").look_up(alone, Ledger()).shown["volume"]["api_monthly_cost"].startswith("$40")


def test_months_to_pay_back_follow_from_the_bill_that_ends() -> None:
    asked = {
        "gpu": "rtx-3090-24gb", "model": "Qwen/Qwen3-8B", "tokens_per_month": 2e7, "purchase_price": 1500.0,
        "hours_per_day": 24.0, "tariff_per_kwh": 0.1, "maintenance_ratio_per_year": 0.0, "currency": "USD",
    }  # fmt: skip
    dear, cheap = (tool("estimate_cost").call({**asked, "api_million_price": price}) for price in (20.0, 0.01))
    (energy,) = [one.monthly_cost.value for one in dear.own.parts if one.name == "energy"]
    assert dear.volume.payback_months == pytest.approx(1500 / (400 - energy), rel=0.01)
    assert cheap.volume.payback_months is None
