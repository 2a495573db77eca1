"""Time of training: published runs, laws that must hold, and refusals."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.base import BadInput
from tools.registry import tool
from tools.training_time import estimate_training_time
from tools.training_time.request import TrainingTimeRequest
from tools.training_time.result import TrainingTime

GPT3 = {"params": 174_600_000_000, "layers": 96, "hidden_size": 12288, "heads": 96, "kv_heads": 96,
        "intermediate_size": 49152, "vocab_size": 51200}  # fmt: skip
MT_NLG = {"params": 529_600_000_000, "layers": 105, "hidden_size": 20480, "heads": 128, "kv_heads": 128,
          "intermediate_size": 81920, "vocab_size": 51200}  # fmt: skip
MEGATRON = {"engine": "megatron", "tensor_parallel": 8, "sequence_tokens": 2048, "gradient_checkpointing": "full"}


def estimate(**fields: object) -> TrainingTime:
    fields = {"gpu": "h100-sxm-80gb", "task": "pretrain", **fields}
    return estimate_training_time(TrainingTimeRequest.model_validate(fields))


@pytest.mark.parametrize(
    ("fields", "days"),
    [
        pytest.param({**GPT3, **MEGATRON, "pipeline_parallel": 12, "gpu": "a100-sxm-80gb", "gpu_count": 1024,
                      "dataset_tokens": 300_000_000_000}, 34, id="megatron-175b-arxiv-2104.04473"),
        pytest.param({**MT_NLG, **MEGATRON, "pipeline_parallel": 35, "gpu": "a100-sxm-80gb", "gpu_count": 2240,
                      "dataset_tokens": 270_000_000_000}, 42, id="mt-nlg-530b-arxiv-2201.11990"),
    ],
)  # fmt: skip
def test_published_days_lie_within_the_interval(fields: dict[str, object], days: float) -> None:
    found = estimate(**fields)
    assert found.time_s is not None
    assert found.time_s.low < days * 86400 < found.time_s.high
    assert found.time_s.value == pytest.approx(days * 86400, rel=0.35)


@pytest.mark.parametrize(
    ("fields", "hours"),
    [
        pytest.param({"model": "meta-llama/Meta-Llama-3.1-8B", "dataset_tokens": 15_000_000_000_000,
                      "sequence_tokens": 8192}, 1.46e6, id="llama-3.1-8b-model-card"),
        pytest.param({"model": "meta-llama/Llama-2-7b-hf", "gpu": "a100-sxm-80gb", "sequence_tokens": 4096,
                      "dataset_tokens": 2_000_000_000_000}, 184_320, id="llama-2-7b-model-card"),
        pytest.param({"model": "meta-llama/Llama-2-70b-hf", "gpu": "a100-sxm-80gb", "sequence_tokens": 4096,
                      "dataset_tokens": 2_000_000_000_000}, 1_720_320, id="llama-2-70b-model-card"),
        pytest.param({"model": "meta-llama/Meta-Llama-3.1-70B", "dataset_tokens": 15_000_000_000_000,
                      "sequence_tokens": 8192}, 7.0e6, id="llama-3.1-70b-model-card"),
        pytest.param({"model": "meta-llama/Meta-Llama-3.1-405B", "dataset_tokens": 15_600_000_000_000,
                      "gpu_count": 16_384, "sequence_tokens": 8192}, 30.84e6, id="llama-3.1-405b-model-card"),
        pytest.param({"model": "deepseek-ai/DeepSeek-V3", "gpu": "h800-sxm-80gb", "gpu_count": 2048, "precision": "fp8",
                      "engine": "megatron", "pipeline_parallel": 16, "expert_parallel": 64, "sequence_tokens": 4096,
                      "dataset_tokens": 14_800_000_000_000}, 2.788e6, id="deepseek-v3-arxiv-2412.19437"),
        pytest.param({**GPT3, "gpu": "a100-sxm-80gb", "gpu_count": 992, "sequence_tokens": 2048, "sharding": "fsdp",
                      "tensor_parallel": 8, "gradient_checkpointing": "full", "dataset_tokens": 180_000_000_000},
                     33 * 24 * 992, id="opt-175b-arxiv-2205.01068"),
    ],
)  # fmt: skip
def test_published_gpu_hours_lie_within_the_interval(fields: dict[str, object], hours: float) -> None:
    found = estimate(**fields)
    assert found.gpu_hours is not None
    assert found.gpu_hours.low < hours < found.gpu_hours.high


@pytest.mark.parametrize(
    ("fields", "rate", "tolerance"),
    [
        pytest.param({"model": "meta-llama/Meta-Llama-3-70B", "precision": "fp8", "engine": "megatron", "gpu_count": 64,
                      "sequence_tokens": 8192, "micro_batch_size": 1, "tensor_parallel": 4, "pipeline_parallel": 8,
                      "gradient_checkpointing": "none"},
                     1633, 0.1, id="llama-3-70b-fp8-h100-megatron"),
        pytest.param({"model": "deepseek-ai/DeepSeek-V3", "gpu": "gb200", "precision": "fp8", "engine": "megatron",
                      "gpu_count": 256, "sequence_tokens": 4096, "micro_batch_size": 1, "pipeline_parallel": 4,
                      "expert_parallel": 64}, 4256, 0.15, id="deepseek-v3-gb200-megatron"),
        pytest.param({"params": 6_659_000_000, "layers": 32, "hidden_size": 4096, "heads": 32, "kv_heads": 32,
                      "intermediate_size": 16384, "vocab_size": 50368, "gpu": "a100-sxm-40gb", "gpu_count": 8,
                      "sequence_tokens": 2048, "micro_batch_size": 12, "sharding": "fsdp",
                      "gradient_checkpointing": True}, 3679, 0.1, id="mpt-7b-a100-fsdp"),
        pytest.param({"model": "meta-llama/Meta-Llama-3.1-8B", "gpu_count": 64, "tensor_parallel": 8,
                      "sharding": "fsdp", "sequence_tokens": 8192}, 4378, 0.15, id="llama-3.1-8b-torchtitan-tp8"),
    ],
)  # fmt: skip
def test_rates_agree_with_published_runs(fields: dict[str, object], rate: float, tolerance: float) -> None:
    found = estimate(**fields)
    assert found.tokens_per_s_per_gpu.value == pytest.approx(rate, rel=tolerance)


def test_without_tokens_there_are_rates_and_without_cards_there_are_hours() -> None:
    rates = estimate(model="Qwen/Qwen3-8B", gpu_count=8)
    assert rates.tokens_per_s_per_gpu.value > 0
    assert rates.time_s is None
    assert rates.gpu_hours is None
    hours = estimate(model="Qwen/Qwen3-8B", dataset_tokens=10**9)
    assert hours.gpu_hours is not None
    assert hours.time_s is None


def test_hours_are_tokens_over_rate_and_goodput() -> None:
    found = estimate(model="Qwen/Qwen3-8B", gpu_count=8, dataset_tokens=10**8, epochs=3, goodput_ratio=0.9)
    assert found.gpu_hours is not None
    assert found.time_s is not None
    clean = 3 * 10**8 / found.tokens_per_s_per_gpu.value / 3600
    assert found.gpu_hours.value == pytest.approx(clean / 0.9)
    assert found.time_s.value == pytest.approx(found.gpu_hours.value * 3600 / 8)
    assert found.flops_total == pytest.approx(found.flops_per_token * 3 * 10**8)


def test_frozen_weights_need_two_thirds_of_the_arithmetic() -> None:
    full, lora = (estimate(model="Qwen/Qwen3-8B", task=task, sequence_tokens=512) for task in ("full_finetune", "lora"))
    assert lora.flops_per_token == pytest.approx(full.flops_per_token * 2 / 3, rel=0.03)


def test_four_bit_weights_train_slower_than_wide_ones() -> None:
    wide, narrow = (estimate(model="meta-llama/Meta-Llama-3.1-70B", task=task) for task in ("lora", "qlora"))
    assert narrow.tokens_per_s_per_gpu.value < wide.tokens_per_s_per_gpu.value


def test_recomputing_costs_time() -> None:
    kept, recomputed = (estimate(model="Qwen/Qwen3-8B", gradient_checkpointing=flag) for flag in (False, True))
    ratio = kept.tokens_per_s_per_gpu.value / recomputed.tokens_per_s_per_gpu.value
    assert 1.15 < ratio < 1.45


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(["a100-sxm-80gb", "h100-sxm-80gb", "b200-sxm", "rtx-4090", "l40s", "mi300x"]),
       st.sampled_from(["Qwen/Qwen3-8B", "Qwen/Qwen3-30B-A3B", "meta-llama/Meta-Llama-3.1-70B"]),
       st.sampled_from(["full_finetune", "lora", "qlora", "pretrain"]), st.integers(1, 512))  # fmt: skip
def test_no_utilisation_is_above_the_peak(gpu: str, model: str, task: str, cards: int) -> None:
    found = estimate(model=model, gpu=gpu, task=task, gpu_count=cards)
    assert 0 < found.model_flops_utilisation < 0.95


@settings(max_examples=20, deadline=None)
@given(st.integers(8, 512), st.integers(2, 8))
def test_more_cards_finish_sooner_but_never_with_fewer_hours(cards: int, factor: int) -> None:
    few, many = (estimate(model="Qwen/Qwen3-8B", gpu_count=n, dataset_tokens=10**10) for n in (cards, cards * factor))
    assert few.time_s
    assert many.time_s
    assert few.gpu_hours
    assert many.gpu_hours
    assert many.time_s.value < few.time_s.value
    assert many.gpu_hours.value >= few.gpu_hours.value * 0.999


def test_fp8_on_a_card_without_it_is_refused() -> None:
    with pytest.raises(BadInput, match="FP8"):
        estimate(model="Qwen/Qwen3-8B", gpu="a100-sxm-80gb", precision="fp8")


@pytest.mark.parametrize(("field", "value"), [("dataset_tokens", 0), ("epochs", -1), ("epochs", float("inf")),
                                              ("gpu_count", 0), ("goodput_ratio", 2)])  # fmt: skip
def test_absurd_numbers_name_the_field(field: str, value: float) -> None:
    with pytest.raises(BadInput) as refusal:
        tool("estimate_training_time").call({"model": "Qwen/Qwen3-8B", "gpu": "l40s", field: value})
    assert refusal.value.field == field


def test_every_card_of_a_tensor_parallel_group_waits_for_its_all_reduces() -> None:
    one, eight = (
        estimate(model="meta-llama/Meta-Llama-3.1-8B", gpu_count=64, tensor_parallel=n, sharding="fsdp",
                 sequence_tokens=8192).tokens_per_s_per_gpu
        for n in (1, 8)
    )  # fmt: skip
    assert one is not None
    assert eight is not None
    assert eight.value < 0.8 * one.value


def test_a_measured_pace_times_the_steps_exactly() -> None:
    found = estimate_training_time(
        TrainingTimeRequest(steps=12_000, step_s=18, micro_batch_size=4, sequence_tokens=2048)
    )
    assert found.time_s is not None
    assert found.time_s.value == 216_000
    assert found.tokens_per_s_total is not None
    assert found.tokens_per_s_total.value == pytest.approx(4 * 2048 / 18)


def test_a_pace_needs_steps_and_an_estimate_a_card() -> None:
    with pytest.raises(BadInput):
        estimate_training_time(TrainingTimeRequest(step_s=18))
    with pytest.raises(BadInput):
        estimate_training_time(TrainingTimeRequest(model="Llama-3.1-8B"))


def test_a_slow_network_between_machines_is_what_the_step_waits_for() -> None:
    wide = TrainingTimeRequest(params=70 * 10**9, gpu="a100-sxm-80gb", gpu_count=16, sharding="zero3")
    slow = wide.model_copy(update={"network_bytes_per_s": 1.25e9})
    alone = wide.model_copy(update={"gpu_count": 8})
    rates = [estimate_training_time(one).tokens_per_s_total for one in (slow, alone, wide)]
    assert [one.value for one in rates if one] == sorted(one.value for one in rates if one)
