"""Programs that no estimator knows: each is answered with the nearest engine, and the answer says so."""

from typing import Any, get_args

import pytest

from kb.programs.engines import engine_sources, program, programs
from tools.base import ToolResult
from tools.memory.request import Engine
from tools.registry import tool

ENGINES = get_args(Engine)


def called(name: str, **fields: Any) -> ToolResult:
    result = tool(name).call(fields)
    assert isinstance(result, ToolResult)
    return result


@pytest.mark.parametrize("one", dict.fromkeys(programs().values()), ids=lambda one: one.id)
def test_every_program_is_vouched_for_and_stood_for_by_an_engine(one: Any) -> None:
    assert one.source in engine_sources()
    assert one.runs in (None, "vllm", "sglang", "llama.cpp", "tensorrt-llm")
    assert one.trains is None or one.trains in ENGINES
    assert one.runs or one.trains or one.own_workings
    assert not set(one.aliases) & set(ENGINES)


@pytest.mark.parametrize(
    ("said", "engine"),
    [
        ("LMDeploy", "vllm"),
        ("tabbyAPI", "vllm"),
        ("ktransformers", "llama.cpp"),
        ("MLX-LM", "llama.cpp"),
        ("ollama", "llama.cpp"),
    ],
)
def test_running_in_an_unknown_program_is_told_with_the_nearest(said: str, engine: str) -> None:
    cards = "M2 Max 64GB" if "MLX" in said else "2x 3090"
    found = called("find_ways_to_run", model="Qwen3-8B", cards=cards, engine=said).model_dump()

    assert {way["engine"] for way in found["ways"]} == {engine}
    assert any(f"worked out as {engine}" in one for one in found["assumptions"])


@pytest.mark.parametrize(
    ("said", "engine", "fields"),
    [
        ("diffusion-pipe", "diffusers", {"model": "flux dev", "method": "lora", "host_memory": "64GB"}),
        ("kohya_ss", "diffusers", {"model": "sdxl", "method": "lora"}),
        ("ms-swift", "llama-factory", {"model": "Qwen3-8B", "method": "qlora"}),
        ("xtuner 0.1", "deepspeed", {"model": "Qwen3-8B", "method": "qlora"}),
        ("EasyR1 (verl)", "fsdp", {"model": "Qwen3-0.6B", "method": "grpo"}),
        ("用 kohya_ss 的图形界面", "diffusers", {"model": "sdxl", "method": "lora"}),
        ("megatron", "fsdp", {"model": "Qwen3-0.6B", "method": "full"}),
    ],
)
def test_training_in_an_unknown_program_is_told_with_the_nearest(
    said: str, engine: str, fields: dict[str, Any]
) -> None:
    found = called("find_ways_to_train", cards="4090", engine=said, **fields).model_dump()

    assert {way["engine"] for way in found["ways"]} == {engine}
    assert any(f"worked out as {engine}" in one for one in found["assumptions"])


def test_explaining_an_unknown_program_is_told_with_the_nearest() -> None:
    fields = {"model": "Qwen3-32B", "cards": "4090", "weight_format": "4bit", "seen": {"tokens_per_s": 38}}
    found = called("explain_observation", engine="exllamav3", **fields).model_dump()

    assert found["engine"] == "vllm"
    assert any("ExLlamaV3 is not modelled" in one for one in found["assumptions"])


def test_the_engine_of_several_works_is_meant_for_all() -> None:
    works = [{"model": "Qwen3-8B"}, {"model": "Qwen3-4B"}]
    found = called("find_ways_to_run", cards="2x 3090", engine="llama.cpp", works=works).model_dump()

    assert found["ways"]
    assert {way["engine"] for way in found["ways"]} == {"llama.cpp"}


def test_a_name_that_nothing_bears_is_no_program() -> None:
    assert program("some other engine") is None


@pytest.mark.parametrize("said", ["our own trainer", "vllm", "LoRA-Studio 9000"])
def test_a_trainer_nobody_heard_of_leaves_the_choice_open_and_says_so(said: str) -> None:
    found = called("find_ways_to_train", model="Qwen3-8B", method="qlora", cards="4090", engine=said).model_dump()

    assert found["ways"]
    assert any(said in one and "usual engines" in one for one in found["assumptions"])


def test_another_spelling_of_a_known_trainer_is_that_trainer() -> None:
    fields = {"model": "Qwen3-8B", "method": "qlora", "cards": "4090"}

    assert called("find_ways_to_train", engine="LLaMA Factory", **fields) == called(
        "find_ways_to_train", engine="llama-factory", **fields
    )
