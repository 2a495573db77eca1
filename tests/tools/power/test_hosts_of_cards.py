"""What is counted for the machine around the cards: none of a server's overhead for what people put under a desk."""

from itertools import product

import pytest

from kb.catalog import gpus
from tools.power import plan_power
from tools.power.request import PowerRequest
from tools.power.result import PowerPlan

HOBBY = sorted(
    key for key, card in gpus().items()
    if card.tdp_w and "pcie" in card.form_factor.lower()
    and (card.market == "consumer" or (card.market == "data_center" and card.status == "discontinued"
                                       and (card.year or 0) < 2019))
)  # fmt: skip


def plan(gpu: str, count: int, **fields: object) -> PowerPlan:
    return plan_power(PowerRequest.model_validate({"gpu": gpu, "gpu_count": count, **fields}))


@pytest.mark.parametrize("gpu", HOBBY)
def test_one_card_for_hobbyists_is_in_a_desktop(gpu: str) -> None:
    one, four = plan(gpu, 1), plan(gpu, 4)
    assert one.hosts_w < 500
    assert four.hosts_w < 1000
    assert one.machine == "desktop"


def test_cards_of_data_centres_that_are_sold_today_are_in_servers() -> None:
    assert plan("l40s-48gb", 4).hosts_w > 1000
    assert plan("h100-pcie-80gb", 1).machine == "server_single"
    assert plan("h100-pcie-80gb", 4).machine == "server"


def test_hosts_grow_with_their_cards_and_differ_by_market() -> None:
    laptop, desktop = plan("rtx-4090-laptop-16gb", 1).hosts_w, plan("rtx-4090-24gb", 1).hosts_w
    servers = [plan("l40s-48gb", count).hosts_w for count in (1, 2, 4, 8)]
    assert plan("jetson-orin-nx-16gb", 1).hosts_w < laptop < desktop < servers[0]
    assert servers == sorted(set(servers))


@pytest.mark.parametrize("gpu", ["apple-m3-ultra-512gb", "gb10-dgx-spark-128gb", "jetson-agx-orin-64gb"])
def test_computers_that_are_sold_whole_bring_their_own_supply(gpu: str) -> None:
    assert plan(gpu, 1).supply is None


@pytest.mark.parametrize(
    ("gpu", "most_w"),
    [
        # geerlingguy/ai-benchmarks, issues 42 and 2; PicoCluster's Orin Nano; the adapter of a Spark is of 240 W.
        ("apple-m3-ultra-512gb", 262), ("apple-m4-32gb", 31), ("jetson-orin-nano-super-8gb", 20),
        ("gb10-dgx-spark-128gb", 240),
    ],
)  # fmt: skip
def test_small_computers_draw_about_what_was_measured_at_the_wall(gpu: str, most_w: float) -> None:
    found = plan(gpu, 1)
    assert most_w * 0.8 < found.wall_max_w < most_w * 2.2


@pytest.mark.parametrize(
    ("gpu", "count"), [("h100-sxm-80gb", 8), ("rtx-3090-24gb", 1), ("p40-24gb", 2), ("l40s-48gb", 8)]
)
def test_a_month_takes_no_more_than_the_machine_draws_at_most(gpu: str, count: int) -> None:
    """Not 262 kWh where the cards at most take fewer."""
    for hours, share, pue in product((1, 8, 24), (0.0, 0.3, 1.0), (1.0, 1.4)):
        found = plan(gpu, count, hours_per_day=hours, utilisation=share, pue=pue)
        most = found.wall_max_w / 1000 * 730 * hours / 24 * pue
        least = found.idle_w / 1000 * 730 * hours / 24 * pue
        assert least - 1e-6 <= found.energy.kwh_per_month.low
        assert found.energy.kwh_per_month.high <= most + 1e-6


def test_eight_cards_at_full_load_take_what_they_draw_all_month() -> None:
    """8 × 700 W alone are 4,088 kWh in 730 hours: 26 would be three and a half hours."""
    found = plan("h100-sxm-80gb", 8, utilisation=1, pue=1)
    assert found.energy.kwh_per_month.value > 4088
