"""Machines whose answer is known: what runs there, how, and about how fast."""

from typing import Any

import pytest

from tools.registry import tool
from tools.ways_to_run.result import Way, WaysToRun


def find(**fields: Any) -> WaysToRun:
    """The tool, by its name."""
    found = tool("find_ways_to_run").call(fields)
    assert isinstance(found, WaysToRun)
    return found


def _rate(way: Way, about: float) -> bool:
    assert way.speed is not None
    ends = way.speed.tokens_per_s_per_user
    return ends.low <= about <= ends.high


KNOWN = (
    pytest.param(
        {"model": "GLM-4.5-Air", "cards": "2x 3090", "host_memory": "128GB DDR4-3200 dual channel",
         "context_tokens": "24k"},  # from 32k on Q3_K_M at 30 tokens/s is worth 0.3 % more than Q4_K_M at 17
        {"weight_format": "gguf:Q4_K_M", "engine": "llama.cpp", "offload": "experts"}, 15,
        id="glm-4.5-air-2x3090-128gb",
    ),
    pytest.param(
        {"model": "GLM 4.5 Air", "cards": "4070 12GB", "host_memory": "96GB ddr5-5600 (2x48)"},
        {"weight_format": "gguf:Q4_K_M", "engine": "llama.cpp", "offload": "experts"}, 10, id="glm-4.5-air-4070-96gb",
    ),
    pytest.param(
        {"model": "Qwen3-32B", "cards": "4090"},
        {"weight_format": "gguf:Q4_K_M", "engine": "llama.cpp", "offload": None}, 40, id="qwen3-32b-4090",
    ),
    pytest.param(
        {"model": "Llama 3.3 70B", "cards": "2x 3090", "context_tokens": 8192},
        {"weight_format": "gguf:Q4_K_M", "engine": "llama.cpp", "offload": None}, 16, id="70b-2x3090",
    ),
    pytest.param(
        {"model": "DeepSeek-R1", "cards": "8x H200"},
        {"weight_format": "fp8", "engine": "vllm", "tp": 8, "offload": None}, None, id="r1-8xh200",
    ),
    pytest.param(
        {"model": "DeepSeek-R1", "cards": "4090", "host_memory": "512GB"},
        {"weight_format": "gguf:Q4_K_M", "engine": "llama.cpp", "offload": "experts"}, 8, id="r1-4090-512gb",
    ),
    pytest.param(
        {"model": "gpt-oss-120b", "cards": "3090", "host_memory": "64GB ddr5"},
        {"weight_format": "gguf:MXFP4", "engine": "llama.cpp", "offload": "experts"}, 25, id="gpt-oss-120b-3090-64gb",
    ),
    pytest.param(
        {"model": "Qwen3-32B", "cards": "3090 + 3060 12GB"},
        {"engine": "llama.cpp", "unequal": True, "offload": None}, 27, id="qwen3-32b-3090-and-3060",
    ),
    pytest.param(
        {"model": "DeepSeek-R1", "cards": "Mac Studio M3 Ultra 512GB"},
        {"engine": "llama.cpp", "offload": None}, 18, id="r1-mac-studio-512gb",
    ),
    pytest.param(
        {"model": "Qwen3-14B", "cards": "P40"}, {"engine": "llama.cpp", "offload": None}, 22, id="qwen3-14b-p40",
    ),
    pytest.param(
        {"model": "Qwen3-8B", "cards": "V100 32GB", "engine": "vllm"},
        {"weight_format": "fp16", "engine": "vllm", "offload": None}, 45, id="qwen3-8b-v100-vllm",
    ),
    pytest.param(
        {"model": "Qwen3-8B", "cards": "L20", "context_tokens": "8k", "users": 100},
        {"engine": "vllm", "offload": None}, None, id="qwen3-8b-l20-100-users",
    ),
    pytest.param(
        {"model": "Qwen3-8B", "cards": "910B3"}, {"engine": "vllm", "offload": None}, None, id="qwen3-8b-ascend",
    ),
    pytest.param(
        {"model": "Qwen3-235B-A22B", "cards": "8x H100", "weight_format": "fp8", "parallel": {"tp": 8}},
        {"weight_format": "fp8", "tp": 8, "ep": 8}, None, id="qwen3-235b-fp8-tp8-needs-whole-experts",
    ),
    pytest.param(
        {"model": "DeepSeek-R1", "cards": "8x H100", "nodes": 2},
        {"weight_format": "fp8", "tp": 8, "pp": 2, "nodes": 2}, None, id="r1-two-nodes-of-8xh100",
    ),
)  # fmt: skip


@pytest.mark.parametrize(("asked", "expected", "about"), KNOWN)
def test_the_best_way_is_the_one_people_use(
    asked: dict[str, Any], expected: dict[str, Any], about: float | None
) -> None:
    found = find(**asked)
    way = found.ways[0]
    layout = way.layout
    told = {
        "weight_format": way.weight_format, "engine": way.engine, "tp": layout.tp, "pp": layout.pp, "ep": layout.ep,
        "nodes": way.nodes, "unequal": layout.unequal, "offload": layout.offload.what if layout.offload else None,
    }  # fmt: skip

    assert found.answer.verdict == "fits"
    assert {name: told[name] for name in expected} == expected
    assert about is None or _rate(way, about)


def test_five_cards_cannot_share_every_layer_of_qwen3_32b() -> None:
    found = find(model="Qwen3-32B", cards="5x 3090", parallel={"tp": 5})

    assert found.answer.verdict == "fits_with_changes"
    assert found.answer.changed == ("parallel",)
    assert [one.kind for one in found.rejected if one.way == "TP 5"] == ["divisibility"]
    assert found.binds[0].what == "divisibility"


def test_volta_refuses_awq_and_bf16_is_held_in_fp16() -> None:
    found = find(model="Qwen3-8B", cards="V100 32GB", engine="vllm")

    assert "AWQ in vLLM" in [one.way for one in found.rejected]
    assert all("--dtype float16" in way.flags for way in found.ways)


def test_fp8_on_ampere_is_told_to_be_weight_only() -> None:
    found = find(model="Qwen3-32B", cards="2x 3090")

    assert any(one.way.startswith("FP8 arithmetic") and "16 bit" in one.reason for one in found.rejected)


def test_a_model_far_too_large_says_what_would_hold_it() -> None:
    found = find(model="DeepSeek-R1", cards="4090")

    assert found.answer.verdict == "does_not_fit"
    assert found.answer.way is None
    assert found.binds[0].what == "weights_memory"
    assert {"host_memory_bytes", "cards"} <= {one.field for one in found.changes}


def test_a_context_too_long_is_shortened_to_what_fits() -> None:
    found = find(model="Qwen3-32B", cards="4090", context_tokens=32768, concurrent_sequences=20)

    assert found.answer.verdict == "fits_with_changes"
    assert found.ways[0].context_tokens < 32768
    assert not found.ways[0].as_asked
    assert {"context_tokens", "concurrent_sequences"} <= {one.field for one in found.changes}


def test_a_target_is_met_by_a_smaller_format_or_said_to_be_missed() -> None:
    met = find(model="Qwen3-32B", cards="4090", target_tokens_per_s=55)
    missed = find(model="Qwen3-32B", cards="4090", target_tokens_per_s=500)

    assert met.answer.target_met
    assert missed.answer.target_met is False
    assert missed.answer.verdict == "fits_with_changes"
    assert "target_speed" in [one.what for one in missed.binds]
