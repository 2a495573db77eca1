"""Speed of serving: measured cases, laws that must hold, and refusals."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.base import BadInput, UnknownName
from kb.catalog import gpus
from kb.constants.speed_constants import constants
from tools.registry import tool
from tools.speed import estimate_inference_speed
from tools.speed.prefill import prefill_s
from tools.speed.request import InferenceSpeedRequest
from tools.speed.result import InferenceSpeed
from tools.speed.work import stated_rate, work_of


def estimate(**fields: object) -> InferenceSpeed:
    fields = {"model": "meta-llama/Meta-Llama-3.1-70B", "gpu": "h100-sxm-80gb", "gpu_count": 4, **fields}
    return estimate_inference_speed(InferenceSpeedRequest.model_validate(fields))


@pytest.mark.parametrize(
    ("fields", "seconds", "tolerance"),
    [
        pytest.param({"weight_format": "fp8", "engine": "vllm", "gpu_count": 4, "concurrent_sequences": 16,
                      "input_tokens": 1024, "output_tokens": 1024}, 13.2e-3, 0.1, id="70b-fp8-h100x4-vllm-16"),
        pytest.param({"weight_format": "fp8", "engine": "tensorrt-llm", "gpu": "h200-sxm-141gb", "gpu_count": 1,
                      "concurrent_sequences": 4, "input_tokens": 1024, "output_tokens": 1024}, 20.1e-3, 0.1,
                     id="70b-fp8-h200-trt-4"),
        pytest.param({"model": "openai/gpt-oss-120b", "engine": "vllm", "gpu": "h200-sxm-141gb", "gpu_count": 8,
                      "concurrent_sequences": 64, "input_tokens": 1024, "output_tokens": 8192}, 6.8e-3, 0.15,
                     id="gpt-oss-120b-h200x8-64"),
        pytest.param({"model": "meta-llama/Meta-Llama-3-8B", "weight_format": "gguf:Q4_K_M", "gpu": "rtx-3090",
                      "gpu_count": 1, "output_tokens": 512, "engine": "llama.cpp"}, 1 / 115.4, 0.1, id="8b-q4-3090"),
        pytest.param({"model": "Qwen/Qwen3-4B", "engine": "sglang", "gpu": "h20-96gb", "gpu_count": 1,
                      "input_tokens": 1, "output_tokens": 2048}, 1 / 133.1, 0.15, id="4b-bf16-h20"),
    ],
)  # fmt: skip
def test_estimates_agree_with_published_runs(fields: dict[str, object], seconds: float, tolerance: float) -> None:
    found = estimate(**fields)
    assert found.time_per_output_token_s.value == pytest.approx(seconds, rel=tolerance)
    assert found.time_per_output_token_s.low < seconds < found.time_per_output_token_s.high


def test_the_figures_of_one_result_agree_with_each_other() -> None:
    found = estimate(concurrent_sequences=32)
    assert found.tokens_per_s_per_user.value == pytest.approx(1 / found.time_per_output_token_s.value)
    assert found.tokens_per_s_total.value <= 32 * found.tokens_per_s_per_user.value
    assert found.tokens_per_s_total.value > 0.9 * 32 * found.tokens_per_s_per_user.value
    for interval in (found.time_per_output_token_s, found.tokens_per_s_total, found.time_to_first_token_s):
        assert 0 < interval.low < interval.value < interval.high


def test_a_bare_roofline_is_never_beaten() -> None:
    for name, card in gpus().items():
        if card.bandwidth_bytes_per_s is None or not (card.bf16_flops or card.fp16_flops or card.fp32_flops):
            continue
        found = estimate(model="Qwen/Qwen3-8B", gpu=name, gpu_count=1, weight_format="bf16")
        bytes_read = 2 * 7.5e9
        least = bytes_read / (card.bandwidth_bytes_per_s * constants().peak_ratio)
        assert found.time_per_output_token_s.value >= least * 0.999 or "host memory" in str(found.warnings), name


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 400), st.integers(2, 8), st.sampled_from(["vllm", "sglang", "tensorrt-llm"]))
def test_more_users_never_speed_anyone_up(sequences: int, factor: int, engine: str) -> None:
    few = estimate(model="Qwen/Qwen3-32B", engine=engine, concurrent_sequences=sequences, tensor_parallel=4)
    many = estimate(model="Qwen/Qwen3-32B", engine=engine, concurrent_sequences=sequences * factor, tensor_parallel=4)
    assert many.tokens_per_s_per_user.value <= few.tokens_per_s_per_user.value * 1.001


@settings(max_examples=40, deadline=None)
@given(st.integers(16, 60_000), st.integers(2, 16))
def test_a_longer_prompt_never_answers_sooner(tokens: int, factor: int) -> None:
    short, long = (estimate(model="Qwen/Qwen3-32B", input_tokens=n) for n in (tokens, tokens * factor))
    assert long.time_to_first_token_s.value > short.time_to_first_token_s.value
    assert long.time_per_output_token_s.value >= short.time_per_output_token_s.value * 0.999


def test_fewer_bits_are_read_faster() -> None:
    wide, narrow = (estimate(gpu="h200-sxm-141gb", gpu_count=2, weight_format=form) for form in ("bf16", "fp8"))
    assert narrow.tokens_per_s_per_user.value > 1.3 * wide.tokens_per_s_per_user.value


def test_tensor_parallelism_over_pcie_gains_less_than_over_nvlink() -> None:
    gains = []
    for card in ("l40s", "h100-sxm-80gb"):
        one, eight = (
            estimate(model="Qwen/Qwen3-8B", gpu=card, gpu_count=n, tensor_parallel=n, concurrent_sequences=64)
            for n in (1, 8)
        )
        gains.append(eight.tokens_per_s_total.value / one.tokens_per_s_total.value)
    assert gains[0] < gains[1]
    slow = estimate(model="Qwen/Qwen3-8B", gpu="l40s", gpu_count=8, tensor_parallel=8, concurrent_sequences=64)
    assert any("PCIe" in warning for warning in slow.warnings)


def test_cards_beyond_the_layout_serve_further_copies() -> None:
    one = estimate(model="Qwen/Qwen3-8B", gpu_count=1, tensor_parallel=1, concurrent_sequences=8)
    four = estimate(model="Qwen/Qwen3-8B", gpu_count=4, tensor_parallel=1, concurrent_sequences=32)
    assert four.replicas == 4
    assert four.tokens_per_s_total.value == pytest.approx(4 * one.tokens_per_s_total.value, rel=0.1)


def test_beyond_what_memory_holds_the_total_stays_and_everyone_waits() -> None:
    room = estimate(
        model="Qwen/Qwen3-32B", gpu_count=1, weight_format="fp8", input_tokens=8192
    ).max_concurrent_sequences
    assert room is not None
    assert 5 < room < 60
    full, over = (
        estimate(model="Qwen/Qwen3-32B", gpu_count=1, weight_format="fp8", input_tokens=8192, concurrent_sequences=n)
        for n in (room, 40 * room)
    )
    assert over.bound == "capacity"
    assert over.tokens_per_s_total.value < 1.5 * full.tokens_per_s_total.value
    assert over.tokens_per_s_per_user.value < full.tokens_per_s_per_user.value / 10


def test_weights_left_in_host_memory_make_its_bandwidth_decide() -> None:
    fields = {"weight_format": "gguf:Q4_K_M", "gpu": "rtx-4090", "gpu_count": 1}
    found = estimate(**fields)
    assert 0.5 < found.tokens_per_s_per_user.value < 5
    assert any("host memory" in warning for warning in found.warnings)
    faster = estimate(**fields, host_bandwidth_bytes_per_s=400e9)
    assert faster.tokens_per_s_per_user.value > 1.5 * found.tokens_per_s_per_user.value


@pytest.mark.parametrize(
    ("model", "rate"),
    [
        pytest.param("google/gemma-3-12b-it", 26.1, id="gemma-3-12b"),
        pytest.param("Qwen/Qwen3-14B", 16.9, id="qwen3-14b"),
        pytest.param("microsoft/phi-4", 16.7, id="phi-4"),
        pytest.param("Qwen/Qwen2.5-14B", 20.8, id="qwen2.5-14b"),
        pytest.param("mistralai/Mistral-Small-24B-Instruct-2501", 5.2, id="mistral-small-24b"),
        pytest.param("Qwen/Qwen3-30B-A3B", 36.7, id="qwen3-30b-a3b"),
    ],
)
def test_a_small_card_keeps_room_for_cache_and_buffers(model: str, rate: float) -> None:
    """RTX 2080 of 8 GB beside an i9-10900X (four channels of DDR4-2933), Q4_K_M, context 4,096, llama.cpp of 2026-07:
    https://github.com/AlexsJones/llmfit/pull/774, 755 and 778."""
    found = estimate(model=model, gpu="rtx-2080-8gb", gpu_count=1, weight_format="gguf:Q4_K_M", engine="llama.cpp",
                     host_bandwidth_bytes_per_s=93.9e9)  # fmt: skip
    assert found.tokens_per_s_per_user.value == pytest.approx(rate, rel=0.3)
    assert any("host memory" in warning for warning in found.warnings)


def test_the_cache_of_a_longer_context_leaves_less_room_for_weights() -> None:
    fields = {"model": "Qwen/Qwen3-8B", "gpu": "rtx-3070-8gb", "gpu_count": 1, "weight_format": "gguf:Q4_K_M"}
    short, long = (estimate(**fields, context_tokens=tokens) for tokens in (4096, 32768))
    assert not any("host memory" in warning for warning in short.warnings)
    assert any("host memory" in warning for warning in long.warnings)


@pytest.mark.parametrize(("gpu", "beside"), [("apple-m3-ultra-512gb", False), ("h200-sxm-141gb", True)])
def test_a_chip_that_shares_its_memory_has_no_host_memory_beside(gpu: str, *, beside: bool) -> None:
    found = estimate(model="deepseek-ai/DeepSeek-R1", gpu=gpu, gpu_count=1, weight_format="gguf:Q4_K_M")
    assert any("host memory" in warning for warning in found.warnings) == beside


@pytest.mark.parametrize(
    ("fields", "rate"),
    [
        pytest.param({"gpu": "rtx-3090-ti-24gb", "host_bandwidth_bytes_per_s": 204.8e9}, 8.66, id="3090ti-epyc-7773x"),
        pytest.param({"gpu": "rtx-4090-d-24gb", "host_bandwidth_bytes_per_s": 307.2e9}, 8.73, id="4090d-xeon-6454s"),
    ],
)
def test_routed_experts_go_to_the_host_first(fields: dict[str, object], rate: float) -> None:
    """DeepSeek-V3 Q4_K_M, experts in host memory: KTransformers' tutorial and a comparison of February 2025."""
    found = estimate(model="deepseek-ai/DeepSeek-V3", gpu_count=1, weight_format="gguf:Q4_K_M", engine="llama.cpp",
                     **fields)  # fmt: skip
    assert found.tokens_per_s_per_user.low < rate < found.tokens_per_s_per_user.high
    dense = estimate(params=671_000_000_000, gpu_count=1, weight_format="gguf:Q4_K_M", engine="llama.cpp", model=None,
                     **fields)  # fmt: skip
    assert dense.tokens_per_s_per_user.value < found.tokens_per_s_per_user.value / 8


def test_arrivals_and_answers_balance_by_littles_law() -> None:
    found = estimate(model="Qwen/Qwen3-32B", gpu_count=2, requests_per_s=2, input_tokens=1000, output_tokens=500)
    answer_s = found.time_to_first_token_s.value + 500 * found.time_per_output_token_s.value
    assert found.concurrent_sequences == pytest.approx(2 * answer_s, rel=0.1)
    flooded = estimate(model="Qwen/Qwen3-32B", gpu_count=2, requests_per_s=500, input_tokens=1000, output_tokens=500)
    assert flooded.bound == "capacity"


def test_an_embedding_model_reads_and_generates_nothing() -> None:
    found = estimate(model="BAAI/bge-m3", gpu="l40s", gpu_count=1)
    assert found.bound == "compute"
    assert found.tokens_per_s_total.value == pytest.approx(found.prefill_tokens_per_s.value)
    assert any("reads" in assumption for assumption in found.assumptions)


def test_texts_that_are_read_in_batches_wait_for_the_weights_together() -> None:
    one, many = (
        work_of(InferenceSpeedRequest(model="BAAI/bge-m3", gpu="t4-16gb", gpu_count=1, concurrent_sequences=count))[0]
        for count in (1, 32)
    )
    assert prefill_s(one, 32) == pytest.approx(prefill_s(many, 32))


def test_what_binds_is_named() -> None:
    assert estimate(gpu_count=2, weight_format="fp8").bound == "memory_bandwidth"
    assert estimate(model="Qwen/Qwen3-0.6B", gpu_count=1).bound == "latency"
    busy = estimate(model="Qwen/Qwen3-8B", gpu_count=1, concurrent_sequences=200, input_tokens=2048, output_tokens=64)
    assert busy.bound == "compute"


def test_evidence_is_nearest_first_and_labelled() -> None:
    found = estimate(
        weight_format="fp8", engine="vllm", concurrent_sequences=16, input_tokens=1024, output_tokens=1024,
        tensor_parallel=4,
    )  # fmt: skip
    assert found.label == "measured"
    assert found.evidence[0].distance == 0
    assert found.evidence[0].label == "measured"
    distances = [row.distance for row in found.evidence]
    assert distances == sorted(distances)
    assert {row.source for row in found.evidence} <= {source.id for source in found.sources}
    far = estimate(gpu="mi355x", weight_format="bf16", concurrent_sequences=16)
    assert far.label == "formula"


def test_a_result_can_be_redone_from_its_steps() -> None:
    found = estimate(gpu="mi300x", weight_format="bf16", concurrent_sequences=16)
    parts = {step.label: step.value for step in found.derivation}
    names = ("Reading and multiplying, overlapped", "Reading the cache", "Adding up over cards", "Launching kernels",
             "Scheduling and sampling", "Prompts of other sequences")  # fmt: skip
    total = sum(float(parts[name] or 0) for name in names) * float(parts.get("Correction by near measurements") or 1)
    assert total == pytest.approx(found.time_per_output_token_s.value, rel=1e-6)


def test_a_card_whose_matrix_rate_nobody_states_still_answers_and_says_so() -> None:
    unstated = [name for name, card in gpus().items() if card.bandwidth_bytes_per_s and stated_rate(card) is None]
    assert unstated
    for name in unstated:
        found = estimate(model="Qwen/Qwen3-8B", gpu=name, gpu_count=1, weight_format="int4")
        assert any("No source states a matrix rate" in said for said in found.assumptions)
        with pytest.raises(BadInput, match="matrix rate"):
            estimate_inference_speed(InferenceSpeedRequest(model="torchvision/resnet50", gpu=name))


@pytest.mark.parametrize("engine", ["vllm", "sglang", "tensorrt-llm", "llama.cpp", "transformers"])
def test_every_card_answers_on_every_engine_within_its_bandwidth(engine: str) -> None:
    for name, card in gpus().items():
        if card.bandwidth_bytes_per_s is None:
            continue
        found = estimate(model="Qwen/Qwen3-8B", gpu=name, gpu_count=1, engine=engine, weight_format="int4")
        most = card.bandwidth_bytes_per_s * constants().peak_ratio / (7.5e9 * 0.5)
        assert 0 < found.tokens_per_s_per_user.value <= most, name
        assert found.time_to_first_token_s.value > 0


def test_unknown_rates_are_refused_by_name() -> None:
    unknown = next(name for name, card in gpus().items() if card.bandwidth_bytes_per_s is None)
    with pytest.raises(BadInput, match="bandwidth"):
        estimate(gpu=unknown)


def test_a_layout_larger_than_the_cards_is_refused() -> None:
    with pytest.raises(BadInput, match="gpu_count"):
        estimate(gpu_count=2, tensor_parallel=4)


def test_names_that_do_not_exist_are_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownName) as refusal:
        estimate(gpu="H1000")
    assert refusal.value.close


@pytest.mark.parametrize("field", ["gpu_count", "concurrent_sequences", "tensor_parallel"])
@pytest.mark.parametrize("value", [0, -1, float("nan"), 10**30])
def test_absurd_numbers_name_the_field(field: str, value: float) -> None:
    with pytest.raises(BadInput) as refusal:
        tool("estimate_inference_speed").call({"model": "Qwen/Qwen3-8B", "gpu": "l40s", field: value})
    assert refusal.value.field == field


def test_what_the_engine_holds_from_before_is_not_read_again() -> None:
    load = {"concurrent_sequences": 32, "input_tokens": 32_000, "output_tokens": 500}
    anew, kept = estimate(**load), estimate(**load, cached_tokens=30_000)
    assert kept.time_to_first_token_s.value < anew.time_to_first_token_s.value / 5
    assert kept.time_per_output_token_s.value < anew.time_per_output_token_s.value
    short = estimate(**{**load, "input_tokens": 2_000})
    assert short.time_to_first_token_s.value < kept.time_to_first_token_s.value  # new tokens look back at the old ones
    assert "2,000 tokens of each prompt are new" in " ".join(kept.assumptions)


@pytest.mark.parametrize(
    ("fields", "kept"),
    [
        ({"concurrent_sequences": 50, "context_tokens": 65_536}, True),
        ({"concurrent_sequences": 50, "context_tokens": 4_096}, False),
        ({"concurrent_sequences": 1, "context_tokens": 65_536}, False),
        ({"concurrent_sequences": 50, "input_tokens": 64_000, "output_tokens": 500}, False),
    ],
)
def test_only_a_long_context_told_in_all_is_taken_for_a_history(fields: dict[str, object], kept: bool) -> None:
    assert any("prefix cache" in said for said in estimate(**fields).assumptions) == kept


def test_a_prompt_held_whole_is_refused() -> None:
    with pytest.raises(BadInput) as refused:
        estimate(input_tokens=1_000, cached_tokens=1_000)
    assert refused.value.field == "cached_tokens"


def test_without_a_stated_prompt_the_first_token_still_waits_for_a_usual_one() -> None:
    silent = estimate(model="Qwen/Qwen3-8B", weight_format="gguf:Q4_K_M", engine="llama.cpp")
    asked = estimate(model="Qwen/Qwen3-8B", weight_format="gguf:Q4_K_M", engine="llama.cpp", input_tokens=512)
    assert silent.time_to_first_token_s.value == pytest.approx(asked.time_to_first_token_s.value, rel=0.1)
    assert silent.time_to_first_token_s.value > 5 * silent.time_per_output_token_s.value
    assert any("first token is after one of 512" in one for one in silent.assumptions)
