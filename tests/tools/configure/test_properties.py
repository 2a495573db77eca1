"""What must hold of any search: order does not matter, less asked never costs more, every reason can be said."""

import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import tools.configure as room_module
import tools.configure.asked as asked_module
import tools.configure.bills.host as host_module
import tools.configure.market.purchases as purchases_module
import tools.configure.market.rentals as rentals_module
from kb.catalog import gpus, servers
from kb.market.offers import current_offers
from tools.configuration import Configuration
from tools.configure import configure
from tools.configure.bills.bill import bill
from tools.configure.market.sold import ORDERABLE, buyable, second_hand
from tools.configure.request import ConfigureRequest
from tools.configure.result import ConfigureResult
from tools.configure.tell.reasons import TEXTS, text
from tools.need import Budget, GpuCount

SERVE: dict[str, Any] = {"task": "inference", "model": "Llama-3.1-8B", "context_tokens": 8192}


def ask(**fields: Any) -> ConfigureResult:
    return configure(ConfigureRequest.model_validate(fields))


def least(result: ConfigureResult, way: str) -> Decimal:
    """The lowest price of a sure fit; infinite when there is none."""
    found = [
        item.price.amount
        for item in result.configurations
        if item.acquisition == way and item.memory.verdict == "yes" and item.price.amount and item.condition == "new"
    ]
    return min(found, default=Decimal("Infinity"))


def test_the_order_of_the_catalog_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    before = ask(**SERVE, concurrent_sequences=16)
    caches = (
        rentals_module._rented_streams, rentals_module._unbeaten, purchases_module._streams, purchases_module._bought,
        host_module.hosts, bill,
    )  # fmt: skip
    for cache in caches:
        cache.cache_clear()
    with monkeypatch.context() as patched:
        patched.setattr(rentals_module, "current_offers", lambda: tuple(reversed(current_offers())))
        patched.setattr(host_module, "servers", lambda: dict(reversed(servers().items())))
        patched.setattr(asked_module, "gpus", lambda: dict(reversed(gpus().items())))
        after = ask(**SERVE, concurrent_sequences=16)
    for cache in caches:
        cache.cache_clear()
    assert after == before


@pytest.mark.parametrize(
    ("hard", "easy"),
    [
        pytest.param({"concurrent_sequences": 64}, {"concurrent_sequences": 16}, id="fewer-requests"),
        pytest.param({"target_tokens_per_s": 60.0}, {"target_tokens_per_s": 20.0}, id="slower"),
        pytest.param({"target_latency_s": 0.2}, {"target_latency_s": 2.0}, id="later-first-token"),
        pytest.param({"max_power_w": 300}, {"max_power_w": 3000}, id="more-power"),
        pytest.param({"max_gpus": 1}, {"max_gpus": 8}, id="more-cards"),
    ],
)
def test_asking_less_never_costs_more(hard: dict[str, Any], easy: dict[str, Any]) -> None:
    for way in ("buy", "rent"):
        assert least(ask(**{**SERVE, **easy}, acquisition=way, max_results=50), way) <= least(
            ask(**{**SERVE, **hard}, acquisition=way, max_results=50), way
        )


def test_chinese_clouds_are_for_those_in_china() -> None:
    def providers(country: str) -> set[str | None]:
        found = ask(**SERVE, acquisition="rent", country=country, max_results=50).configurations
        return {item.provider for item in found}

    assert "AutoDL" in providers("CN")
    assert "AutoDL" not in providers("US")


@pytest.mark.parametrize("way", ["buy", "rent"])
def test_power_is_kept_within_its_limit(way: str) -> None:
    found = ask(**SERVE, max_power_w=400, acquisition=way).configurations
    assert found
    assert all((item.power_w or 0) <= 400 for item in found)


def test_a_miss_by_power_and_by_money_says_what_would_do() -> None:
    tight = Budget(amount=20_000, currency="USD", mode="buy")
    missed = ask(task="inference", model="Qwen2.5-72B", concurrent_sequences=16, budget=tight).rejected
    money = next(miss for miss in missed if miss.reasons[0].code == "too_dear")
    assert money.price_usd is not None
    excess = money.reasons[1].values["excess"]
    assert isinstance(excess, float)
    more = Budget(amount=20_000 + excess + 1, currency="USD", mode="buy")
    titles = {item.title for item in ask(
        task="inference", model="Qwen2.5-72B", concurrent_sequences=16, budget=more, max_results=50
    ).configurations}  # fmt: skip
    assert money.title in titles


def test_a_deadline_brings_more_cards() -> None:
    work = {"task": "full_finetune", "model": "Llama-3.1-8B", "dataset_tokens": 10**9, "acquisition": "rent"}
    slow = ask(**work, deadline_s=30 * 86400.0).configurations[0]
    fast = ask(**work, deadline_s=6 * 3600.0).configurations[0]
    assert (fast.speed or {})["time_s"] <= 6 * 3600
    assert (fast.price.amount or 0) >= (slow.price.amount or 0)


@pytest.mark.parametrize("hours", [3, 6, 24])
def test_whatever_is_shown_meets_the_deadline(hours: int) -> None:
    found = ask(task="full_finetune", model="Llama-3.1-8B", dataset_tokens=10**9, deadline_s=hours * 3600.0,
                max_results=20)  # fmt: skip
    assert found.configurations
    assert all((item.speed or {})["time_s"] <= hours * 3600 for item in found.configurations)


@pytest.mark.usefixtures("fresh_prices")
def test_only_cards_with_a_market_are_bought_when_none_is_named() -> None:
    orderable = [gpu for gpu in gpus().values() if buyable(gpu, owned=False, asked=False, country=None)]
    assert all(gpu.status in ORDERABLE or second_hand(gpu) for gpu in orderable)
    assert any(gpu.status == "discontinued" for gpu in orderable)
    assert len(orderable) < len(gpus())


def test_spot_and_reserved_stand_beside_the_hourly_price_with_the_hours_of_the_job() -> None:
    found = ask(task="full_finetune", model="Llama-3.1-8B", dataset_tokens=10**9, acquisition="rent",
                gpus_asked=("h100-sxm-80gb",), max_results=50)  # fmt: skip
    prices = [price for item in found.configurations for price in item.rent_prices]
    assert {price.kind for price in prices} >= {"on_demand"}
    for item in found.configurations:
        hourly = {price.kind: price for price in item.rent_prices}
        assert hourly["on_demand"].usd_per_hour == item.price.amount
        if "spot" in hourly:
            assert (hourly["spot"].hours or 0) > (hourly["on_demand"].hours or 0)


def test_owned_cards_come_first_and_what_to_add_is_named() -> None:
    found = ask(
        task="inference", model="Qwen2.5-32B", weight_format="bf16", gpus_owned=(GpuCount(gpu="3090", count=2),)
    )
    first = found.configurations[0]
    assert (first.gpu, first.owned_count) == ("rtx-3090-24gb", 2)
    assert first.gpu_count > 2
    assert "add_to_owned" in {one.code for one in first.reasons}
    assert [(item.part, item.count) for item in first.items] == [("gpu", first.gpu_count - 2)]


def test_every_reason_has_a_sentence_and_every_sentence_its_values() -> None:
    said = [one for result in (ask(**SERVE), ask(task="full_finetune", model="DeepSeek-V3"))
            for item in result.configurations for one in item.reasons]  # fmt: skip
    assert len({one.code for one in said}) > 5
    for one in said:
        assert "{" not in text(one)


def test_every_code_in_the_room_has_a_sentence() -> None:
    every = [path.read_text() for path in Path(room_module.__file__).parent.rglob("*.py")]
    used = {code for words in every for code in re.findall(r'reason\(\s*"\w+",\s*"(\w+)"', words)}
    assert used
    assert used <= set(TEXTS)


def test_a_cluster_is_described_with_its_network() -> None:
    found = ask(task="full_finetune", model="DeepSeek-V3", acquisition="buy").configurations
    clusters = [item for item in found if item.nodes > 1]
    assert clusters
    assert all(item.network is not None for item in clusters)
    assert any(layout(item) > 1 for item in clusters)


def layout(item: Configuration) -> int:
    return item.tensor_parallel * item.pipeline_parallel * item.expert_parallel
