"""The search against brute force: every combination asked of the two estimators, one by one, without any pruning."""

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings

from kb.base import AdvisorError
from kb.catalog import gpus
from tests.tools.ways_to_train.problems import HOST, SURE, concession, found, problems, rate, worth
from tools.memory.estimate import memory_per_gpu
from tools.memory.fit import verdict_of
from tools.memory.request import MemoryRequest
from tools.training_time.estimate import estimate_training_time
from tools.training_time.request import TrainingTimeRequest

TASKS = {"full": "full_finetune", "lora": "lora", "qlora": "qlora"}
STATES = [("adamw", "bf16", 0), ("adamw_8bit", "bf16", 1), ("adafactor", "bf16", 2), ("adamw", "bf16_pure", 2),
          ("adamw_8bit", "bf16_pure", 2), ("adafactor", "bf16_pure", 2)]  # fmt: skip
BATCH, MOST, ADAPTED_TOKENS = 16, 8, 4096


def brute(fields: dict[str, Any]) -> tuple[tuple[float, ...], float] | None:
    """The worth of the best way that sends nothing to the host, and its tokens a second."""
    card = fields["cards"][0]
    gpu, task = gpus()[card["gpu"]], TASKS[fields["method"]]
    states = STATES if task == "full_finetune" else STATES[:1]
    if gpu.half == "fp16":  # which nobody trains in without fp32 masters
        states = [(optimizer, "fp16", given_up) for optimizer, precision, given_up in states if precision == "bf16"]
    shardings = ["ddp", "zero3", "fsdp", *(["zero1", "zero2"] if task == "full_finetune" else [])]
    best: tuple[tuple[float, ...], float] | None = None
    for count in (card["count"], card["count"] // 2, card["count"] // 4, card["count"] // 8):
        if count < 1:
            continue
        batch = max(fields.get("global_batch", BATCH), count)
        for sharding, state, recompute, micro in product(
            shardings if count > 1 else ["none"], states, ("none", "full"), (1, 2, 4, 8, 16)
        ):
            lone = card["count"] == 1  # a lone card shards nothing, whatever is asked
            asked = (None if lone else fields.get("sharding"), fields.get("gradient_checkpointing"))
            if asked[0] not in (None, sharding) or asked[1] not in (None, recompute):
                continue
            most = max(MOST, MOST * 2048 // fields["sequence_tokens"])
            if (micro > 1 and micro * count > batch) or micro > most:
                continue
            if task != "full_finetune" and 1 < micro > ADAPTED_TOKENS // fields["sequence_tokens"]:
                continue
            one = _one(fields, gpu.id, task, count, sharding, state, recompute, micro)
            if one is not None and (best is None or (one[0], -one[1]) < (best[0], -best[1])):
                best = one
    return best


def _one(
    fields: dict[str, Any], gpu: str, task: str, count: int, sharding: str, state: tuple[str, str, int],
    recompute: str, micro: int,
) -> tuple[tuple[float, ...], float] | None:  # fmt: skip
    optimizer, precision, given_up = state
    common = {"model": fields["model"], "task": task, "sequence_tokens": fields["sequence_tokens"], "lora_rank": 16,
              "micro_batch_size": micro, "optimizer": optimizer, "precision": precision, "sharding": sharding,
              "gradient_checkpointing": recompute}  # fmt: skip
    batch = max(fields.get("global_batch", BATCH), count)
    spread = {"data_parallel": count, "gpu": gpu, "accumulation": -(-batch // (micro * count))}
    memory = memory_per_gpu(MemoryRequest.model_validate({**common, **spread}))[0]
    surety = verdict_of(memory.total_bytes, memory.high_bytes, gpus()[gpu].usable_bytes)
    if surety == "no":
        return None
    time = estimate_training_time(
        TrainingTimeRequest.model_validate(
            {**common, "gpu": gpu, "gpu_count": count, "dataset_tokens": fields["dataset_tokens"],
             "expert_parallel": 1}
        )
    )  # fmt: skip
    assert time.tokens_per_s_total is not None
    return (SURE[surety], False, False, given_up), time.tokens_per_s_total.value


@given(problems().filter(lambda fields: (fields["method"] in TASKS and "a100" in fields["cards"][0]["gpu"])
                         or fields["cards"][0]["gpu"] in ("h100-sxm-80gb", "l40s-48gb", "v100-sxm2-16gb")))  # fmt: skip
@settings(max_examples=25, deadline=None)
def test_nothing_better_is_overlooked(fields: dict[str, Any]) -> None:
    if fields["method"] not in TASKS:
        return
    answer = found(fields)
    try:
        expected = brute(fields)
    except AdvisorError:
        return

    if expected is None:
        # The host or dealt-out layers, which are not tried here, or nothing.
        assert not answer.ways or answer.ways[0].sharding == "layers" or concession(answer.ways[0]) >= HOST
        return
    assert worth(answer) <= expected[0]
    if worth(answer) == expected[0] and answer.ways[0].sharding != "layers":
        assert rate(fields) >= 0.93 * expected[1]


@pytest.mark.parametrize("method", ["full", "lora", "qlora"])
@pytest.mark.parametrize("count", [1, 4])
def test_the_best_of_plain_cards_is_that_of_brute_force(method: str, count: int) -> None:
    fields = {"model": "Qwen/Qwen3-8B", "method": method, "cards": [{"gpu": "a100-sxm-80gb", "count": count}],
              "sequence_tokens": 2048, "dataset_tokens": 10_000_000}  # fmt: skip
    expected = brute(fields)
    answer = found(fields)

    assert expected is not None
    assert worth(answer) == expected[0]
    assert rate(fields) == pytest.approx(expected[1], rel=0.07)
