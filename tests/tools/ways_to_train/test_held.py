"""What a way holds at its peak: gradients of earlier micro-batches, and what an engine beside the trainer reserves."""

from typing import Any

import pytest

from kb.catalog import gpus
from kb.units import GB
from tests.tools.ways_to_train.problems import found
from tools.memory import estimate_memory
from tools.memory.request import MemoryRequest
from tools.ways_to_train.result import TrainingWay

SEVEN = {"model": "baichuan-inc/Baichuan-7B", "cards": "1x A100 80GB", "method": "full", "precision": "bf16_pure",
         "gradient_checkpointing": "none", "sequence_tokens": 2048, "micro_batch_size": 1}  # fmt: skip
USUAL = 0.3
"""Share that TRL has vLLM reserve beside its trainer."""
PURE = 2
"""Bytes of a gradient in pure BF16."""


def way(**fields: Any) -> TrainingWay:
    answer = found(fields)
    chosen = answer.ways[0] if answer.ways else answer.nearest
    assert chosen is not None
    return chosen


def test_gradients_of_earlier_micro_batches_are_held_in_the_next_forward() -> None:
    several, once = (way(**SEVEN, optimizer="adamw", global_batch=batch) for batch in (16, 1))
    assert several.accumulation > once.accumulation == 1
    assert several.memory.parts["gradients"] == pytest.approx(PURE * 7.0e9, rel=0.01)
    assert {"activations", "logits", "weights", "optimizer"} <= set(several.memory.parts)
    assert several.memory.needed_bytes_per_gpu - once.memory.needed_bytes_per_gpu == pytest.approx(14 * GB, rel=0.05)


@pytest.mark.parametrize("sharding", ["none", "ddp", "zero1", "zero2", "zero3", "fsdp"])
@pytest.mark.parametrize("checkpointing", ["none", "full"])
def test_adding_up_never_needs_less_and_at_most_one_set_of_gradients_more(sharding: str, checkpointing: str) -> None:
    fields = {"model": "Qwen/Qwen3-8B", "task": "full_finetune", "sharding": sharding, "micro_batch_size": 4,
              "data_parallel": 1 if sharding == "none" else 4, "gradient_checkpointing": checkpointing}  # fmt: skip
    once, several = (
        estimate_memory(MemoryRequest.model_validate({**fields, "accumulation": count})).per_gpu.total_bytes
        for count in (1, 8)
    )
    assert once <= several <= once + 4 * 8.2e9
    if sharding in ("zero1", "zero2"):  # DeepSpeed keeps its gradients from step to step anyway
        assert several == once


def test_parameters_that_step_in_their_own_backward_have_nothing_to_add_up() -> None:
    fields = {"model": "Qwen/Qwen3-8B", "task": "full_finetune", "optimizer_in_backward": True}
    totals = {
        estimate_memory(MemoryRequest.model_validate({**fields, "accumulation": count})).per_gpu.total_bytes
        for count in (1, 8)
    }
    assert len(totals) == 1


@pytest.mark.parametrize(
    ("model", "cards", "least"),
    [
        pytest.param("qwen3 4b", "8x H100", 0.3, id="as-TRL-does"),
        pytest.param("qwen3 8b", "8x A100 40GB", 0.3, id="8b"),
    ],
)
def test_what_vllm_reserves_beside_the_trainer_is_told_by_its_name(model: str, cards: str, least: float) -> None:
    one = way(model=model, cards=cards, method="grpo full", samples=2000, sequence_tokens=2048)
    ratio = one.memory.generation_utilisation_ratio
    assert ratio is not None
    assert ratio >= USUAL
    assert one.cards.gpu is not None
    assert one.memory.parts["vllm_reserved"] == pytest.approx(ratio * gpus()[one.cards.gpu].memory_bytes, rel=1e-6)
    assert one.memory.parts["gradients"] > 0
    assert one.flags["trl"]["vllm_gpu_memory_utilization"] == ratio
    assert sum(one.memory.parts.values()) == pytest.approx(one.memory.needed_bytes_per_gpu, rel=1e-6)
    assert any("utilisation" in why for why in one.why)


def test_an_engine_that_needs_more_than_usual_is_given_more() -> None:
    one = way(model="qwen3 8b", cards="1x A100 80GB", method="grpo lora", samples=100, sequence_tokens=4096,
              generations=64)  # fmt: skip
    assert one.memory.generation_utilisation_ratio is not None
    assert one.memory.generation_utilisation_ratio > USUAL


def test_nothing_is_reserved_where_nothing_is_generated() -> None:
    one = way(model="qwen3 8b", cards="1x A100 80GB", method="lora")
    assert one.memory.generation_utilisation_ratio is None
    assert "vllm_reserved" not in one.memory.parts
