"""Adapters cost speed, and are served by an engine that is told how to."""

from typing import Any

from kb.constants.adapters import adapter_facts
from tools.registry import tool
from tools.ways_to_run.result import WaysToRun


def find(**fields: Any) -> WaysToRun:
    """The tool, by its name."""
    found = tool("find_ways_to_run").call(fields)
    assert isinstance(found, WaysToRun)
    return found


def test_adapters_cost_speed_and_say_so() -> None:
    asked = {"model": "Qwen3-8B", "cards": "A6000", "weight_format": "bf16", "engine": "vllm", "kv_format": "bf16"}
    plain, adapted = find(**asked), find(**asked, adapters=12, lora_rank=32)
    assert plain.ways[0].speed is not None
    assert adapted.ways[0].speed is not None
    before, after = plain.ways[0].speed.tokens_per_s_per_user, adapted.ways[0].speed.tokens_per_s_per_user

    assert abs(after.value * adapter_facts().time_ratio.value / before.value - 1) < 0.01
    assert after.high - after.low > (before.high - before.low) / adapter_facts().time_ratio.high
    assert any("Adapters" in line for line in adapted.warnings)
    assert not any("Adapters" in line for line in plain.warnings)


def test_every_way_serves_the_adapters() -> None:
    found = find(model="Qwen3-14B", cards="2x 4090", adapters=6, concurrent_sequences=8)

    assert found.ways
    assert all("--enable-lora" in way.flags for way in found.ways)


def test_a_16_bit_conversion_may_be_asked_for() -> None:
    way = find(model="DeepSeek-R1", cards="8x H200", nodes=2, weight_format="bf16").ways[0]

    assert way.weight_format == "bf16"
    assert "deepseek-ai" not in way.command


def test_fp16_in_the_place_of_bf16_is_said() -> None:
    found = find(model="Qwen3-8B", cards="V100 32GB", weight_format="bf16")

    assert any("FP16" in line for line in found.warnings)


def test_no_more_adapters_lie_on_the_cards_than_requests_use_at_once() -> None:
    asked = {"model": "Qwen3-14B", "cards": "l40s", "lora_rank": 32, "concurrent_sequences": 8, "weight_format": "fp8"}
    few, many = find(**asked, adapters=8), find(**asked, adapters=80)
    assert many.ways[0].memory.needed_bytes_per_gpu == few.ways[0].memory.needed_bytes_per_gpu
    assert "--max-loras 8 " in many.ways[0].flags
    assert "--max-cpu-loras 80" in many.ways[0].flags
    assert "--max-cpu-loras" not in few.ways[0].flags
    assert any("8 of the 80 adapters" in warning for warning in many.warnings)


def test_all_adapters_lie_on_the_cards_where_nobody_said_how_many_requests_come() -> None:
    found = find(model="Qwen3-14B", cards="l40s", adapters=20, lora_rank=32, weight_format="fp8")
    assert "--max-loras 20 " in found.ways[0].flags
