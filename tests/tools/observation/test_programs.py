"""Programs that no estimator knows: fixes in their own words, and no faults of the engine that stands for them."""

import pytest

from tools.observation.explain import explain_observation
from tools.observation.request import ObservationRequest
from tools.observation.result import Explanation

FLAGS = ("-ngl", "--max-model-len", "--gpu-memory-utilization", "--enforce-eager", "-ctk", "lmsysorg", "vllm/")
"""Options and images of engines that stand for others."""


def explained(**fields: object) -> Explanation:
    return explain_observation(ObservationRequest.model_validate(fields))


@pytest.mark.parametrize(
    "engine",
    ["lm-studio", "LM Studio", "KoboldCpp", "Jan", "GPT4All", "TabbyAPI", "exllamav3", "MLX", "chitu", "LMDeploy"],
)
@pytest.mark.parametrize("seen", [{"tokens_per_s": 3}, {"tokens_per_s": 900}])
def test_a_program_is_never_given_the_options_of_the_engine_that_stands_for_it(
    engine: str, seen: dict[str, float]
) -> None:
    cards = "M3 Max 64GB" if engine == "MLX" else "2x RTX 3090"
    found = explained(model="Qwen3-32B", weight_format="int4", cards=cards, engine=engine, seen=seen)

    assert found.causes
    assert not [one.setting for one in found.causes if one.setting and any(flag in one.setting for flag in FLAGS)]


def test_what_is_made_of_an_engine_shares_its_faults_and_what_only_resembles_it_does_not() -> None:
    made = explained(model="Qwen3-32B", cards="RTX 4090", engine="LM Studio", seen={"tokens_per_s": 4})
    apart = explained(
        model="Qwen3-32B", weight_format="int4", cards="M3 Max 64GB", engine="mlx", seen={"tokens_per_s": 4}
    )

    assert "layers_on_cpu" in {one.id for one in made.causes}
    assert not {"layers_on_cpu", "all_on_cpu", "whole_context_reserved"} & {one.id for one in apart.causes}


def test_a_program_that_takes_the_same_options_is_given_them() -> None:
    found = explained(model="Qwen3-32B", cards="RTX 4090", engine="ik_llama.cpp", seen={"tokens_per_s": 4})

    assert any("-ngl" in (one.setting or "") for one in found.causes)


@pytest.mark.parametrize("engine", ["vllm", "llama.cpp", "comfyui", "LM Studio"])
def test_settings_of_hugging_face_are_for_its_libraries_alone(engine: str) -> None:
    found = explained(cards="RTX 4090", engine=engine, symptom="the process was killed while loading")

    assert not any("low_cpu_mem_usage" in (one.setting or "") for one in found.causes)


def test_a_program_that_no_engine_comes_near_says_so() -> None:
    found = explained(cards="RTX 4090", engine="boltz", error_text="ran out of memory, skipping batch")

    assert any("no engine that is comes near" in one for one in found.assumptions)
    assert "--max_parallel_samples" in (found.causes[0].setting or "")


@pytest.mark.parametrize(
    ("symptom", "cause"),
    [
        ("awq is slower than bf16 on the same card", "narrow_unpacked"),
        ("int8 gives no speedup over fp16", "narrow_unpacked"),
        ("量化成 int4 之后反而慢了", "narrow_unpacked"),
        ("a batch of 16 is no faster than 1", "batch_full"),
        ("throughput scales linearly worse, batch size 4 takes 4 times as long", "batch_in_turn"),
        ("并发开到 8 没有变快", "batch_in_turn"),
        ("tp=2 is slower than one card", "tensor_overhead"),
        ("started with numactl --membind=0 and it was killed at 500 GB of 1 TB", "memory_of_one_node"),
        ("USE_NUMA=1 doubles the memory and it is killed", "copy_each_node"),
        ("the pair under PIX is slower than the pair under SYS", "acs_redirects"),
        ("同一个 PCIe 交换芯片下的两张卡反而慢", "shared_uplink"),
        ("slow because of disk offload", "weights_offloaded"),
        ("模型卸载到内存后很慢", "weights_offloaded"),
    ],
)
def test_relations_and_confinements_are_heard(symptom: str, cause: str) -> None:
    assert cause in [one.id for one in explained(cards="2x RTX 4090", symptom=symptom).causes[:3]]


def test_what_the_card_lacks_units_for_is_told_where_an_engine_runs_it_otherwise() -> None:
    found = explained(cards="RTX 3080", engine="vllm", symptom="fp8 is no faster than bf16")

    told = next(one for one in found.causes if one.id == "kernel_otherwise")
    assert "Marlin" in told.what.en
    assert "kernel_unsupported" not in {one.id for one in found.causes}


def test_what_runs_with_its_weights_alone_is_no_failure_without_an_engine_either() -> None:
    found = explained(cards="RTX A5000", symptom="FP8 is slower than BF16")

    told = next(one for one in found.causes if one.id == "kernel_otherwise")
    assert "unpack the weights" in told.what.en
    assert "kernel_unsupported" not in {one.id for one in found.causes}


def test_a_note_on_another_attention_kernel_is_no_failure() -> None:
    found = explained(
        cards="T4", engine="vllm", error_text="Cannot use FlashAttention-2 backend for Volta and Turing GPUs."
    )

    assert found.causes[0].id == "kernel_otherwise"
    assert "by itself" in found.causes[0].what.en


@pytest.mark.parametrize(
    ("fields", "cause"),
    [
        ({"engine": "lm-studio", "symptom": "it uses the CPU instead of the GPU"}, "all_on_cpu"),
        ({"engine": "llama.cpp", "symptom": "GPU is not used at all, 0 % GPU"}, "all_on_cpu"),
        ({"engine": "ollama", "symptom": "没有用上显卡"}, "all_on_cpu"),
        ({"engine": "llama.cpp", "symptom": "started with --no-kv-offload, slow"}, "cache_in_host"),
        ({"engine": "sglang", "error_text": "capture cuda graph failed: out of memory"}, "graphs_after_cache"),
        ({"engine": "vllm", "error_text": "Capturing CUDA graphs 20%: CUDA out of memory."}, "graphs_after_cache"),
        ({"symptom": "p2pBandwidthLatencyTest: P2P enabled 3 GB/s, P2P disabled 11 GB/s"}, "acs_redirects"),
        ({"engine": "comfyui", "symptom": "the encoder is loaded again each time"}, "models_evicted"),
        ({"engine": "sentence-transformers", "symptom": "OOM when embedding 20 million documents"}, "outputs_kept"),
        ({"engine": "mlx", "error_text": "allocate 9663676416 bytes which is greater than the maximum allowed "
          "buffer size of 8589934592 bytes"}, "metal_buffer_limit"),
        ({"engine": "vllm", "symptom": "tp=1 gives 60 tok/s, tp=4 gives 48 tok/s"}, "tensor_overhead"),
        ({"engine": "tabbyapi", "symptom": "takes three times as long, vllm takes 4 minutes"}, "batch_in_turn"),
        ({"engine": "swift", "task": "lora", "symptom": "单卡可以训练，双卡就报显存不足"}, "buckets_of_several"),
        ({"engine": "peft", "task": "lora", "symptom": "memory of the two cards is unbalanced"}, "one_card_used"),
        ({"engine": "deepspeed", "task": "lora", "symptom": "slow with offload_param to host"}, "weights_offloaded"),
        ({"engine": "vllm", "symptom": "the server never starts, GPUs spin at 100%"}, "p2p_blocked"),
    ],
)  # fmt: skip
def test_further_kinds_of_trouble_are_heard(fields: dict[str, object], cause: str) -> None:
    cards = "M1 16GB" if fields.get("engine") == "mlx" else "2x RTX A4000"
    assert explained(cards=cards, **fields).causes[0].id == cause


def test_a_mac_that_answers_far_too_slowly_pages_to_its_disk() -> None:
    found = explained(model="Qwen3-8B", weight_format="bf16", cards="M2 16GB", engine="mlx", seen={"tokens_per_s": 0.2})

    assert found.causes[0].id == "unified_pages"


def test_a_figure_somewhat_better_than_the_estimate_asks_for_no_cause() -> None:
    run = {"model": "Qwen3-8B", "weight_format": "int4", "cards": "M3 Pro 36GB", "input_tokens": 24_000}
    usual = explained(**run, seen={"tokens_per_s": 1}).answer.expected
    assert usual is not None
    found = explained(**run, seen={"tokens_per_s": 1.01 * usual.high / 0.9})

    assert found.answer.worse is False
    assert found.causes == ()
