"""What is ordered runs as `find_ways_to_run` says it does on those cards: the two never contradict each other."""

import random
from typing import Any

import pytest

from tools.configuration import Configuration
from tools.configure import configure
from tools.configure.request import ConfigureRequest
from tools.ways_to_run import find_ways_to_run
from tools.ways_to_run.request import WaysToRunRequest

MODELS = (
    "Qwen/Qwen3-32B", "Qwen/Qwen3-8B", "Llama-3.3-70B-Instruct", "openai/gpt-oss-120b", "deepseek-ai/DeepSeek-V3",
    "Qwen/Qwen3-30B-A3B", "zai-org/GLM-4.5-Air", "deepseek-ai/DeepSeek-V3.2", "google/gemma-3-27b-it",
)  # fmt: skip
SEEDS = 16


def _need(seed: int) -> dict[str, Any]:
    chance = random.Random(seed)
    need = {
        "task": "inference", "model": MODELS[seed % len(MODELS)], "with_frontier": False, "max_results": 8,
        "concurrent_sequences": chance.choice([1, 4, 16, 64]), "acquisition": chance.choice([None, "buy", "rent"]),
        "context_tokens": chance.choice([None, 4096, 16384, 32768]), "country": chance.choice([None, "CN", "US"]),
        "engine": chance.choice([None, None, "vllm", "sglang", "llama.cpp"]),
        "objective": chance.choice([None, None, "cheapest", "simplest", "quietest"]),
    }  # fmt: skip
    return {name: value for name, value in need.items() if value is not None}


def _layout(one: Configuration) -> dict[str, int]:
    if one.expert_parallel > 1:
        return {"ep": one.expert_parallel}
    if one.engine == "llama.cpp":
        return {"pp": one.pipeline_parallel}
    return {"tp": one.tensor_parallel, "pp": one.pipeline_parallel, "dp": one.data_parallel}


@pytest.mark.parametrize("seed", range(SEEDS))
def test_the_solver_of_ways_says_the_same_of_every_order(seed: int) -> None:
    need = _need(seed)
    load = {name: need[name] for name in ("model", "concurrent_sequences", "context_tokens") if name in need}
    found = configure(ConfigureRequest.model_validate(need)).configurations
    for one in found:
        cards = [{"gpu": one.gpu, "count": one.gpu_count // one.nodes}]
        fixed = {"weight_format": one.weight_format, "kv_format": one.kv_format, "engine": one.engine}
        request = {**load, **fixed, "cards": cards, "nodes": one.nodes, "parallel": _layout(one)}
        ways = find_ways_to_run(WaysToRunRequest.model_validate(request))
        assert ways.answer.verdict == "fits", one.title
        way, speed = ways.ways[0], one.speed or {}
        assert way.memory.surety == one.memory.verdict
        assert way.memory.needed_bytes_per_gpu == pytest.approx(one.memory.needed_bytes_per_gpu, abs=1)
        assert way.memory.usable_bytes_per_gpu == one.memory.usable_bytes_per_gpu
        if way.speed is None:  # no source states how fast the card reads
            assert one.speed is None
            continue
        rate = way.speed.tokens_per_s_per_user
        for end, value in (("", rate.value), ("_low", rate.low), ("_high", rate.high)):
            assert speed[f"tokens_per_s_per_user{end}"] == pytest.approx(value, rel=1e-9)


def test_most_of_those_needs_are_answered() -> None:
    """Otherwise the agreement would be about nothing."""
    answered = sum(
        bool(configure(ConfigureRequest.model_validate(_need(seed))).configurations) for seed in range(SEEDS)
    )
    assert answered >= 0.8 * SEEDS


def test_what_fits_the_ways_is_ordered_and_no_more_cards_than_that() -> None:
    """Four cards hold it by `find_ways_to_run`: six are not ordered for what engines do not hold there."""
    load = {"model": "Qwen/Qwen3-32B", "concurrent_sequences": 3, "context_tokens": 32768}
    ways = find_ways_to_run(WaysToRunRequest.model_validate({**load, "cards": "2x RTX 4090", "engine": "vllm"}))
    assert ways.answer.verdict == "fits"
    named = {**load, "task": "inference", "gpus_asked": ["rtx-4090-24gb"]}
    found = configure(ConfigureRequest.model_validate(named)).configurations
    assert min(one.gpu_count for one in found) <= 2


CARDS = (
    "rtx-3090-24gb",
    "rtx-4090-24gb",
    "rtx-5090-32gb",
    "rtx-pro-5000-bw-48gb",
    "l40s-48gb",
    "rtx-pro-6000-bw-ws-96gb",
)
PROBLEMS = 24


def _problem(seed: int) -> tuple[dict[str, Any], str, int]:
    """A load, a card, and how many of it."""
    chance = random.Random(1000 + seed)
    load = {
        "model": MODELS[seed % len(MODELS)], "concurrent_sequences": chance.choice([1, 4, 16, 64]),
        "context_tokens": chance.choice([4096, 16384]), "engine": "vllm",
    }  # fmt: skip
    return load, chance.choice(CARDS), chance.choice([1, 2, 4, 8])


def _held_surely(load: dict[str, Any], card: str, count: int) -> bool:
    """Whether the solver of ways has a way of four bits or more that surely holds it on the cards, fast enough."""
    cards = [{"gpu": card, "count": count}]
    ways = find_ways_to_run(WaysToRunRequest.model_validate({**load, "cards": cards, "objective": "best_quality"})).ways
    floor = 10.0 if load["concurrent_sequences"] > 1 else 5.0
    return any(
        one.memory.surety == "yes" and one.speed is not None and one.speed.tokens_per_s_per_user.value >= floor
        for one in ways
    )


def _ordered(load: dict[str, Any], card: str, count: int) -> bool:
    need = {**load, "task": "inference", "gpus_asked": [card], "max_gpus": count, "acquisition": "buy"}
    found = configure(ConfigureRequest.model_validate({**need, "with_frontier": False})).configurations
    return any(one.memory.verdict == "yes" for one in found)


@pytest.mark.parametrize("seed", range(PROBLEMS))
def test_what_the_solver_of_ways_surely_holds_can_be_ordered(seed: int) -> None:
    load, card, count = _problem(seed)
    if _held_surely(load, card, count):
        assert _ordered(load, card, count)


def test_both_are_so_in_some_of_those() -> None:
    held = [_held_surely(*_problem(seed)) for seed in range(PROBLEMS)]
    assert PROBLEMS / 4 <= sum(held) < PROBLEMS
