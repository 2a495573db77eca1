"""llama.cpp's `-sm tensor`: every layer on every card, on request alone."""

from typing import Any

import pytest

from tools.registry import tool
from tools.ways_to_run.result import WaysToRun

FILE = {"model": "Qwen3.6-27B", "weight_format": "gguf:Q4_K_M", "engine": "llama.cpp"}


def find(**fields: Any) -> WaysToRun:
    """The tool, by its name."""
    found = tool("find_ways_to_run").call({**FILE, **fields})
    assert isinstance(found, WaysToRun)
    return found


def test_the_layers_are_dealt_out_unless_asked_otherwise() -> None:
    dealt, shared = find(cards="2x 5060 Ti 16GB"), find(cards="2x 5060 Ti 16GB", parallel={"tp": 2})

    assert dealt.ways[0].layout.tp == 1
    assert not any("-sm tensor" in way.flags for way in dealt.ways)
    assert shared.ways[0].layout.tp == 2
    assert "-sm tensor" in shared.ways[0].flags
    # 22 and 38 tokens a second for one stream (github.com/sudoingX/qwen38-mtp): reading halves, sums are added
    gained = [found.ways[0].speed.tokens_per_s_per_user.value for found in (dealt, shared)]
    assert 1.3 < gained[1] / gained[0] < 1.9


def test_the_fastest_way_may_share_every_layer() -> None:
    assert "-sm tensor" in find(cards="2x 3090", objective="fastest").ways[0].flags


def test_what_sharing_would_bring_is_told_beside_the_dealt_layers() -> None:
    assert any("-sm tensor" in line for line in find(cards="2x 3090", weight_format="gguf:Q8_0").warnings)


@pytest.mark.parametrize(
    "fields",
    [
        {"cards": "5090"},
        {"cards": "3090, 4060 Ti 16GB"},
        {"cards": "2x 3090", "engine": "ollama"},
        {"cards": "2x 3090", "concurrent_sequences": 8},
    ],
)
def test_it_is_not_told_where_it_cannot_be_or_was_not_measured(fields: dict[str, Any]) -> None:
    assert not any("-sm tensor" in line for line in find(**{"weight_format": "gguf:Q8_0", **fields}).warnings)


def test_ollama_has_no_such_switch() -> None:
    assert not any("-sm tensor" in way.flags for way in find(cards="2x 3090", engine="ollama", parallel={"tp": 2}).ways)


def test_models_of_before_are_run_by_todays_build() -> None:
    old, new = ("Mistral-7B-Instruct-v0.3", "Qwen3-8B")
    rates = [
        find(model=model, cards="RTX 2080", weight_format="gguf:Q4_K_M").ways[0].speed.tokens_per_s_per_user.value
        for model in (old, new)
    ]

    # RTX 2080: 78 and 69 (github.com/AlexsJones/llmfit, 2026)
    assert rates[0] > rates[1]
