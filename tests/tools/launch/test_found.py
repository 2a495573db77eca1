"""What the search finds to fit is what a launch file is written for: one layout and one reckoning."""

import random
from typing import Any

import pytest

from kb.base import BadInput
from tools.launch.request import SERVERS
from tools.launch.result import LaunchFiles
from tools.registry import tool
from tools.ways_to_run.result import Way, WaysToRun

MODELS = (
    "Qwen/Qwen3-8B", "Qwen/Qwen3-30B-A3B", "meta-llama/Llama-3.3-70B-Instruct", "openai/gpt-oss-120b",
    "deepseek-ai/DeepSeek-R1", "google/gemma-3-27b-it", "Qwen/Qwen2.5-VL-7B-Instruct",
)  # fmt: skip
CARDS = (
    "rtx-3090-24gb", "rtx-5090-32gb", "a100-sxm-80gb", "h200-sxm-141gb", "mi300x-192gb", "rtx-2080-ti-22gb",
    "p40-24gb", "l20-48gb", "rx-7900-xtx-24gb",
)  # fmt: skip
HOST_BYTES = 128 * 2**30
NEAR = 0.02


def made(**fields: Any) -> LaunchFiles:
    found = tool("make_launch_files").call(fields)
    assert isinstance(found, LaunchFiles)
    return found


def ways(**fields: Any) -> WaysToRun:
    found = tool("find_ways_to_run").call(fields)
    assert isinstance(found, WaysToRun)
    return found


def problem(seed: int) -> dict[str, Any]:
    draw = random.Random(seed)
    fields: dict[str, Any] = {
        "model": draw.choice(MODELS),
        "cards": [{"gpu": draw.choice(CARDS), "count": draw.choice((1, 2, 3, 4, 5, 8))}],
        "nodes": draw.choice((1, 1, 1, 2)), "context_tokens": draw.choice((4096, 16384, 32768)),
        "concurrent_sequences": draw.choice((1, 1, 8, 64)),
        "host_memory_bytes": draw.choice((None, HOST_BYTES)), "objective": draw.choice((None, "most_users")),
    }  # fmt: skip
    return {name: value for name, value in fields.items() if value is not None}


def asked(way: Way, fields: dict[str, Any]) -> dict[str, Any]:
    """The way as a request for its files."""
    layout, files = way.layout, way.engine == "llama.cpp"
    shared = layout.ep if layout.ep > layout.tp else None
    return {
        "model": fields["model"], "gpu": way.cards[0].gpu, "gpu_count": way.cards[0].count * way.nodes,
        "nodes": way.nodes, "engine": way.engine, "weight_format": way.weight_format, "kv_format": way.kv_format,
        "context_tokens": way.context_tokens, "concurrent_sequences": way.concurrent_sequences,
        "tensor_parallel": None if files else layout.tp, "pipeline_parallel": layout.pp, "expert_parallel": shared,
        "data_parallel": layout.dp if layout.dp > 1 else None, "host_memory_bytes": fields.get("host_memory_bytes"),
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(30))
def test_a_way_that_fits_has_its_files_or_an_engine_without_any(seed: int) -> None:
    fields, seen = problem(seed), set()
    for way in ways(**fields).ways:
        if len(way.cards) != 1 or str(asked(way, fields)) in seen:
            continue  # the processor alone, which the way's command starts
        seen.add(str(asked(way, fields)))
        if way.engine not in SERVERS:
            with pytest.raises(BadInput, match=r"no launch file is written for .*find_ways_to_run gives a command"):
                made(**asked(way, fields))
            continue
        found = made(**asked(way, fields))
        layout, copied = way.layout, way.layout.ep if way.layout.ep > way.layout.tp else 1
        assert (found.tensor_parallel, found.pipeline_parallel) == (layout.tp, layout.pp), way.title
        assert (found.data_parallel, found.expert_parallel) == (layout.dp * copied, layout.ep), way.title
        assert (found.program, found.weight_format) == (way.engine, way.weight_format)
        assert found.context_tokens == way.context_tokens
        if way.layout.offload and found.verdict == "tight":
            continue  # the same fields are also met by the cards alone, if only just
        assert found.per_gpu.total_bytes == pytest.approx(way.memory.needed_bytes_per_gpu, rel=NEAR), way.title
        assert found.verdict == way.memory.surety


def test_the_layout_left_open_is_the_one_that_leads() -> None:
    """Three cards cannot share 64 heads; the search leaves one idle or takes stages, and the files do the same."""
    fields = {"model": "Qwen/Qwen3-32B", "weight_format": "awq", "context_tokens": 8192}
    best = ways(**fields, cards=[{"gpu": "rtx-3090-24gb", "count": 3}], engine="vllm", kv_format="bf16").ways[0]
    found = made(**fields, gpu="rtx-3090-24gb", gpu_count=3, engine="vllm")
    assert (found.tensor_parallel, found.pipeline_parallel) == (best.layout.tp, best.layout.pp)


def test_a_format_left_open_is_one_that_fits() -> None:
    """70 billion weights of 16 bits are 140 GB: two cards of 24 GB hold them in four bits."""
    found = made(model="meta-llama/Llama-3.3-70B-Instruct", gpu="rtx-4090-24gb", gpu_count=2)
    assert found.weight_format in {"awq", "gptq"}
    assert "does not fit" in found.warnings[0]


def test_weights_in_host_memory_are_left_there_by_the_flags() -> None:
    fields = {"model": "openai/gpt-oss-120b", "host_memory_bytes": HOST_BYTES}
    way = next(one for one in ways(**fields, cards="1x 3090").ways if one.layout.offload)
    found = made(**fields, gpu="3090", engine="llama.cpp", weight_format=way.weight_format)
    layers = way.layout.offload.layers if way.layout.offload else 0
    assert layers > 0
    assert f"--n-cpu-moe {layers}" in found.files[0].content.replace(" \\\n", "")


def test_the_program_left_open_runs_on_the_card() -> None:
    """vLLM needs compute capability 7.0; a Tesla P40 has 6.1."""
    assert made(model="Qwen/Qwen3-8B", gpu="p40-24gb").program == "llama.cpp"
    with pytest.raises(BadInput) as caught:
        made(model="Qwen/Qwen3-8B", gpu="p40-24gb", engine="vllm")
    assert caught.value.field == "engine"
    assert "llama.cpp" in caught.value.remedy


def test_a_program_without_files_names_the_nearest() -> None:
    with pytest.raises(BadInput) as caught:
        made(model="Qwen/Qwen3-8B", gpu="rtx-4090-24gb", engine="lmdeploy")
    assert caught.value.field == "engine"
    assert "vllm" in caught.value.remedy


def test_unlike_cards_are_told_what_starts_them() -> None:
    with pytest.raises(BadInput, match="cards of one kind"):
        made(model="Qwen/Qwen3-8B", gpu="3090 + 3060 12GB", gpu_count=2)


def test_files_for_a_card_that_the_release_left_behind_name_the_release_that_has_it() -> None:
    """vLLM from 0.20 on rests on PyTorch 2.11 and newer, whose builds of its CUDA hold no Volta (docs of both)."""
    old = made(model="Qwen/Qwen3-8B", gpu="v100-sxm2-32gb", engine="vllm", context_tokens=8192)
    assert tuple(map(int, old.release.split(".")[:2])) < (0, 20)
    assert any("does not run on" in one and "0.19" in one for one in old.warnings)
    new = made(model="Qwen/Qwen3-8B", gpu="rtx-4090-24gb", engine="vllm", context_tokens=8192)
    assert tuple(map(int, new.release.split(".")[:2])) >= (0, 20)
    assert not any("does not run on" in one for one in new.warnings)


@pytest.mark.parametrize("target", ["docker_compose", "kubernetes"])
def test_an_image_without_kernels_for_the_card_is_not_written(target: str) -> None:
    with pytest.raises(BadInput, match="no kernels for"):
        made(model="Qwen/Qwen3-8B", gpu="v100-sxm2-16gb", engine="vllm", context_tokens=4096, target=target)
