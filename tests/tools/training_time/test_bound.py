"""No training is faster than what it executes allows, and no bound lies below what was measured."""

import json

import pytest

from kb.constants.measured_speed import MeasuredSpeed, measured_speeds
from tools.training_time.estimate import estimate_token_training
from tools.training_time.job import job_of
from tools.training_time.request import TrainingTimeRequest
from tools.training_time.step import least_s, model_flops, most_reached
from tools.ways_to_train import find_ways_to_train
from tools.ways_to_train.request import WaysToTrainRequest

OTHERS = {"llmq", "llm.c"}
"""Sources of programs that are not modelled."""
MEASURED = [row for row in measured_speeds() if row.kind == "training" and row.source not in OTHERS and not row.doubt]
EDGE = 1.01
"""Shares are stated to two digits."""


@pytest.mark.parametrize("row", MEASURED, ids=lambda row: row.id)
def test_no_measured_training_is_above_the_bound(row: MeasuredSpeed) -> None:
    job = job_of(TrainingTimeRequest.model_validate(json.loads(row.request)))[0]
    assert row.value <= EDGE / least_s(job)


@pytest.mark.parametrize("checkpointing", ["none", "full"])
@pytest.mark.parametrize("task", ["lora", "qlora", "full_finetune"])
@pytest.mark.parametrize("engine", ["unsloth", "peft", "megatron", None])
@pytest.mark.parametrize(
    ("gpu", "most"),
    [
        pytest.param("rtx-4090-24gb", 0.80, id="4090"),
        pytest.param("rtx-3090-24gb", 0.74, id="3090"),
        pytest.param("l40s-48gb", 0.65, id="l40s"),
        pytest.param("a100-pcie-80gb", 0.65, id="a100-pcie"),
        pytest.param("a100-sxm-80gb", 0.78, id="a100-sxm"),
        pytest.param("h100-sxm-80gb", 0.72, id="h100-sxm"),
    ],
)
def test_what_is_executed_stays_within_the_share_of_the_peak(
    gpu: str, most: float, engine: str | None, task: str, checkpointing: str
) -> None:
    request = TrainingTimeRequest.model_validate(
        {"model": "Qwen/Qwen2.5-7B", "gpu": gpu, "gpu_count": 1, "task": task, "engine": engine,
         "gradient_checkpointing": checkpointing, "sequence_tokens": 2048, "micro_batch_size": 8}
    )  # fmt: skip
    found, (job, _) = estimate_token_training(request), job_of(request)
    each = (4 if job.adapters else 6) + 2 * job.recompute
    rate = found.tokens_per_s_per_gpu
    assert most_reached(job) == most
    assert rate.value <= rate.high <= most * job.peak / (each * job.arch.active_params)
    assert found.model_flops_utilisation == pytest.approx(model_flops(job) * rate.value / job.peak)


def test_unsloths_checkpoints_lie_on_the_host_only_where_it_recomputes() -> None:
    """LoRA of 7B in 24 GiB: activations that are kept take their room, so that the rate of a way is its own."""
    fields = {"model": "Qwen/Qwen2.5-7B", "cards": "1x RTX 4090", "method": "lora", "engine": "unsloth",
              "micro_batch_size": 1}  # fmt: skip
    kept, again = (
        find_ways_to_train(WaysToTrainRequest.model_validate({**fields, "gradient_checkpointing": way}))
        for way in ("none", "full")
    )
    held = [(found.ways or (found.nearest,))[0] for found in (kept, again)]
    assert held[0] is not None
    assert held[1] is not None
    assert held[0].memory.parts["activations"] > 5 * held[1].memory.parts["activations"]
    best = find_ways_to_train(WaysToTrainRequest.model_validate({**fields, "micro_batch_size": None})).ways[0]
    assert best.speed is not None
    assert best.speed.tokens_per_s is not None
    executed = (4 if best.gradient_checkpointing == "none" else 6) * 7.07e9 * best.speed.tokens_per_s.high
    assert executed < 0.80 * 165.2e12
