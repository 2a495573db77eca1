"""Whole estimates: well-known answers, what is said about them, and what is refused."""

import itertools

import pytest

from kb.base import BadInput, UnknownName
from kb.catalog import models
from kb.units import GB, GIB
from tools.memory import estimate_memory
from tools.memory.estimate import peak_phase
from tools.memory.request import MemoryRequest
from tools.memory.result import MemoryEstimate
from tools.memory.term import Phase
from tools.memory.workload import Workload


def estimate(**fields: object) -> MemoryEstimate:
    return estimate_memory(MemoryRequest.model_validate(fields))


def test_deepseek_r1_in_fp8_does_not_fit_eight_h100() -> None:
    fit = estimate(model="deepseek-ai/DeepSeek-R1", tensor_parallel=8, gpu="h100-sxm-80gb").fit
    assert fit is not None
    assert fit.verdict == "no"
    assert fit.headroom_bytes < 0
    assert fit.max_context_tokens is None


def test_qwen_72b_fits_four_3090_in_int4_but_not_in_bf16() -> None:
    base = {"model": "Qwen/Qwen2.5-72B", "tensor_parallel": 4, "gpu": "rtx-3090"}
    int4, bf16 = estimate(**base, weight_format="int4").fit, estimate(**base, weight_format="bf16").fit
    assert int4 is not None
    assert bf16 is not None
    assert (int4.verdict, bf16.verdict) == ("yes", "no")


def test_qlora_of_70b_needs_about_fifty_gib() -> None:
    total = estimate(model="meta-llama/Meta-Llama-3.1-70B", task="qlora", sequence_tokens=4096).per_gpu.total_bytes
    assert 44 * GIB < total < 58 * GIB


def test_full_fine_tuning_of_13b_needs_sixteen_bytes_a_parameter() -> None:
    total = estimate(model="meta-llama/Llama-2-13b-hf", task="full_finetune").per_gpu.total_bytes
    assert 205 * GB < total < 235 * GB


def test_format_defaults_to_the_published_one() -> None:
    assert estimate(model="deepseek-ai/DeepSeek-V3").weight_format == "fp8"
    assert estimate(model="Qwen/Qwen2.5-7B").weight_format == "bf16"


def test_fit_is_decided_on_usable_memory() -> None:
    result = estimate(model="meta-llama/Meta-Llama-3.1-8B", gpu="rtx-4090")
    assert result.fit is not None
    assert result.fit.usable_bytes < 24 * GIB
    assert result.fit.headroom_bytes == pytest.approx(result.fit.usable_bytes - result.per_gpu.total_bytes, abs=64)


def test_verdict_is_tight_when_only_the_estimate_fits() -> None:
    result = estimate(model="meta-llama/Meta-Llama-3.1-8B", task="lora", gpu="rtx-4090")
    assert result.fit is not None
    assert result.per_gpu.total_bytes <= result.fit.usable_bytes < result.per_gpu.high_bytes
    assert result.fit.verdict == "tight"


def test_largest_context_fits_and_a_longer_one_does_not() -> None:
    base = {"model": "meta-llama/Meta-Llama-3.1-8B", "gpu": "rtx-4090", "weight_format": "bf16"}
    fit = estimate(**base).fit
    assert fit is not None
    longest = fit.max_context_tokens
    assert longest is not None
    usable = fit.usable_bytes
    assert estimate(**base, context_tokens=longest).per_gpu.total_bytes <= usable + 64
    assert estimate(**base, context_tokens=int(longest * 1.03)).per_gpu.total_bytes > usable


def test_minimum_counts_can_be_arranged() -> None:
    rows = estimate(model="Qwen/Qwen2.5-72B").minimum_gpus
    counts = {row.gpu: row.count for row in rows}
    assert counts["h100-sxm-80gb"] == 2
    assert all(count in (1, 2, 4) or count % 8 == 0 for count in counts.values())
    assert all(row.verdict in ("yes", "tight") for row in rows)


def test_training_minimum_shards_over_more_cards() -> None:
    counts = {row.gpu: row.count for row in estimate(model="Qwen/Qwen2.5-7B", task="full_finetune").minimum_gpus}
    assert counts["a100-sxm-80gb"] == 2
    assert counts["rtx-4090-24gb"] == 8


def test_derivation_can_be_redone_by_hand() -> None:
    result = estimate(model="meta-llama/Meta-Llama-3.1-8B", context_tokens=4096, engine="transformers")
    cache = next(step for step in result.derivation if step.label == "KV cache")
    assert cache.inputs["kv_heads"] == 8
    assert cache.value == 2 * 32 * 8 * 128 * 4096 * 2
    assert result.derivation[-1].value == result.per_gpu.total_bytes
    part = next(part for part in result.per_gpu.parts if part.name == "kv_cache")
    assert "4,096" in part.formula
    assert "kv_heads" not in part.formula


def test_sources_carry_every_cited_id() -> None:
    result = estimate(model="Qwen/Qwen3-30B-A3B", task="qlora", sharding="zero3", data_parallel=2)
    assert {part.source for part in result.per_gpu.parts} <= {source.id for source in result.sources}


def test_reservation_of_vllm_is_explained_and_not_required() -> None:
    result = estimate(model="Qwen/Qwen2.5-7B", gpu="h100-sxm-80gb")
    assert any("gpu_memory_utilization" in warning for warning in result.warnings)
    assert result.per_gpu.total_bytes < 25 * GIB


def test_every_gap_in_the_request_is_said() -> None:
    said = " ".join(estimate(params=7 * 10**9, task="qlora").assumptions)
    for word in ("weight_format", "sequence_tokens", "micro_batch_size", "lora_rank", "hidden_size", "vocab_size"):
        assert word in said


def test_guessed_shape_widens_the_interval() -> None:
    known = estimate(model="meta-llama/Meta-Llama-3.1-8B").per_gpu
    guessed = estimate(params=8_030_261_248).per_gpu
    assert guessed.high_bytes / guessed.total_bytes > known.high_bytes / known.total_bytes


def test_format_the_card_cannot_compute_is_warned_about() -> None:
    warnings = estimate(model="Qwen/Qwen2.5-7B", weight_format="fp8", gpu="a100-sxm-80gb").warnings
    assert any("fp8" in warning for warning in warnings)


UNREAD = sorted(key for key, row in models().items() if row.kind in ("llm", "vlm") and row.hidden_size is None)


@pytest.mark.parametrize("name", UNREAD)
def test_model_known_by_its_parameters_alone_still_has_a_cache(name: str) -> None:
    result = estimate(model=name, context_tokens=8192)
    recurrent = "mamba" in name.lower() or "rwkv" in name.lower()
    assert ("kv_cache" in {part.name for part in result.per_gpu.parts}) is not recurrent
    assert any("guessed" in warning for warning in result.warnings)
    assert estimate(model=name, task="lora").per_gpu.total_bytes > result.params


def test_unknown_model_names_its_neighbours() -> None:
    with pytest.raises(UnknownName) as refusal:
        estimate(model="Qwen/Qwen2.5-71B-Instrukt")
    assert refusal.value.close


def test_unknown_model_with_params_is_estimated_by_shape() -> None:
    result = estimate(model="somebody/private-model", params=7 * 10**9)
    assert result.model is None
    assert result.per_gpu.total_bytes > 13 * GIB


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        pytest.param({}, "model", id="nothing"),
        pytest.param({"params": 10**9, "weight_format": "int17"}, "weight_format", id="format"),
        pytest.param({"model": "Qwen/Qwen2.5-7B", "tensor_parallel": 64}, "tensor_parallel", id="heads"),
        pytest.param({"model": "Qwen/Qwen2.5-7B", "pipeline_parallel": 64}, "pipeline_parallel", id="layers"),
        pytest.param({"model": "Qwen/Qwen3-30B-A3B", "expert_parallel": 256}, "expert_parallel", id="experts"),
        pytest.param({"params": 10**9, "active_params": 10**10}, "active_params", id="active"),
        pytest.param({"params": 10**9, "heads": 8, "kv_heads": 16}, "kv_heads", id="kv-heads"),
        pytest.param({"params": 10**9, "experts": 4, "experts_per_token": 8}, "experts_per_token", id="visited"),
        pytest.param({"params": 1000, "layers": 100, "hidden_size": 10_000}, "params", id="too-few"),
    ],
)
def test_nonsense_is_refused_naming_the_field(fields: dict[str, object], field: str) -> None:
    with pytest.raises(BadInput) as refusal:
        estimate(**fields)
    assert refusal.value.field == field


def test_an_estimate_looks_at_few_layouts(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = []

    def counted(work: Workload) -> Phase:
        looked_at.append(work)
        return peak_phase(work)

    monkeypatch.setattr("tools.memory.estimate.peak_phase", counted)
    assert estimate(model="Qwen/Qwen2.5-72B", gpu="h100-sxm-80gb", tensor_parallel=4).minimum_gpus
    assert 10 < len(looked_at) < 80  # each takes about 10 µs


@pytest.mark.parametrize(
    ("model", "sequences", "gpu", "count", "layout"),
    [
        ("DeepSeek-V3", 50, "h200-sxm-141gb", 8, "expert_parallel = 8"),
        ("DeepSeek-R1", 50, "h20-96gb", 16, "expert_parallel = 16"),
        ("DeepSeek-V3", 1, "h200-sxm-141gb", 8, "tensor_parallel = 8"),
    ],
)
def test_a_compressed_cache_that_tensor_parallelism_would_copy_is_shared_out(
    model: str, sequences: int, gpu: str, count: int, layout: str
) -> None:
    found = estimate(model=model, context_tokens=65_536, concurrent_sequences=sequences).minimum_gpus
    assert next((row.count, row.layout) for row in found if row.gpu == gpu) == (count, layout)


def test_the_number_of_cards_grows_with_what_is_asked() -> None:
    for model in ("DeepSeek-V3", "Qwen3-235B-A22B", "Mixtral-8x22B-Instruct-v0.1"):
        counts = [
            {row.gpu: row.count for row in estimate(model=model, concurrent_sequences=many).minimum_gpus}
            for many in (1, 7, 8, 50, 400)
        ]
        for fewer, more in itertools.pairwise(counts):
            assert all(fewer[gpu] <= count for gpu, count in more.items())


def test_cards_that_share_experts_split_the_sequences() -> None:
    load = {"model": "DeepSeek-V3", "context_tokens": 16_384, "weight_format": "fp8"}
    together = estimate(**load, concurrent_sequences=160, expert_parallel=16)
    each = estimate(**load, concurrent_sequences=10, expert_parallel=1)
    caches = [next(part.bytes for part in one.per_gpu.parts if part.name == "kv_cache") for one in (together, each)]
    assert caches[0] == caches[1]
    within = estimate(**load, concurrent_sequences=160, expert_parallel=8, tensor_parallel=8)
    assert next(part.bytes for part in within.per_gpu.parts if part.name == "kv_cache") == pytest.approx(16 * caches[1])
