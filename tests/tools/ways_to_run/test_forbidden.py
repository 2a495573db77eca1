"""What a card, an engine or a model's own parts forbid is proposed by no way."""

import re
from typing import Any

import pytest

from tools.registry import tool
from tools.ways_to_run.result import Way, WaysToRun


def find(**fields: Any) -> WaysToRun:
    found = tool("find_ways_to_run").call(fields)
    assert isinstance(found, WaysToRun)
    return found


def used(way: Way) -> int:
    """Cards of one machine that a way takes."""
    return sum(one.count for one in way.cards)


@pytest.mark.parametrize("cards", ["2x T4", "RTX 2080 Ti 22GB", "2x V100 32GB"])
def test_an_fp8_cache_is_proposed_on_no_card_whose_attention_does_not_read_it(cards: str) -> None:
    fields = {"model": "Qwen2.5-14B", "cards": cards, "engine": "vllm"}
    found = [find(**fields), find(**fields, objective="most_users")]

    assert not any("fp8" in one.value for answer in found for one in answer.changes if isinstance(one.value, str))
    assert not any(way.kv_format == "fp8" for answer in found for way in answer.ways)
    assert "kv_format" in find(**fields, kv_format="fp8").answer.changed


def test_an_fp8_cache_is_only_stored_on_ampere() -> None:
    fields = {"engine": "vllm", "kv_format": "fp8"}
    wide = find(**fields, model="Qwen2.5-14B", cards="A100 40GB", weight_format="bf16").ways[0]
    beside = find(**fields, model="Qwen2.5-14B", cards="A100 40GB", weight_format="fp8").ways[0]
    latent = find(**fields, model="DeepSeek-V2-Lite", cards="A100 80GB")

    assert "--kv-cache-dtype fp8_e5m2" in wide.flags
    assert re.search(r"--kv-cache-dtype fp8(?!_)", beside.flags)
    assert "kv_format" in latent.answer.changed
    assert "--kv-cache-dtype fp8" in find(**fields, model="DeepSeek-V2-Lite", cards="H100").ways[0].flags


def test_eight_cards_that_can_share_layers_take_them_in_no_stages() -> None:
    for objective in (None, "most_users", "longest_context"):
        found = find(model="DeepSeek-R1", weight_format="awq", cards="8x A100 80GB", engine="vllm", objective=objective)

        assert found.ways[0].layout.pp == 1
        assert used(found.ways[0]) == 8


def test_a_vision_tower_whose_heads_do_not_divide_stays_whole() -> None:
    fields = {"model": "GLM-4.5V", "cards": "8x H100", "engine": "vllm"}

    assert "--mm-encoder-tp-mode data" in find(**fields, parallel={"tp": 8}).ways[0].flags
    assert "--mm-encoder-tp-mode" not in find(**fields, parallel={"tp": 4}).ways[0].flags


def test_macos_keeps_room_for_itself() -> None:
    found = find(model="Command R+ 104B", cards="M2 Ultra 64GB")
    more = next(one for one in found.changes if "wired_limit" in one.change)

    assert int(more.value) <= (64 - 8) * 1024
    assert not any("wired_limit" in one.change for one in find(model="Qwen3-14B", cards="M2 16GB").changes)


def test_an_engine_that_stands_for_another_speaks_for_itself_alone() -> None:
    found = find(model="DeepSeek-V3", cards="L40", host_memory="640GB", engine="ktransformers", weight_format="fp8")
    said = next(one.said for one in found.binds if one.what == "format_published")

    assert "KTransformers itself may" in said


def test_what_a_four_bit_cache_loses_is_told_first() -> None:
    way = find(model="Llama-3.3-70B Q4_K_M", cards="2x 3090", context_tokens=32768).ways[0]

    assert way.kv_format != "q4_0" or "four-bit cache" in way.why[0]


def test_computers_with_a_cable_of_their_own_are_joined_by_it() -> None:
    found = find(model="Llama 3.3 70B", cards="2x DGX Spark")
    joined = next(one for one in found.assumptions if "computers of one memory" in one)

    assert "25 GB/s" in joined
    assert "1.2 GB/s" in next(one for one in find(model="Llama 3.3 70B", cards="2x Ryzen AI Max 395 128GB").assumptions
                              if "computers of one memory" in one)  # fmt: skip
