"""Beside cards there is another machine for one person: the experts in host memory, or a computer of one memory."""

from typing import Any

import pytest

from tools.agent_tools.ledger import Ledger
from tools.agent_tools.toolset import agent_tool
from tools.configure.bills.host import hosts
from tools.configure.market.purchases import purchased
from tools.configure.market.suitable import machine_sizes
from tools.configure.tell.tiers import in_proportion
from tools.named import read_card

GIB = 2**30


def orders(**asked: str) -> dict[str, dict[str, Any]]:
    shown = agent_tool("configure").look_up({"acquisition": "buy", **asked}, Ledger()).shown
    return {one["tier"]: one for one in shown["orders"]}


def usd(order: dict[str, Any]) -> float:
    return float(order["price"]["amount"].strip("$").replace(",", ""))


def test_a_large_mixture_for_one_person_is_offered_from_host_memory() -> None:
    found = orders(model="Qwen3-235B-A22B", users="1", country="US")
    other, lead = found["other machine"], found["recommended"]
    assert other["gpu_count"] == 1
    assert other["engine"] == "llama.cpp"
    assert usd(other) < 0.5 * usd(lead)
    assert "prompts are read slowly" in other["gives_up"]


def test_nobody_alone_is_sold_five_times_as_much_as_serves_bearably() -> None:
    found = orders(model="DeepSeek-V3", users="1", country="US")
    assert found["recommended"]["engine"] == "llama.cpp"
    assert usd(found["stronger"]) > 5 * usd(found["recommended"])


def test_what_meets_a_stated_speed_for_half_the_money_is_recommended() -> None:
    found = orders(model="DeepSeek-V3", users="1", country="US", target_tokens_per_s="5")
    assert found["recommended"]["gpu_count"] == 1
    assert usd(found["stronger"]) > 2 * usd(found["recommended"])
    assert "tokens/s" in found["stronger"]["adds"]


@pytest.mark.parametrize("asked", [{"users": "60"}, {"cards": "RTX PRO 6000"}, {"conditions": "new"}])
def test_many_people_named_cards_and_conditions_leave_it_out(asked: dict[str, Any]) -> None:
    assert "other machine" not in orders(model="DeepSeek-V3", country="US", **asked)


def test_a_speed_that_host_memory_does_not_reach_leaves_it_out() -> None:
    assert "other machine" not in orders(model="DeepSeek-V3", users="1", target_tokens_per_s="40")


def test_every_channel_is_filled_where_weights_are_read_from_there() -> None:
    for host in hosts("rtx-3090-24gb", 1, 256 * GIB, domestic=False, filled=True):
        if host.channels:
            modules = next(item.count for item in host.items if item.part == "memory")
            assert modules >= min(host.channels, 8)  # slots of the board


def test_proportion_changes_nothing_where_the_other_machine_is_hardly_cheaper() -> None:
    lead = {"tier": "recommended", "acquisition": "buy", "price": {"amount": 10_000}}
    other = {"tier": "other machine", "acquisition": "buy", "price": {"amount": 8_000}}
    assert in_proportion([lead, other], 0.5) == [lead, other]


def test_what_leads_by_proportion_leaves_no_other_tier_than_the_stronger_one() -> None:
    def one(tier: str, amount: float) -> dict[str, Any]:
        return {
            "tier": tier, "acquisition": "buy", "gpu_count": 1, "weight_format": "fp8", "condition": "new",
            "memory": {"verdict": "yes"}, "speed": {"tokens_per_s_per_user": amount / 100}, "gives_up": "something",
            "price": {"amount": amount, "complete": True},
        }  # fmt: skip

    given = [one("recommended", 10_000), one("cheaper", 8_000), one("stronger", 20_000), one("other machine", 2_000)]
    found = in_proportion(given, 0.5)
    assert [(each["tier"], each["price"]["amount"]) for each in found] == [
        ("recommended", 2_000), ("stronger", 10_000), ("also", 8_000), ("also", 20_000),
    ]  # fmt: skip
    assert "gives_up" not in found[2]


def test_where_no_cards_fit_the_limits_another_machine_may() -> None:
    found = orders(model="Kimi-K2", users="1", max_power="1500 W")
    assert found["recommended"]["engine"] == "llama.cpp"


@pytest.mark.parametrize(("model", "watts"), [("Kimi-K2", 1500), ("Qwen3-32B", 300), ("DeepSeek-V3", 900)])
def test_what_states_no_power_is_within_no_limit_of_it(model: str, watts: int) -> None:
    """What is bought within the limit states its power; a stronger order is looked for beyond the limits."""
    found = orders(model=model, users="1", max_power=f"{watts} W")
    assert found
    kept = [(read_card(one["gpu_name"])[0], one["gpu_count"]) for tier, one in found.items() if tier != "stronger"]
    assert kept
    assert all(gpu.market == "apu" or (gpu.tdp_w or watts + 1) * count <= watts for gpu, count in kept)


def test_a_computer_of_one_gpu_is_no_card_of_which_a_machine_takes_several() -> None:
    station = read_card("DGX Station")[0]
    assert machine_sizes(station) == (1,)
    (whole,) = purchased(station, 1, country=None)
    assert whole.complete


def test_a_sum_below_every_machine_finds_none() -> None:
    assert orders(model="Kimi-K2", users="1", budget="$3000") == {}


def test_a_lump_sum_chooses_the_model_by_what_it_buys() -> None:
    """An hour of the largest machine costs less than any sum: it must not choose the model."""
    shown = agent_tool("configure").look_up({"purpose": "coding", "budget": "€2500", "country": "DE"}, Ledger()).shown
    assert shown["orders"][0]["acquisition"] == "buy"
    assert all(one["acquisition"] == "buy" for one in shown["orders"])


def test_the_tiers_of_a_cloud_are_its_own_and_a_cloud_of_a_longer_name_is_not() -> None:
    asked = {"model": "Qwen3-8B", "users": "2"}
    for cloud, others in (("RunPod", "RunPod"), ("AWS", "AWS")):
        shown = agent_tool("configure").look_up({**asked, "provider": cloud}, Ledger()).shown
        assert shown["orders"]
        assert all(one["provider"].startswith(others) for one in shown["orders"])
        assert all(one["provider"] != "AWS China" for one in shown["orders"])
