"""Every command and file that is handed over passes the check of set-ups, and names what holds the weights."""

import itertools
import re
from collections.abc import Iterator
from typing import Any

import pytest

from kb.base import AdvisorError
from kb.programs.repositories import is_gated, repository, sources
from tools.check_setup import SetupRequest, check_setup
from tools.registry import tool

MODELS = ("qwen3-32b", "llama-3.3-70b", "gpt-oss-20b", "gemma-3-27b", "qwen3-30b-a3b", "deepseek-r1")
MACHINES = (
    ("1x RTX 4090", {}), ("3x RTX 3090", {}), ("4x RTX 2080 Ti", {}), ("8x H100 SXM", {}), ("2x RX 7900 XTX", {}),
    ("1x M4 Max 128GB", {}), ("8x H200", {"nodes": 2}), ("6x A10", {"concurrent_sequences": 16}),
    ("8x Ascend 910B 64GB", {}), ("1x RTX 5090", {"host_memory_bytes": 2**38}),
)  # fmt: skip
ENGINES = (None, "vllm", "sglang", "llama.cpp", "tensorrt-llm")
KNOWN = {"local.split-over-cards", "local.main-card-missing", "serve.mixed-cards-tensor"}
"""Findings that come of naming only the cards that a way uses."""
FILES: tuple[dict[str, Any], ...] = (
    {"gpu": "RTX 3090", "gpu_count": 4, "target": "kubernetes", "engine": "sglang", "weight_format": "gptq",
     "model": "qwen3-30b-a3b"},
    {"gpu": "H100 SXM", "gpu_count": 16, "nodes": 2, "target": "kubernetes", "model": "llama-3.1-8b",
     "tensor_parallel": 1, "pipeline_parallel": 1, "data_parallel": 16},
    {"gpu": "RTX 5090", "target": "kubernetes", "weight_format": "gguf:Q4_K_M", "model": "qwen3-8b"},
    {"gpu": "H100 SXM", "gpu_count": 16, "nodes": 2, "target": "slurm", "model": "llama-3.1-405b",
     "weight_format": "fp8"},
    {"gpu": "A10", "gpu_count": 12, "nodes": 2, "task": "qlora", "sharding": "fsdp", "model": "qwen3-32b"},
    {"gpu": "H100 SXM", "gpu_count": 8, "task": "full_finetune", "sharding": "zero3", "engine": "llama-factory",
     "model": "qwen2.5-7b"},
    {"gpu": "H100 SXM", "gpu_count": 8, "task": "full_finetune", "sharding": "zero3", "engine": "deepspeed",
     "model": "qwen2.5-32b"},
    {"gpu": "A100 80GB SXM", "gpu_count": 2, "task": "lora", "engine": "axolotl", "model": "llama-3.1-8b"},
    {"gpu": "RTX 4090", "engine": "ollama", "target": "docker_compose", "model": "gpt-oss-20b"},
)  # fmt: skip


def ways(model: str, cards: str, **more: Any) -> Iterator[Any]:
    try:
        yield from tool("find_ways_to_run").call({"model": model, "cards": [cards], **more}).ways  # type: ignore[attr-defined]
    except AdvisorError:
        return


@pytest.mark.parametrize("engine", ENGINES)
def test_commands_have_only_options_of_the_release_and_divide(engine: str | None) -> None:
    seen = 0
    for at, (model, (cards, more)) in enumerate(itertools.product(MODELS, MACHINES)):
        if at % 2 == (engine is None):
            continue
        for way in ways(model, cards, **more, **({"engine": engine} if engine else {})):
            seen += 1
            held = [{"gpu": one.gpu, "count": one.count} for one in way.cards]
            asked = {"text": way.command, "nodes": way.nodes, **({"cards": held} if held else {})}
            found = check_setup(SetupRequest.model_validate(asked))
            assert found.programs, way.command
            stops = [one for one in found.findings if one.severity == "stops" and one.rule not in KNOWN]
            assert not stops, (way.command, stops)
    assert seen


@pytest.mark.parametrize("asked", FILES, ids=str)
def test_files_have_no_finding_that_stops_them(asked: dict[str, Any]) -> None:
    made: Any = tool("make_launch_files").call(asked)
    files = [one for one in made.files if one.language in {"bash", "yaml", "json"}]
    for one in files:
        found = check_setup(SetupRequest.model_validate({
            "text": one.content, "name": one.name, "beside": [each.content for each in files if each is not one],
            "cards": [{"gpu": made.gpu, "count": made.gpu_count // made.nodes}], "nodes": made.nodes,
        }))  # fmt: skip
        assert not [each for each in found.findings if each.severity == "stops"], (one.name, found.findings)


def test_a_pod_asks_for_every_card_that_its_command_starts() -> None:
    made: Any = tool("make_launch_files").call(FILES[1])
    text = made.files[0].content
    copies = int(found[1]) if (found := re.search(r"--data-parallel-size\n\s+- '(\d+)'", text)) else 1
    shared = int(found[1]) if (found := re.search(r"--tensor-parallel-size\n\s+- '(\d+)'", text)) else 1
    assert f"nvidia.com/gpu: '{copies * shared}'" in text
    assert "replicas: 2" in text


@pytest.mark.parametrize(
    ("model", "form", "named"),
    [
        ("Qwen/Qwen3-32B", "gguf:Q4_K_M", "Qwen/Qwen3-32B-GGUF:Q4_K_M"),
        ("Qwen/Qwen3-32B", "gguf:IQ3_XXS", "unsloth/Qwen3-32B-GGUF:UD-IQ3_XXS"),  # its makers have no such file
        ("openai/gpt-oss-20b", "gguf:MXFP4", "ggml-org/gpt-oss-20b-GGUF"),
        ("meta-llama/Llama-3.3-70B-Instruct", "awq", "casperhansen/llama-3.3-70b-instruct-awq"),
        ("Qwen/Qwen2.5-7B-Instruct", "gguf:BF16", None),
        ("tiiuae/falcon-7b", "gguf:Q4_K_M", None),
    ],
)
def test_a_repository_is_one_that_holds_the_file(model: str, form: str, named: str | None) -> None:
    found = repository(model, form)
    assert (found.named if found else None) == named
    assert found is None or found.source in sources()


def test_what_is_served_in_a_made_format_is_the_chat_version() -> None:
    way = next(ways("qwen2.5-7b", "1x L4", weight_format="fp8", engine="vllm"))
    assert way.command.startswith("vllm serve Qwen/Qwen2.5-7B-Instruct ")


def test_a_gated_model_says_how_to_log_in() -> None:
    assert is_gated("meta-llama/Llama-3.1-8B-Instruct")
    assert not is_gated("Qwen/Qwen3-8B")
    way = next(ways("llama-3.1-8b", "1x RTX 4090", engine="vllm", weight_format="fp8"))
    assert "hf auth login" in way.command
    assert "curl localhost:8000/v1/models" in way.command
    made: Any = tool("make_launch_files").call({"model": "llama-3.1-8b", "gpu": "RTX 4090", "weight_format": "fp8"})
    assert any("hf auth login" in one for one in made.run)
    assert any("pip install vllm==" in one for one in made.run)


def test_machines_that_share_a_copy_are_told_their_place() -> None:
    for way in ways("deepseek-r1", "8x H100 SXM", nodes=2, engine="vllm"):
        assert (way.nodes > 1 and way.layout.dp == 1) == ("--nnodes 2 --node-rank $NODE_RANK" in way.command)


def test_cards_without_bf16_do_not_serve_what_overflows_in_fp16() -> None:
    found = list(ways("gemma-3-27b", "4x RTX 2080 Ti"))
    assert {way.engine for way in found} == {"llama.cpp"}
    assert any(way.engine == "vllm" for way in ways("gemma-3-27b", "4x RTX 3090"))


def test_a_context_beyond_the_models_own_is_scaled_in_llama_cpp() -> None:
    way = next(ways("phi-4", "1x H100 SXM", engine="llama.cpp", context_tokens=32768))
    assert "--rope-scaling yarn --rope-scale 2 --yarn-orig-ctx 16384" in way.command
