"""Memory by how work is dealt over cards and host, formats nobody stated, and programs with kernels of their own."""

from typing import Any

import pytest

from tools.observation import explain_observation
from tools.observation.request import ObservationRequest
from tools.observation.result import Explanation

OOM = "CUDA out of memory"


def explained(**fields: Any) -> Explanation:
    return explain_observation(ObservationRequest.model_validate(fields))


def ids(**fields: Any) -> list[str]:
    return [one.id for one in explained(**fields).causes]


@pytest.mark.parametrize(
    ("fields", "cause"),
    [
        ({"task": "qlora", "model": "qwen2.5-72b", "weight_format": "gptq", "cards": "2x 4090", "sharding": "fsdp",
          "engine": "llama-factory"}, "packed_not_sharded"),
        ({"task": "qlora", "model": "llama-3.1-70b", "weight_format": "awq", "cards": "4x A10"}, "packed_not_sharded"),
        ({"task": "full_finetune", "model": "qwen2.5-32b", "cards": "8x H20"}, "buckets_of_several"),
        ({"model": "qwen2.5-72b", "cards": "4x A100 80GB", "engine": "vllm"}, "one_card_serves"),
        ({"model": "qwen2.5-vl-7b", "cards": "1x 4090", "engine": "vllm"}, "vision_profile"),
    ],
)  # fmt: skip
def test_how_the_work_is_dealt_out_comes_before_parts_of_the_memory(fields: dict[str, Any], cause: str) -> None:
    assert ids(**fields, error_text=OOM)[0] == cause


@pytest.mark.parametrize(
    "fields",
    [
        {"task": "full_finetune", "model": "qwen2.5-32b", "cards": "8x H20", "sharding": "zero3"},
        {"task": "qlora", "model": "qwen2.5-72b", "cards": "4x 4090", "sharding": "fsdp"},
        {"model": "qwen2.5-72b", "cards": "4x A100 80GB", "engine": "vllm", "tensor_parallel": 4},
        {"model": "qwen3-8b", "cards": "2x A100 80GB", "engine": "llama.cpp"},
    ],
)
def test_a_work_that_is_shared_out_is_not_called_whole(fields: dict[str, Any]) -> None:
    assert not {"packed_not_sharded", "buckets_of_several", "one_card_serves"} & set(ids(**fields, error_text=OOM))


@pytest.mark.parametrize(("host", "held"), [("1TB", False), ("4TB", True)])
def test_states_in_host_memory_are_held_against_it(host: str, held: bool) -> None:
    found = ids(
        model="llama-3.1-70b", task="full_finetune", cards="8x A100 80GB", engine="deepspeed", sharding="zero3",
        offload="all", host_memory=host, symptom="killed",
    )  # fmt: skip
    assert ("host_holds_states" in found) is not held


def test_a_fix_that_makes_it_fit_goes_before_one_that_only_helps() -> None:
    found = explained(
        model="qwen3-coder-30b-a3b", weight_format="gguf:Q4_K_M", cards="RTX 4090", engine="llama.cpp",
        context_tokens=262144, error_text="failed to allocate buffer for kv cache",
    )  # fmt: skip
    first = found.causes[0]
    assert first.figure_after is None or first.figure_after.value < 24 * 2**30


def test_a_server_reserves_no_cache_for_every_request() -> None:
    found = explained(
        model="qwen2.5-72b", cards="8x A100 80GB", engine="vllm", tensor_parallel=8, context_tokens=10_000,
        concurrent_sequences=1024, error_text=OOM,
    )  # fmt: skip
    assert all(one.figure_after is None or one.figure_after.value < 100 * 2**30 for one in found.causes)


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("AssertionError: 12 is not divisible by 8", "heads_not_divisible"),
        ("ValueError: DeepSpeed ZeRO-3 or FSDP is incompatible with PTQ-quantized models.", "packed_not_sharded"),
        ("Task was killed due to the node running low on memory.", "ray_memory_monitor"),
        ("EZ1001 socVersion [ascend310p] does not support opType [MoeGatingTopKSoftmax]", "operator_not_on_chip"),
        ("running 70, waiting 180, preempt 很多, kv cache 100%", "cache_full"),
        ("ImportError libcudart.so.12 cannot open shared object file", "library_missing"),
        ("FP8 quantized models is only supported on GPUs with compute capability >= 9.0 (e.g H100)",
         "kernel_unsupported"),
        ("进度条一出来就OOM", "oom_unknown"),
    ],
)  # fmt: skip
def test_further_wordings_are_known(text: str, cause: str) -> None:
    assert ids(error_text=text)[0] == cause


@pytest.mark.parametrize(("driver", "wheel"), [("570", "cu128"), ("580", "cu130")])
def test_the_build_goes_with_the_driver_that_was_told_beside(driver: str, wheel: str) -> None:
    found = explained(
        cards="RTX 5090", error_text="no kernel image is available for execution on the device",
        flags=f"torch cu124, driver {driver}",
    )  # fmt: skip
    assert wheel in str(found.causes[0].setting)


def test_memory_of_cards_and_host_together_is_parted_by_the_share() -> None:
    found = explained(
        model="gpt-oss-20b", cards="RTX 4070", engine="ollama",
        seen={"tokens_per_s": 10, "memory_bytes": 18 * 10**9, "cpu_share_ratio": 0.47},
    )  # fmt: skip
    memory = next(one for one in found.figures if one.name == "memory_bytes")
    assert memory.verdict != "impossible"
    assert memory.seen == pytest.approx(18e9 * 0.53, rel=0.01)
    assert any("mxfp4" in one for one in found.assumptions)


def test_a_format_that_nobody_stated_makes_no_speed_impossible() -> None:
    found = explained(model="llama-3.3-70b", cards="DGX Spark", seen={"tokens_per_s": 4})
    assert found.answer.verdict == "normal"
    assert any("as likely" in one for one in found.assumptions)


def test_what_is_better_than_expected_is_explained_by_no_cure() -> None:
    found = explained(
        model="wan2.1-t2v-14b", cards="L20", engine="comfyui", width_px=1280, height_px=720, frames=81, steps=20,
        seen={"item_s": 1500},
    )  # fmt: skip
    assert found.answer.worse is False
    assert not {"smaller_clip", "fewer_steps"} & {one.id for one in found.causes}
    assert found.causes[0].id == "less_computed"


def test_a_model_that_speaks_is_not_said_to_transcribe() -> None:
    found = ids(model="GPT-SoVITS", cards="3090", seen={"realtime_factor": 0.9, "utilisation_ratio": 0.1})
    assert "speech_on_processor" not in found
    assert found[0] == "small_steps"


def test_no_engine_is_proposed_that_the_card_does_not_run() -> None:
    fields = {"model": "qwen3-32b", "weight_format": "gguf:Q4_K_M", "engine": "llama.cpp", "seen": {"tokens_per_s": 11}}
    assert "cards_together" not in ids(cards="2x P40", **fields)
    assert "cards_together" in ids(cards="2x 3090", **fields | {"seen": {"tokens_per_s": 28}})


def test_prompts_of_the_others_slow_each_answer() -> None:
    fields = {"model": "qwen3-14b", "weight_format": "awq", "cards": "A100 80GB", "engine": "vllm",
              "input_tokens": 16000, "cuda_graphs": False}  # fmt: skip
    assert ids(**fields, concurrent_sequences=5, seen={"tokens_per_s": 12})[0] == "short_answers"
    assert "short_answers" not in ids(**fields, concurrent_sequences=1, seen={"tokens_per_s": 12})


def test_sixteen_bits_as_told_are_not_first_taken_for_four() -> None:
    found = ids(
        model="qwen2.5-7b", weight_format="fp16", cards="A10", engine="vllm", concurrent_sequences=64,
        input_tokens=1000, seen={"first_token_s": 60},
    )  # fmt: skip
    assert found[0] != "narrower_weights"


def test_host_memory_that_is_too_small_for_all_parts_swaps() -> None:
    fields = {"model": "flux.1-dev", "weight_format": "fp8", "cards": "RTX 4060 Laptop", "engine": "comfyui",
              "symptom": "slow", "seen": {"item_s": 400}}  # fmt: skip
    assert ids(**fields, host_memory="16GB")[0] == "host_swaps"
    assert ids(**fields, host_memory="128GB")[0] != "host_swaps"


def test_what_is_moved_to_the_host_is_no_more_than_it() -> None:
    found = explained(
        model="flux.1-dev", weight_format="fp8", cards="RTX 4060 Laptop", engine="comfyui", host_memory="16GB",
        platform="windows", symptom="slow", seen={"item_s": 4000},
    )  # fmt: skip
    moved = [one.change.get("paged_bytes") or one.change.get("streamed_bytes") for one in found.causes]
    assert all(size is None or float(size) <= 16 * 2**30 for size in moved)


def test_a_network_that_was_told_is_the_first_cause_of_slow_machines() -> None:
    found = ids(
        model="qwen-14b-chat", cards="2x A10", task="lora", sharding="zero3", link="10GbE",
        symptom="2 boxes with 1 card each are 10x slower than one box with 2 cards",
    )  # fmt: skip
    assert found[0] == "network_between_nodes"


def test_a_program_with_kernels_of_its_own_is_judged_by_them() -> None:
    found = explained(
        model="qwen2-72b", weight_format="awq", cards="2x V100 32GB", engine="lmdeploy",
        symptom="output is garbage, right on an A100",
    )  # fmt: skip
    assert found.causes[0].id == "kernel_otherwise"
    assert "0.6.0" in found.causes[0].fix.en
