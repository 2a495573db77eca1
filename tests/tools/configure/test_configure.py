"""Configurations fit, can be ordered, sum correctly, stay in budget, and nothing in the catalog beats them."""

import pytest

from kb.base import BadInput, UnknownName
from kb.catalog import gpus, offers
from kb.market.rates import usd
from tools.configure import configure
from tools.configure.request import ConfigureRequest
from tools.need import Budget, GpuCount
from tools.registry import tool

SERVE_8B = ConfigureRequest(
    task="inference", model="Llama-3.1-8B", context_tokens=8192, concurrent_sequences=50, acquisition="rent"
)


def test_every_configuration_fits_usable_memory() -> None:
    for item in configure(SERVE_8B).configurations:
        assert item.memory.needed_bytes_per_gpu <= item.memory.usable_bytes_per_gpu
        assert item.memory.usable_bytes_per_gpu == gpus()[item.gpu].usable_bytes


def test_rented_instance_exists_at_the_price_shown() -> None:
    listed = {(offer.provider, offer.instance, offer.on_demand_usd_per_hour) for offer in offers()}
    found = configure(SERVE_8B).configurations
    assert found
    for item in found:
        (line,) = item.items
        assert (item.provider, item.instance, line.unit_price) in listed
        assert item.price.amount == line.unit_price * line.count


def test_purchase_sums_its_lines_and_stays_in_the_budget() -> None:
    budget = Budget(amount=500_000, currency="CNY", mode="buy")
    result = configure(ConfigureRequest(task="full_finetune", params=13_000_000_000, budget=budget))
    limit = usd(500_000, "CNY")
    assert result.configurations
    for item in result.configurations:
        assert item.acquisition == "buy"
        assert item.price.amount == sum(line.subtotal for line in item.items if line.subtotal is not None)
        assert item.price.amount <= limit
        assert item.price.complete == all(line.subtotal is not None for line in item.items)


def test_bigger_budget_keeps_every_sure_fit() -> None:
    """A tight fit may give way to more of the same card, and a card alone to one with its machine."""

    def found(amount: float) -> set[str]:
        budget = Budget(amount=amount, currency="USD", mode="buy")
        request = ConfigureRequest(task="qlora", model="Llama-3.1-70B", budget=budget, max_results=50)
        sure = [item for item in configure(request).configurations if item.memory.verdict == "yes"]
        return {item.title.removesuffix(" (card only)") for item in sure}

    small, large = found(15_000), found(80_000)
    assert small
    assert small <= large


def test_owned_cards_that_suffice_come_first_and_cost_nothing() -> None:
    request = ConfigureRequest(
        task="inference", model="Qwen2.5-72B-Instruct", weight_format="awq", gpus_owned=(GpuCount(gpu="3090", count=4),)
    )
    first = configure(request).configurations[0]
    assert (first.gpu, first.owned_count) == ("rtx-3090-24gb", first.gpu_count)
    assert first.price.amount == 0


def test_owned_cards_that_do_not_suffice_are_a_near_miss_with_a_change() -> None:
    request = ConfigureRequest(
        task="inference", model="DeepSeek-R1", weight_format="fp8", gpus_owned=(GpuCount(gpu="h100-sxm-80gb", count=8),)
    )
    misses = [miss for miss in configure(request).rejected if miss.gpu == "h100-sxm-80gb"]
    assert misses
    assert misses[0].needed_bytes_per_gpu > misses[0].usable_bytes_per_gpu
    assert misses[0].change


def test_owned_boards_are_not_bought_again() -> None:
    request = ConfigureRequest(
        task="inference", model="Qwen2.5-32B", gpus_owned=(GpuCount(gpu="h100-sxm-80gb", count=2),)
    )
    first = configure(request).configurations[0]
    assert (first.gpu, first.gpu_count, first.owned_count) == ("h100-sxm-80gb", first.owned_count, first.gpu_count)
    assert first.price.amount == 0


def test_boards_of_several_are_sold_whole() -> None:
    request = ConfigureRequest(task="inference", model="DeepSeek-R1", acquisition="buy", gpus_asked=("h200-sxm-141gb",))
    for item in configure(request).configurations:
        assert item.gpu_count % 4 == 0


def test_nothing_slower_than_reading_is_served() -> None:
    request = ConfigureRequest(task="inference", model="Qwen2.5-72B", users=200, acquisition="buy")
    found = configure(request).configurations
    assert found
    assert all(item.speed is None or item.speed["tokens_per_s_per_user"] >= 5 for item in found)


def test_a_speed_that_nothing_reaches_is_said() -> None:
    request = ConfigureRequest(task="inference", model="Qwen2.5-72B", target_tokens_per_s=100_000, acquisition="rent")
    result = configure(request)
    assert result.configurations == ()
    assert any("slower" in said for said in result.warnings)


def test_asked_cards_limit_the_choice() -> None:
    request = ConfigureRequest(task="lora", params=13_000_000_000, gpus_asked=("rtx-4090-24gb", "rtx-a6000-48gb"))
    assert {item.gpu for item in configure(request).configurations} <= {"rtx-4090-24gb", "rtx-a6000-48gb"}


def test_stand_in_is_said() -> None:
    result = configure(ConfigureRequest(task="diffusion", acquisition="rent"))
    assert any("stands in" in said for said in result.assumptions)


def test_users_become_requests_in_flight_and_it_is_said() -> None:
    result = configure(ConfigureRequest(task="inference", model="Qwen2.5-7B-Instruct", users=200))
    assert any("200 users" in said for said in result.assumptions)


def test_frontier_has_no_dominated_point() -> None:
    points = configure(SERVE_8B).frontier
    for one in points:
        for other in points:
            if one.acquisition == other.acquisition and one != other:
                assert not (one.price >= other.price and one.speed <= other.speed)


def test_unknown_provider_names_the_closest() -> None:
    with pytest.raises(UnknownName) as refusal:
        configure(ConfigureRequest(model="Qwen2.5-7B-Instruct", provider="Lamda"))
    assert "Lambda" in refusal.value.close


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        pytest.param({"params": -1}, "params", id="negative"),
        pytest.param({"context_tokens": float("nan")}, "context_tokens", id="nan"),
        pytest.param({"budget": {"amount": float("inf")}}, "budget.amount", id="infinite"),
        pytest.param({"modle": "x"}, "modle", id="misspelt"),
    ],
)
def test_nonsense_is_refused_with_its_field(arguments: dict[str, object], field: str) -> None:
    with pytest.raises(BadInput) as refusal:
        tool("configure").call(arguments)
    assert refusal.value.field == field


def test_the_frontier_is_left_out_where_nobody_asks_for_it() -> None:
    whole = configure(ConfigureRequest(task="inference", model="Qwen2.5-32B"))
    without = configure(ConfigureRequest(task="inference", model="Qwen2.5-32B", with_frontier=False))
    assert whole.frontier
    assert without.frontier == ()
    assert without.configurations == whole.configurations
    assert without.rejected == whole.rejected


def test_every_cloud_with_offers_is_known_by_its_id_and_aliases() -> None:
    from kb.catalog import offers, providers
    from tools.configure.asked import known_provider

    written = {offer.provider for offer in offers()}
    listed = [row for row in providers().values() if row.name in written]
    assert len(listed) > 20
    for row in listed:
        assert {known_provider(label) for label in (row.id, row.name, *row.aliases)} == {row.name}
