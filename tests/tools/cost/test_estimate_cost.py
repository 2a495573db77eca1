"""Cost of owning and renting: worked by hand, laws that must hold, and refusals."""

from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.base import BadInput, UnknownName
from kb.catalog import providers
from kb.market.offers import current_offers
from kb.market.rates import rate
from tools.cost import estimate_cost
from tools.cost.request import CostRequest
from tools.cost.result import BreakEven, CostEstimate, Owning
from tools.registry import Tool

BY_HAND = {
    "server": "dgx-h100", "purchase_price": 360_000, "residual_ratio": 0.25, "years": 3,
    "maintenance_ratio_per_year": 0.05, "pue": 1.5, "tariff_per_kwh": 0.1, "utilisation": 1, "hours_per_day": 24,
    "rent_per_hour": 20,
}  # fmt: skip
"""8.364 kW · 1.5 · 730 h · $0.1 = $915.86 of energy; 360,000 · 0.75 / 36 = $7,500; 360,000 · 0.05 / 12 = $1,500."""


def estimate(**fields: Any) -> CostEstimate:
    return estimate_cost(CostRequest.model_validate({"today": date(2026, 11, 21), **fields}))


def owned(found: CostEstimate) -> Owning:
    assert found.own is not None
    return found.own


def met(found: CostEstimate) -> BreakEven:
    assert found.break_even is not None
    return found.break_even


def test_owning_by_hand() -> None:
    own = owned(estimate(**BY_HAND))
    parts = {part.name: part.monthly_cost.value for part in own.parts}
    assert parts == pytest.approx({"depreciation": 7500, "energy": 915.858, "maintenance": 1500})
    assert own.monthly_cost.value == pytest.approx(9915.858)
    assert own.total_cost.value == pytest.approx(9915.858 * 36)
    assert own.hourly_cost.value == pytest.approx(9915.858 / 730)


def test_break_even_by_hand() -> None:
    """(7,500 + 1,500) / (20 − 915.858 / 730) = 480.1 h a month; 360,000 / (14,600 − 2,415.86) = 29.5 months."""
    found = met(estimate(**BY_HAND))
    assert found.hours_per_month.value == pytest.approx(480.1, abs=0.1)
    assert found.months.value == pytest.approx(29.55, abs=0.01)
    assert found.reached


def test_where_the_curves_meet_is_the_break_even() -> None:
    found = met(estimate(**BY_HAND))
    hours = found.hours_per_month.value or 0
    below = [one for one in found.curve if one.hours_per_month < hours]
    above = [one for one in found.curve if one.hours_per_month > hours]
    assert below
    assert above
    assert all(one.own_cost > one.rent_cost for one in below)
    assert all(one.own_cost < one.rent_cost for one in above)
    paid = found.months.value or 0
    assert all((one.own_cost > one.rent_cost) == (one.months < paid) for one in found.timeline)


def test_too_little_use_never_pays() -> None:
    found = met(estimate(**{**BY_HAND, "rent_per_hour": 1.0}))
    assert found.hours_per_month.value is None
    assert found.months.value is None
    assert not found.reached


RENTED = sorted({offer.gpu for offer in current_offers() if offer.spot_usd_per_hour is not None and offer.gpu})


@pytest.mark.parametrize("gpu", RENTED)
def test_no_way_of_renting_costs_more_than_on_demand(gpu: str) -> None:
    found = {one.purchase: one.hourly_cost for one in estimate(gpu=gpu, gpu_count=8).rent}
    assert "spot" in found
    for way, hourly in found.items():
        assert hourly.low <= hourly.value <= hourly.high, way
        assert hourly.value <= found.get("on_demand", hourly).value, way


def test_spot_pays_for_the_hours_it_loses() -> None:
    found = estimate(gpu="H100 SXM", gpu_count=8, spot_lost_ratio=0.2)
    spot = next(one for one in found.rent if one.purchase == "spot")
    assert spot.useful_hourly_cost.value == pytest.approx(spot.hourly_cost.value / 0.8)


def test_a_whole_instance_is_paid_for_one_card() -> None:
    """Where no smaller instance is let; where one is, nobody rents eight cards for the work of one."""
    only_boards = [
        estimate(gpu="A100 SXM 80GB", gpu_count=count, acquisition="rent", provider="AWS") for count in (1, 8)
    ]
    one, eight = (found.rent[0].hourly_cost.high for found in only_boards)
    assert one == pytest.approx(eight)
    single, board = (
        estimate(gpu="H100 SXM", gpu_count=count, acquisition="rent").rent[0].hourly_cost.high for count in (1, 8)
    )
    assert single < board / 2


def test_interest_is_on_the_capital_bound() -> None:
    """360,000 · (1 + 0.25) / 2 · 0.04 / 12 = $750 a month."""
    own = owned(estimate(**BY_HAND, interest_ratio_per_year=0.04))
    assert next(part for part in own.parts if part.name == "financing").monthly_cost.value == pytest.approx(750)


def test_a_place_in_a_data_centre_is_paid_by_the_kilowatt() -> None:
    own = owned(estimate(**BY_HAND, colocation_per_kw_month=150))
    assert next(part for part in own.parts if part.name == "colocation").monthly_cost.value == pytest.approx(1530)


def test_a_place_that_includes_the_electricity_bills_none() -> None:
    names = {part.name for part in owned(estimate(gpu="4090", gpu_count=8, country="CN", site="colocation")).parts}
    assert "colocation" in names
    assert "energy" not in names


def test_a_million_tokens_by_hand() -> None:
    found = estimate(**BY_HAND | {"model": "Llama-3.1-70B", "utilisation": 0.5})
    tokens, own = found.tokens, owned(found)
    assert tokens is not None
    assert tokens.own_million_cost is not None
    assert tokens.rent_million_cost is not None
    rate = tokens.tokens_per_s_total.value
    assert tokens.rent_million_cost.value == pytest.approx(20 / (rate * 3600 * 0.5) * 1e6)
    assert tokens.own_million_cost.value == pytest.approx(own.hourly_cost.value / (rate * 1800) * 1e6)


def test_a_training_run_costs_its_hours() -> None:
    found = estimate(**BY_HAND, model="Llama-3.1-8B", task="lora", dataset_tokens=100_000_000)
    run = found.run
    assert run is not None
    assert run.rent_cost is not None
    assert run.rent_cost.value == pytest.approx(20 * run.time_s.value / 3600)


def test_what_has_no_price_is_said_to_be_missing() -> None:
    found = estimate(gpu="mi300x-192gb", gpu_count=4)  # modules of eight: no machine in the catalog takes four
    assert not owned(found).complete
    assert any("machine" in said for said in found.warnings)
    assert owned(estimate(gpu="mi300x-192gb", gpu_count=4, machine_price=1500)).complete


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"gpu": "4090", "gpu_count": 2}, id="desktop"),
        pytest.param({"gpu": "l40s", "gpu_count": 8}, id="server"),
        pytest.param({"gpu": "l40s", "gpu_count": 16}, id="two-servers"),
        pytest.param({"gpus": ({"gpu": "3090"}, {"gpu": "4090"})}, id="two-kinds"),
        pytest.param({"gpu": "rtx-pro-6000-bw-ws-96gb", "country": "CN", "currency": "CNY"}, id="yuan"),
    ],
)
def test_cards_are_owned_with_the_machine_around_them_as_a_range(fields: dict[str, object]) -> None:
    own = owned(estimate(**fields))
    machine = next(one for one in own.prices if one.what.startswith("machine ("))
    assert own.complete
    assert machine.unit_cost is not None
    assert 0 < machine.unit_cost.low < machine.unit_cost.value < machine.unit_cost.high
    assert machine.source
    bare = owned(estimate(**fields, machine_price=0))
    each = machine.count * machine.unit_cost.value
    assert own.purchase_cost.value == pytest.approx(bare.purchase_cost.value + each)


def test_break_even_is_that_of_whole_machines() -> None:
    whole, card = estimate(gpu="l40s", gpu_count=8), estimate(gpu="l40s", gpu_count=8, machine_price=0)
    assert whole.break_even is not None
    assert card.break_even is not None
    assert (whole.break_even.months.value or 0) > (card.break_even.months.value or 0)
    low, high = whole.break_even.months.low or 0, whole.break_even.months.high or 0
    assert low < (whole.break_even.months.value or 0) < high


def test_three_years_reserved_are_a_way_to_rent_where_somebody_lets_so(monkeypatch: pytest.MonkeyPatch) -> None:
    held = current_offers()
    one = next(offer for offer in held if offer.gpu == "h100-sxm-80gb" and offer.reserved_1y_usd_per_hour)
    three = one.model_copy(update={"reserved_3y_usd_per_hour": one.reserved_1y_usd_per_hour})
    others = tuple(offer for offer in held if offer.id != one.id)
    monkeypatch.setattr("tools.find_offers.current_offers", lambda: (*others, three))
    ways = {one.purchase: one for one in estimate(gpu="h100-sxm-80gb", gpu_count=8, acquisition="rent").rent}
    assert ways["reserved_3y"].hourly_cost.value < ways["on_demand"].hourly_cost.high


def test_old_prices_are_flagged() -> None:
    later = estimate(gpu="4090", machine_price=1000, country="CN", today=date(2027, 6, 1))
    assert any("older than 30 days" in said for said in later.warnings)
    assert all(row.stale for row in owned(later).prices if row.source)


def test_currencies_are_converted_with_a_dated_rate() -> None:
    fields = {"gpu": "4090", "gpu_count": 4, "country": "CN", "machine_price": 0}
    dollars, yuan = estimate(**fields), estimate(**fields, currency="CNY")
    assert owned(yuan).total_cost.value == pytest.approx(
        owned(dollars).total_cost.value * float(rate("CNY").per_usd), rel=1e-6
    )
    assert any(f"CNY ({rate('CNY').as_of})" in said for said in yuan.assumptions)


PRICES = st.floats(0, 1e6)


@settings(max_examples=40, deadline=None)
@given(st.floats(0, 2), st.floats(0, 2), PRICES)
def test_dearer_electricity_is_never_cheaper(one: float, other: float, price: float) -> None:
    low, high = (
        owned(
            estimate(
                gpu="4090", gpu_count=2, purchase_price=price, tariff_per_kwh=tariff, currency="USD", rent_per_hour=1
            )
        )
        for tariff in sorted((one, other))
    )
    assert high.monthly_cost.value >= low.monthly_cost.value - 1e-9


@settings(max_examples=40, deadline=None)
@given(PRICES, PRICES, st.floats(0.5, 30))
def test_a_dearer_purchase_never_breaks_even_earlier(one: float, other: float, rent: float) -> None:
    cheap, dear = (
        met(estimate(gpu="h100-sxm-80gb", gpu_count=8, purchase_price=price, rent_per_hour=rent, tariff_per_kwh=0.1))
        for price in sorted((one, other))
    )
    never = float("inf")
    for name in ("hours_per_month", "months"):
        early, late = (getattr(getattr(found, name), "value") for found in (cheap, dear))  # noqa: B009
        assert (never if late is None else late) >= (never if early is None else early) - 1e-9


@settings(max_examples=40, deadline=None)
@given(st.floats(0.5, 50), st.floats(0.5, 50))
def test_a_dearer_rent_never_breaks_even_later(one: float, other: float) -> None:
    cheap, dear = (met(estimate(**BY_HAND | {"rent_per_hour": rent})) for rent in sorted((one, other)))
    if cheap.months.value is not None:
        assert dear.months.value is not None
        assert dear.months.value <= cheap.months.value + 1e-9


@settings(max_examples=40, deadline=None)
@given(st.floats(0.2, 15), st.floats(0.1, 1), st.floats(1, 24), st.booleans())
def test_parts_sum_to_the_whole_and_bounds_are_in_order(years: float, busy: float, hours: float, place: bool) -> None:
    found = estimate(gpu="H100 SXM", gpu_count=8, years=years, utilisation=busy, hours_per_day=hours,
                     site="colocation" if place else None, country="CN", currency="CNY")  # fmt: skip
    own = owned(found)
    for name in ("value", "low", "high"):
        parts = sum(getattr(part.monthly_cost, name) for part in own.parts)
        assert parts == pytest.approx(getattr(own.monthly_cost, name))
    intervals = [own.monthly_cost, own.total_cost, own.purchase_cost, *(part.monthly_cost for part in own.parts)]
    intervals += [one.monthly_cost for one in found.rent]
    assert all(0 <= one.low <= one.value <= one.high for one in intervals)
    assert own.total_cost.value == pytest.approx(own.monthly_cost.value * years * 12)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        pytest.param({}, "gpu", id="nothing-named"),
        pytest.param({"gpu": "4090", "years": 0}, "years", id="no-time"),
        pytest.param({"gpu": "4090", "years": 500}, "years", id="for-ever"),
        pytest.param({"gpu": "4090", "utilisation": 0}, "utilisation", id="never-used"),
        pytest.param({"gpu": "4090", "purchase_price": -5}, "purchase_price", id="negative-price"),
        pytest.param({"gpu": "4090", "rent_per_hour": 0}, "rent_per_hour", id="free-rent"),
        pytest.param({"gpu": "4090", "rent_per_hour": float("inf")}, "rent_per_hour", id="infinite-rent"),
        pytest.param({"gpu": "4090", "residual_ratio": 2}, "residual_ratio", id="worth-more-than-new"),
        pytest.param({"gpu": "4090", "spot_lost_ratio": 1}, "spot_lost_ratio", id="all-lost"),
        pytest.param({"gpu": "4090", "purchase_price": 1, "machine_price": 1}, "machine_price", id="priced-twice"),
    ],
)
def test_nonsense_is_refused_by_field(fields: dict[str, Any], field: str) -> None:
    with pytest.raises(BadInput) as refused:
        Tool.of(estimate_cost).call(fields)
    assert refused.value.field == field


@pytest.mark.parametrize("fields", [{"gpu": "RTX 9999"}, {"gpu": "4090", "provider": "Nimbus"}], ids=["gpu", "cloud"])
def test_unknown_names_are_not_guessed(fields: dict[str, Any]) -> None:
    with pytest.raises(UnknownName):
        Tool.of(estimate_cost).call(fields)


def test_every_step_can_be_redone() -> None:
    found = estimate(**BY_HAND)
    whole = next(step for step in found.derivation if step.label == "Owning, a month")
    assert sum(float(str(value)) for value in whole.inputs.values()) == pytest.approx(float(str(whole.value)))
    even = next(step for step in found.derivation if step.label == "Break-even")
    fixed, rent, energy = (float(str(even.inputs[name])) for name in ("fixed", "rent", "energy"))
    assert fixed / (rent - energy) == pytest.approx(float(str(even.value)))


def test_a_job_costs_its_hours_at_the_cheapest_rent() -> None:
    found = estimate(gpu="l4", gpu_count=1, model="openai/whisper-large-v3", audio_s=36_000, acquisition="rent")
    assert found.run is not None
    assert found.tokens is None
    hours = found.run.time_s.value / 3600
    assert found.run.gpu_hours.value == pytest.approx(hours)
    assert found.run.cheapest_cost == pytest.approx(hours * found.rent[0].useful_hourly_cost.low)


@pytest.mark.parametrize("fields", [{"audio_s": 7200}, {"images": 1000}])
def test_twice_the_cards_take_half_the_time_for_the_same_hours(fields: dict[str, int]) -> None:
    model = "openai/whisper-large-v3" if "audio_s" in fields else "stabilityai/stable-diffusion-xl-base-1.0"
    one, two = (estimate(gpu="l40s", gpu_count=n, model=model, acquisition="rent", **fields).run for n in (1, 2))
    assert one is not None
    assert two is not None
    assert two.time_s.value == pytest.approx(one.time_s.value / 2)
    assert two.gpu_hours.value == pytest.approx(one.gpu_hours.value)


def test_owning_is_held_against_several_rents_the_cheapest_first() -> None:
    found = estimate_cost(CostRequest(gpu="h100-pcie-80gb", gpu_count=1, years=3))
    assert found.own is not None
    assert len(found.against) >= 3
    paid = [one.monthly_cost for one in found.against]
    assert paid == sorted(paid)
    for one in found.against:
        assert one.owning_saves_monthly == pytest.approx(one.monthly_cost - found.own.monthly_cost.value)
        assert (one.hours_per_month is None) or (one.hours_per_month <= found.hours_per_month) == (
            one.owning_saves_monthly >= 0
        )
    dear, cheap = found.against[-1], found.against[0]
    assert (dear.months or 0) < (cheap.months or 1e9)


def test_a_marketplace_is_not_the_cheapest_of_a_cloud() -> None:
    found = estimate_cost(CostRequest(gpu="rtx-4090-24gb", gpu_count=1, years=3))
    peers = {name for one in providers().values() for name in one.peers}
    own = next((one for one in found.against if one.which == "cheapest of a cloud"), None)
    assert own is None or not any((own.offer or "").startswith(name) for name in peers)


def test_the_persons_own_rent_stands_alone() -> None:
    found = estimate_cost(CostRequest(gpu="rtx-4090-24gb", gpu_count=1, years=3, rent_per_hour=0.5))
    assert [one.which for one in found.against] == ["given"]
    assert found.against[0].gpu_hourly_cost == pytest.approx(0.5)


@pytest.mark.parametrize(("card", "count"), [("rtx-4090-24gb", 4), ("rtx-4090-24gb", 8), ("rtx-3090-24gb", 6)])
def test_a_machine_is_counted_around_many_cards(card: str, count: int) -> None:
    """No sum passes for a machine that is one of cards alone."""
    found = estimate_cost(CostRequest(gpu=card, gpu_count=count, acquisition="buy")).own
    assert found is not None
    assert found.complete
    assert [one.what.startswith("machine") for one in found.prices] == [False, True]


def test_tokens_of_a_month_are_held_against_renting_only_the_hours_they_take() -> None:
    asked = CostRequest(gpu="rtx-5090-32gb", gpu_count=1, model="Qwen/Qwen3-32B", tokens_per_month=1e8)
    found = estimate_cost(asked)
    assert found.volume is not None
    assert found.tokens is not None
    hours = 1e8 / (found.tokens.tokens_per_s_total.value * 3600)
    assert found.volume.hours_needed == pytest.approx(hours)
    assert found.volume.rent_cost is not None
    assert (found.volume.rent_needed_cost or 0) < found.volume.rent_cost.low
