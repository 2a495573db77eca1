"""Planning power: published machines, circuits by hand, laws that must hold, and refusals."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.base import BadInput, UnknownName
from kb.machines.power import power_facts
from tools.agent_tools.ledger import Ledger
from tools.agent_tools.toolset import agent_tool
from tools.power import plan_power
from tools.power.plan import airflow_m3_per_hour, water_l_per_minute
from tools.power.request import PowerRequest
from tools.power.result import CircuitPlan, PowerPlan
from tools.registry import Tool

CARDS = ["rtx-4090-24gb", "rtx-3090-24gb", "rtx-5090-32gb", "h100-sxm-80gb", "a100-sxm-80gb", "l40s-48gb", "h20-96gb"]


def plan(**fields: Any) -> PowerPlan:
    return plan_power(PowerRequest.model_validate(fields))


def circuit(found: PowerPlan, name: str) -> CircuitPlan:
    return next(one for one in found.circuits if one.id == name)


@pytest.mark.parametrize(
    ("fields", "watts"),
    [
        pytest.param({"gpu": "h100-sxm-80gb", "gpu_count": 8}, 10_200, id="dgx-h100-user-guide"),
        pytest.param({"server": "dgx-h100"}, 10_200, id="dgx-h100-by-name"),
        pytest.param({"gpu": "a100-sxm-80gb", "gpu_count": 8}, 6_500, id="dgx-a100-datasheet"),
        pytest.param({"server": "gb200-nvl72"}, 120_000, id="gb200-nvl72-rack"),
        pytest.param({"gpu": "h100-sxm-80gb", "gpu_count": 32}, 40_800, id="four-dgx-h100"),
    ],
)
def test_published_machines_draw_what_their_vendor_says(fields: dict[str, Any], watts: float) -> None:
    assert plan(**fields).wall_max_w == pytest.approx(watts, rel=0.01)


def test_a_node_in_training_draws_what_was_measured() -> None:
    """arXiv:2412.08602: 8.4 kW at most; arXiv:2506.14551: 76 % of 10.2 kW in demanding work."""
    found = plan(gpu="h100-sxm-80gb", gpu_count=8).sustained_w
    assert found.value == pytest.approx(8_400, rel=0.01)
    assert found.low == pytest.approx(7_750, rel=0.01)
    assert found.high == pytest.approx(10_200)


def test_four_4090_at_home_by_hand() -> None:
    """4 · 450 + 500 W = 2,300 W inside, over 0.9 = 2,556 W at the wall; 220 V · 16 A · 0.8 = 2,816 W."""
    found = plan(gpu="4090", gpu_count=4, country="CN", circuit_amps=16)
    assert found.inside_max_w == 2300
    assert found.wall_max_w == pytest.approx(2555.6, abs=0.1)
    (only,) = found.circuits
    assert (only.volts, only.continuous_w, only.verdict, only.needed) == (220, pytest.approx(2816), "yes", 1)
    assert [(one.kind, one.count) for one in found.plugs] == [("12V-2x6", 4)]


def test_what_an_american_outlet_does_not_carry_gets_the_limit_that_fits() -> None:
    """120 V · 20 A · 0.8 = 1,920 W; (1,920 · 0.9 − 500) / 4 = 307 W a card: two 4090 fit, four do not at 450 W."""
    assert circuit(plan(gpu="4090", gpu_count=2, country="US"), "us-120v-20a").verdict == "yes"
    four = circuit(plan(gpu="4090", gpu_count=4, country="US"), "us-120v-20a")
    assert four.continuous_w == pytest.approx(1920)
    assert (four.verdict, four.needed, four.fitting_limit_w) == ("no", 2, 300)
    limited = plan(gpu="4090", gpu_count=4, country="US", power_limit_w=300)
    assert circuit(limited, "us-120v-20a").verdict == "yes"


def test_three_phase_power_is_root_three_volts_amps() -> None:
    """CMU: 48 A sustained on a 208 V, 60 A circuit are 17,293 W."""
    found = plan(gpu="h100-sxm-80gb", gpu_count=8, country="US")
    assert circuit(found, "us-208v-60a-3ph").continuous_w == pytest.approx(17_293, abs=1)


@pytest.mark.parametrize(
    ("fields", "rated", "count"),
    [
        pytest.param({"gpu": "4090", "gpu_count": 2}, 1600, 1, id="two-4090: (900 + 350) / 0.9 = 1389"),
        pytest.param({"gpu": "4090", "gpu_count": 1}, 1000, 1, id="one-4090: (450 + 350) / 0.9 = 889"),
        pytest.param({"gpu": "3090", "gpu_count": 2}, 1200, 1, id="two-3090: (700 + 350) / 0.9 = 1167"),
        pytest.param(
            {"gpu": "5090", "gpu_count": 4, "country": "DE"}, 1600, 2, id="four-5090: (2300 + 185) / 0.8 = 3106"
        ),
        pytest.param({"gpu": "3090", "gpu_count": 4, "country": "US"}, 1200, 2, id="low-volts: none above 1600 W"),
        pytest.param({"gpu": "3090", "gpu_count": 4, "country": "DE"}, 2200, 1, id="230-volts: 1900 / 0.9 = 2111"),
        pytest.param({"gpu": "5090", "gpu_count": 2, "country": "CN"}, 2000, 1, id="two-5090: 1500 / 0.9 = 1667"),
        pytest.param({"gpu": "5090", "gpu_count": 2, "country": "US"}, 1600, 1, id="low-volts: enough, no margin"),
    ],
)
def test_supplies_by_hand(fields: dict[str, Any], rated: float, count: int) -> None:
    found = plan(**fields).supply
    assert found is not None
    assert (found.rated_w, found.count) == (rated, count)


@pytest.mark.parametrize("country", ["CN", "DE"])
@pytest.mark.parametrize("count", [1, 2, 3, 4])
@pytest.mark.parametrize("gpu", ["3090", "4090", "5090", "rtx-pro-6000-bw-maxq-96gb", "rtx-5060ti-16gb"])
def test_supplies_are_never_below_what_the_machine_is_told_to_draw_at_most(gpu: str, count: int, country: str) -> None:
    found = plan(gpu=gpu, gpu_count=count, country=country)
    assert found.supply is not None
    assert found.supply.rated_w * found.supply.count >= max(found.wall_max_w, found.supply.needed_w)


def test_the_largest_supply_of_low_volts_without_margin_is_told_with_the_limit_that_gives_one() -> None:
    """(1,600 W · 0.9 − 350 W) / 2 = 545 W a card."""
    found = plan(gpu="5090", gpu_count=2, country="US")
    (said,) = [one for one in found.warnings if "leaves no margin" in one]
    assert "540 W" in said
    limited = plan(gpu="5090", gpu_count=2, country="US", power_limit_w=540)
    assert limited.supply is not None
    assert limited.supply.rated_w >= limited.wall_max_w
    assert not any("leaves no margin" in one for one in limited.warnings)


@pytest.mark.parametrize(
    ("psu_w", "verdict"), [pytest.param(500, "no"), pytest.param(750, "tight"), pytest.param(850, "yes")]
)
def test_a_supply_at_hand_is_judged(psu_w: float, verdict: str) -> None:
    found = plan(gpu="4090", psu_w=psu_w).supply
    assert found is not None
    assert found.at_hand == verdict


def test_two_3090_draw_about_what_was_measured_at_the_wall() -> None:
    """LocalLLaMA: 760 W while they generate text, 90 W idle, without a power limit."""
    found = plan(gpu="3090", gpu_count=2)
    assert found.sustained_w.low == pytest.approx(760, rel=0.05)
    assert found.sustained_w.value == pytest.approx(760, rel=0.12)
    assert found.idle_w == pytest.approx(90, rel=0.1)


def test_four_limited_3090_are_tight_on_an_american_outlet_of_15_a_where_they_were_run() -> None:
    """Puget Systems, hpc 1974: four RTX 3090 at 280 W on one 110 V, 15 A line, the processor at rest.

    (4 · 270 + 185) / 0.9 = 1,406 W steadily and (4 · 270 + 500) / 0.9 = 1,756 W at most, of 1,440 and 1,800 W.
    """
    limited = circuit(plan(gpu="3090", gpu_count=4, country="US", power_limit_w=270), "us-120v-15a")
    assert (limited.verdict, limited.needed, limited.fitting_limit_w) == ("tight", 1, 190)
    assert circuit(plan(gpu="3090", gpu_count=4, country="US"), "us-120v-15a").verdict == "no"


@pytest.mark.parametrize("limit", [140, 190, 200, 250])
def test_the_most_of_a_machine_is_held_against_what_a_circuit_carries_for_hours(limit: int) -> None:
    found = plan(gpu="3090", gpu_count=4, country="US", circuit_amps=15, circuit_volts=120, power_limit_w=limit)
    (only,) = found.circuits
    assert only.continuous_w == pytest.approx(1440)
    assert (only.verdict == "yes") == (found.wall_max_w <= 1440)


def test_one_supply_that_would_do_is_named_beside_several() -> None:
    """Four 3090 need more than 1,600 W, the most at 120 V: one of 2,200 W does it at 200 V and more."""
    found = plan(gpu="3090", gpu_count=4, country="US")
    assert found.supply is not None
    assert (found.supply.count, found.supply.alone_w) == (2, 2200)
    assert any("In place of several" in one and "2,200 W" in one for one in found.warnings)
    single = plan(gpu="3090", gpu_count=2).supply
    assert single is not None
    assert single.alone_w is None


def test_the_steady_load_of_a_supply_is_told_apart_from_its_peak() -> None:
    """Two 3090: (700 + 100) / 1200 = 67 % steadily, all at full load 1050 / 1200 = 87.5 %."""
    found = plan(gpu="3090", gpu_count=2).supply
    assert found is not None
    assert (found.continuous_ratio, found.peak_ratio) == (pytest.approx(0.667, abs=0.001), pytest.approx(0.875))


def test_a_power_limit_needs_a_smaller_supply() -> None:
    full, limited = (plan(gpu="4090", gpu_count=4, power_limit_w=watts).supply for watts in (None, 250))
    assert full is not None
    assert limited is not None
    assert limited.needed_w < full.needed_w


def test_heat_and_cooling_by_hand() -> None:
    """10.2 kW · 3.412 = 34,802 BTU/h; at 15 K: 10,200 · 3600 / (1.2 · 1005 · 15) = 2,030 m³/h = 1,195 CFM."""
    found = plan(server="dgx-h100")
    assert found.heat_btu_per_hour == pytest.approx(34_802, abs=1)
    assert airflow_m3_per_hour(10_200) == pytest.approx(2029.9, abs=0.1)
    assert found.airflow_cfm == pytest.approx(1194.8, abs=0.1)
    assert water_l_per_minute(1000) == pytest.approx(1.43, abs=0.01)


def test_racks_hold_as_many_nodes_as_power_and_height_allow() -> None:
    rows = {row.limit_w: row for row in plan(server="dgx-h100", nodes=4).racks}
    assert (rows[10_000].nodes_per_rack, rows[10_000].racks) == (0, None)
    assert (rows[20_000].nodes_per_rack, rows[20_000].racks) == (1, 4)
    assert (rows[40_000].nodes_per_rack, rows[40_000].racks) == (3, 2)


def test_energy_of_a_month_by_hand() -> None:
    """One H100 node at 8,364 W, PUE 1.5: 8.364 · 1.5 · 730 = 9,158.6 kWh; at 0.10 a kWh 915.86."""
    found = plan(server="dgx-h100", pue=1.5, tariff_per_kwh=0.1, utilisation=1).energy
    assert found.kwh_per_month.value == pytest.approx(9158.6, abs=0.1)
    assert found.monthly_cost.value == pytest.approx(915.86, abs=0.01)


def test_half_the_hours_take_half_the_energy() -> None:
    whole, half = (plan(gpu="4090", hours_per_day=hours).energy for hours in (24, 12))
    assert half.kwh_per_month.value == pytest.approx(whole.kwh_per_month.value / 2)


def test_the_energy_of_some_years_is_that_of_their_months() -> None:
    found = plan(gpu="4090", years=3).energy
    assert found.term_cost is not None
    assert found.term_cost.value == pytest.approx(36 * found.monthly_cost.value)
    assert plan(gpu="4090").energy.term_cost is None


def test_a_measured_limit_is_said_with_its_source() -> None:
    found = plan(gpu="4090", power_limit_w=300).power_limit
    assert found is not None
    assert (found.label, found.decode and found.decode.value) == ("measured", 0.934)
    assert found.sources == ("thorsten-meyer-4090",)


def test_a_card_nobody_limited_gets_the_range_of_others() -> None:
    found = plan(gpu="a6000", power_limit_w=220).power_limit
    assert found is not None
    assert found.label == "other cards"
    assert found.decode is not None
    assert found.decode.low < found.decode.high < 1


def test_the_parts_sum_to_the_whole_and_every_step_is_cited() -> None:
    found = plan(gpu="h20-96gb", gpu_count=16, country="CN")
    assert found.cards_w + found.hosts_w == pytest.approx(found.inside_max_w)
    known = {source.id for source in found.sources}
    assert {one.source for one in found.derivation if one.source} <= known
    assert {one.source for one in found.circuits} <= known


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(CARDS), st.integers(1, 200), st.integers(1, 50))
def test_more_cards_never_draw_less(card: str, count: int, more: int) -> None:
    few, many = plan(gpu=card, gpu_count=count), plan(gpu=card, gpu_count=count + more)
    for name in ("wall_max_w", "one_ms_w", "specified_w", "idle_w", "heat_btu_per_hour", "airflow_m3_per_hour"):
        assert getattr(many, name) >= getattr(few, name) - 1e-6, name
    assert many.sustained_w.value >= few.sustained_w.value - 1e-6
    assert many.energy.kwh_per_month.value >= few.energy.kwh_per_month.value - 1e-6


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(CARDS), st.integers(1, 40), st.floats(0, 1), st.floats(0, 1))
def test_busier_hours_never_take_less_and_bounds_are_in_order(card: str, count: int, a: float, b: float) -> None:
    calm, busy = (plan(gpu=card, gpu_count=count, utilisation=at).energy for at in sorted((a, b)))
    assert busy.kwh_per_month.value >= calm.kwh_per_month.value - 1e-9
    for one in (busy.average_w, busy.kwh_per_month, busy.monthly_cost):
        assert 0 <= one.low <= one.value <= one.high


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 16), st.floats(100, 450))
def test_a_lower_limit_never_draws_more(count: int, limit: float) -> None:
    free, limited = plan(gpu="4090", gpu_count=count), plan(gpu="4090", gpu_count=count, power_limit_w=limit)
    assert limited.wall_max_w <= free.wall_max_w + 1e-9
    assert limited.energy.kwh_per_month.value <= free.energy.kwh_per_month.value + 1e-9


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        pytest.param({}, "gpu", id="nothing-named"),
        pytest.param({"gpu": "4090", "gpu_count": 0}, "gpu_count", id="no-cards"),
        pytest.param({"gpu": "4090", "power_limit_w": 900}, "power_limit_w", id="limit-above-the-board-power"),
        pytest.param({"gpu": "4090", "power_limit_w": 20}, "power_limit_w", id="limit-no-driver-takes"),
        pytest.param({"gpu": "4090", "utilisation": 1.5}, "utilisation", id="more-than-always"),
        pytest.param({"gpu": "4090", "hours_per_day": 25}, "hours_per_day", id="longer-than-a-day"),
        pytest.param({"gpu": "4090", "pue": 0.5}, "pue", id="pue-below-one"),
        pytest.param({"gpu": "4090", "nodes": 2}, None, id="two-nodes-one-each"),
        pytest.param({"gpu": "4090", "gpu_count": 1, "nodes": 2}, "nodes", id="more-nodes-than-cards"),
        pytest.param({"gpu": "4090", "gpus": [{"gpu": "3090"}]}, "gpus", id="named-twice"),
        pytest.param({"gpu": "4090", "country": "China"}, "country", id="not-a-code"),
        pytest.param({"gpu": "4090", "tariff_per_kwh": -1}, "tariff_per_kwh", id="paid-to-burn"),
        pytest.param({"gpu": "4090", "tariff_per_kwh": float("nan")}, "tariff_per_kwh", id="nan"),
    ],
)
def test_nonsense_is_refused_by_field(fields: dict[str, Any], field: str | None) -> None:
    if field is None:
        assert Tool.of(plan_power).call(fields)
        return
    with pytest.raises(BadInput) as refused:
        Tool.of(plan_power).call(fields)
    assert refused.value.field == field


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"gpu": "RTX 9999"}, id="card"),
        pytest.param({"server": "dgx-x999"}, id="server"),
        pytest.param({"gpu": "4090", "currency": "doubloons"}, id="currency"),
    ],
)
def test_unknown_names_are_not_guessed(fields: dict[str, Any]) -> None:
    with pytest.raises(UnknownName):
        Tool.of(plan_power).call(fields)


def test_a_country_without_a_tariff_says_so() -> None:
    assert any("give tariff_per_kwh" in said for said in plan(gpu="4090", country="SG").warnings)
    assert not any("give tariff_per_kwh" in said for said in plan(gpu="4090", country="CN").warnings)


def test_every_region_has_an_outlet_and_a_rack_feed() -> None:
    for region in {one.region for one in power_facts().circuits}:
        kinds = {one.kind for one in power_facts().circuits if one.region == region}
        assert {"outlet", "rack"} <= kinds, region


@pytest.mark.parametrize(
    ("country", "amps", "volts"),
    [(None, 15, 120), (None, 20, 120), (None, 10, 230), (None, 16, 230), (None, 32, 230), ("US", 15, 120),
     ("US", 30, 240), ("CN", 16, 220), ("JP", 15, 100), (None, 25, 230)],
)  # fmt: skip
def test_a_circuit_has_the_volts_of_where_circuits_of_its_rating_are_found(
    country: str | None, amps: int, volts: float
) -> None:
    assert plan(gpu="4090", gpu_count=1, country=country, circuit_amps=amps).circuits[0].volts == volts


def test_a_day_and_a_year_are_shares_of_the_same_use() -> None:
    energy = plan(gpu="4090", gpu_count=2, country="CN").energy
    assert energy.yearly_cost.value == pytest.approx(365 * energy.daily_cost.value)
    assert energy.kwh_per_year.value == pytest.approx(12 * energy.kwh_per_month.value)
    assert energy.kwh_per_year.value == pytest.approx(365 * energy.kwh_per_day.value)


def test_unlike_cards_are_named_each_with_its_number() -> None:
    found = plan(gpus=[{"gpu": "rtx-3090-24gb", "count": 1}, {"gpu": "rtx-4060-ti-16gb", "count": 2}])
    assert sorted(found.cards) == ["1 × GeForce RTX 3090", "2 × GeForce RTX 4060 Ti 16GB"]


def test_the_energy_of_the_same_hours_is_the_same_in_planning_and_in_cost() -> None:
    asked = {"cards": "2x 5090", "country": "DE", "hours_per_day": "6"}
    planned, owned = (agent_tool("cost").look_up({**asked, "what": what}, Ledger()).shown
                      for what in ("power", "own_or_rent"))  # fmt: skip
    (energy,) = [one["monthly_cost"] for one in owned["own"]["parts"] if one["name"] == "energy"]
    assert planned["energy"]["monthly_cost"].split(" (")[0] == energy
