"""What joins machines decides how fast a model that they share answers."""

from typing import Any

import pytest

from tools.registry import tool
from tools.ways_to_run.result import WaysToRun

SHARED = {"model": "Qwen3-32B", "weight_format": "bf16", "engine": "vllm", "context_tokens": 8192}


def find(**fields: Any) -> WaysToRun:
    """The tool, by its name."""
    found = tool("find_ways_to_run").call(fields)
    assert isinstance(found, WaysToRun)
    return found


def pace(**fields: Any) -> float:
    """Tokens a second of one user on the way that leads."""
    way = find(**{**SHARED, **fields}).ways[0]
    assert way.as_asked
    return way.speed.tokens_per_s_per_user.value


@pytest.mark.parametrize("layout", [{"tp": 8}, {"tp": 4, "pp": 2}])
@pytest.mark.parametrize("sequences", [1, 16])
def test_a_slower_network_is_a_slower_way(layout: dict[str, int], sequences: int) -> None:
    load = {"cards": "4x 3090", "nodes": 2, "parallel": layout, "concurrent_sequences": sequences}
    rates = [pace(**load, link=link) for link in ("1GbE", "10GbE", "100GbE")]

    assert rates[0] < rates[1] < rates[2]


def test_layers_over_a_slow_network_lose_to_one_machine() -> None:
    far = pace(cards="2x 4090", nodes=2, link="10GbE", parallel={"tp": 4})
    near = pace(cards="4x 4090", parallel={"tp": 4})

    assert far < 0.6 * near


def test_machines_of_one_card_each_are_machines_too() -> None:
    far, near = (pace(parallel={"tp": 4}, **cards) for cards in ({"cards": "4090", "nodes": 4}, {"cards": "4x 4090"}))

    assert far < 0.6 * near


def test_a_prompt_is_read_no_faster_than_the_network_adds_it_up() -> None:
    load = {**SHARED, "cards": "4x 3090", "nodes": 2, "parallel": {"tp": 8}, "input_tokens": 8000}
    slow, fast = (find(**load, link=link).ways[0].speed.prefill_tokens_per_s.value for link in ("10GbE", "100GbE"))

    # 2 sums of 2 bytes · 5,120 values a layer · 64 layers for each token, at 1.0 GB/s
    assert slow < 1.0e9 / (2 * 64 * 2 * 5120) * 1.05
    assert fast > 2 * slow


def test_a_pipeline_bears_a_slow_network_better_than_tensor_parallelism() -> None:
    machines = {"cards": "4x 3090", "nodes": 2, "link": "10GbE", "concurrent_sequences": 16}

    assert pace(**machines, parallel={"tp": 4, "pp": 2}) > pace(**machines, parallel={"tp": 8})


def test_a_network_that_nobody_stated_is_told() -> None:
    load = {**SHARED, "nodes": 2, "parallel": {"tp": 8}}
    consumer, stated = find(cards="4x 3090", **load), find(cards="4x 3090", link="10GbE", **load)

    assert any("10GbE, which was not said" in line for line in consumer.assumptions)
    assert not any("which was not said" in line for line in stated.assumptions)
    assert consumer.ways[0].speed.tokens_per_s_per_user == stated.ways[0].speed.tokens_per_s_per_user


def test_ports_of_infiniband_are_each_cards_own() -> None:
    load = {"cards": "8x H100", "nodes": 2, "parallel": {"tp": 16}, "concurrent_sequences": 64, "input_tokens": 8000}
    shared, own = (pace(**load, link=link) for link in ("100GbE", "infiniband 100g"))

    assert own > shared


@pytest.mark.parametrize("link", ["100GbE", "200GbE"])
def test_roce_that_may_not_be_set_up_widens_the_interval_downwards(link: str) -> None:
    load = {"model": "Qwen3.6-27B", "weight_format": "fp8", "engine": "vllm", "parallel": {"tp": 2}}
    way = find(cards="2x DGX Spark", link=link, **load).ways[0].speed.tokens_per_s_per_user

    # SGLang over sockets answered one at 8.1 tokens a second (al-engr.com, 2026)
    assert way.low < 8.1
    assert way.high / way.value < way.value / way.low


def test_a_model_shared_between_machines_is_told_to_be_hardly_measured() -> None:
    shared = find(**SHARED, cards="4x 3090", nodes=2, link="10GbE", parallel={"tp": 8})
    alone = find(**SHARED, cards="4x 3090", parallel={"tp": 4})

    assert any(line.startswith("Hardly measured") for line in shared.warnings)
    assert not any(line.startswith("Hardly measured") for line in alone.warnings)


def test_a_card_of_an_architecture_that_nobody_measured_is_told() -> None:
    load = {"model": "Qwen3-8B", "engine": "llama.cpp"}

    assert any(line.startswith("Never measured") for line in find(cards="MTT S4000", **load).warnings)
    assert not any(line.startswith("Never measured") for line in find(cards="RTX 3090", **load).warnings)
