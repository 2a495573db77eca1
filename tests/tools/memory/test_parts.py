"""Formulas of single parts against numbers computed by hand or printed by engines."""

import pytest

from kb.base import BadInput
from kb.units import GIB, MIB
from tools.memory import estimate_memory
from tools.memory.adapters import adapter_params
from tools.memory.formats import canonical, weight_format
from tools.memory.request import MemoryRequest
from tools.memory.shape import shape_of
from tools.memory.training import state_bytes
from tools.memory.workload import workload_of


def part(name: str, **fields: object) -> int:
    result = estimate_memory(MemoryRequest.model_validate(fields))
    return sum(row.bytes for row in result.per_gpu.parts if row.name == name)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("BF16", "bf16"), ("float16", "fp16"), ("Q4_K_M", "gguf:Q4_K_M"), ("gguf:q4_k_m", "gguf:Q4_K_M"),
        ("GGUF", "gguf:Q4_K_M"), ("w4a16", "int4"), ("GPTQ-Int4", "gptq"), ("gguf:F16", "gguf:F16"),
        ("q8_0", "gguf:Q8_0"), ("4bit", "int4"), ("fp8", "fp8"),
    ],
)  # fmt: skip
def test_formats_are_read_however_they_are_written(text: str, name: str) -> None:
    assert canonical(text) == name


def test_unknown_format_is_refused() -> None:
    with pytest.raises(BadInput, match="weight_format"):
        canonical("int3.14")


@pytest.mark.parametrize(
    ("form", "bits"),
    [("gguf:Q8_0", 8.5), ("gguf:Q4_K_M", 4.89), ("gguf:Q5_K_M", 5.70), ("gguf:Q3_K_M", 4.0), ("gguf:Q2_K", 3.16)],
)
def test_gguf_mixes_of_llama_8b_take_the_published_bits(form: str, bits: float) -> None:
    size = part("weights", model="meta-llama/Meta-Llama-3.1-8B", engine="llama.cpp", weight_format=form)
    assert size * 8 / 8_030_261_248 == pytest.approx(bits, rel=0.01)


def test_four_bit_stacks_leave_tables_at_sixteen_bits() -> None:
    form = weight_format("awq")
    assert (form.embed_bits, form.head_bits, form.plain_bits) == (16, 16, 16)
    assert part("weights", model="meta-llama/Meta-Llama-3.1-8B", weight_format="int4") > 8.03e9 / 2


def test_experts_count_in_full() -> None:
    assert part("weights", model="mistralai/Mixtral-8x7B-v0.1") == pytest.approx(46.7e9 * 2, rel=0.01)


def test_pipeline_stage_with_a_table_is_the_fullest() -> None:
    stage = part("weights", model="meta-llama/Meta-Llama-3.1-8B", pipeline_parallel=4)
    assert stage / GIB == pytest.approx(4.26, rel=0.02)
    assert stage > 8.03e9 * 2 / 4


@pytest.mark.parametrize(
    ("fields", "measured"),
    [
        pytest.param({"model": "Qwen/Qwen3-8B", "context_tokens": 1, "engine": "transformers"}, 147_456, id="gqa"),
        pytest.param(
            {"model": "deepseek-ai/DeepSeek-V3", "context_tokens": 1, "engine": "sglang"}, 70_272, id="latent"
        ),
        pytest.param(
            {"model": "deepseek-ai/DeepSeek-V3", "context_tokens": 1, "engine": "sglang", "tensor_parallel": 8},
            70_272,
            id="latent-is-not-divided",
        ),
        pytest.param(
            {"model": "Qwen/Qwen3-235B-A22B", "context_tokens": 1, "engine": "sglang", "tensor_parallel": 4},
            48_128,
            id="heads-divided",
        ),
        pytest.param(
            {"model": "Qwen/Qwen3-235B-A22B", "context_tokens": 1, "engine": "sglang", "tensor_parallel": 8},
            48_128,
            id="heads-replicated",
        ),
        pytest.param(
            {"model": "deepseek-ai/DeepSeek-V3", "context_tokens": 32768, "engine": "llama.cpp", "kv_format": "q8_0"},
            int(2196 * MIB * 34 / 64),
            id="q8_0",
        ),
    ],
)
def test_cache_is_what_engines_print(fields: dict[str, object], measured: int) -> None:
    assert part("kv_cache", **fields) == pytest.approx(measured, rel=0.001)


def test_pages_round_the_cache_up() -> None:
    sixteen = part("kv_cache", model="Qwen/Qwen3-8B", context_tokens=16)
    assert part("kv_cache", model="Qwen/Qwen3-8B", context_tokens=1) == sixteen
    assert part("kv_cache", model="Qwen/Qwen3-8B", context_tokens=17) == 2 * sixteen


def test_sliding_layers_stop_growing_at_their_window() -> None:
    def cache(tokens: int) -> int:
        return part("kv_cache", model="google/gemma-3-27b-it", context_tokens=tokens)

    full_attention = 10 * 2 * 16 * 128 * 2
    assert cache(65_536) - cache(32_768) == full_attention * 32_768


def test_linear_layers_hold_a_constant_state() -> None:
    def cache(tokens: int) -> int:
        return part("kv_cache", model="Qwen/Qwen3.6-27B", context_tokens=tokens, engine="llama.cpp")

    growth = cache(65_536) - cache(32_768)
    assert growth == 16 * 2 * 4 * 256 * 2 * 32_768
    assert cache(32_768) - growth == pytest.approx(598.5 / 4 * MIB, rel=0.01)


def test_sampler_of_vllm_scales_with_sequences_and_vocabulary() -> None:
    def held(sequences: int) -> float:
        fields = {"model": "meta-llama/Meta-Llama-3.1-8B", "engine_version": "0.19", "max_num_sequences": sequences}
        return sum(part(name, **fields) for name in ("activations", "logits", "buffers")) / GIB

    assert held(1024) == pytest.approx(1.89, rel=0.02)
    assert held(2048) > 1.8 * held(1024)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        pytest.param({"precision": "bf16_pure"}, 8, id="pure"),
        pytest.param({"precision": "fp32"}, 16, id="fp32"),
        pytest.param({"precision": "bf16", "engine": "deepspeed"}, 16, id="deepspeed"),
        pytest.param({"precision": "bf16", "engine": "megatron"}, 18, id="megatron"),
        pytest.param({"precision": "bf16_pure", "optimizer": "adamw_8bit"}, 6, id="8-bit"),
    ],
)
def test_training_holds_the_known_bytes_a_parameter(fields: dict[str, object], expected: float) -> None:
    work, _, _ = workload_of(
        MemoryRequest.model_validate({"model": "Qwen/Qwen2.5-7B", "task": "full_finetune", **fields})
    )
    assert sum(state_bytes(work)) == expected


@pytest.mark.parametrize("cards", [2, 8])
@pytest.mark.parametrize(("task", "more"), [("full_finetune", 4), ("lora", 0)])
def test_whole_copies_hold_the_whole_model_and_a_bucket_for_every_gradient(task: str, more: float, cards: int) -> None:
    alone = {"model": "Qwen/Qwen2.5-7B", "task": task, "sequence_tokens": 2048}
    params = 7_615_616_512
    copies = {**alone, "sharding": "ddp", "data_parallel": cards}
    assert part("weights", **copies) == part("weights", **alone)
    assert part("optimizer", **copies) == part("optimizer", **alone)
    estimate, one = (estimate_memory(MemoryRequest.model_validate(each)).per_gpu for each in (copies, alone))
    assert estimate.total_bytes - one.total_bytes == pytest.approx(more * params, abs=1e9)  # and communicators
    assert estimate.total_bytes > one.total_bytes


def test_adapters_count_rank_times_both_ends() -> None:
    fields = {"model": "meta-llama/Llama-3.2-3B", "task": "lora", "lora_rank": 32, "lora_targets": "qv"}
    work, _, _ = workload_of(MemoryRequest.model_validate(fields))
    assert adapter_params(work) == 9_175_040  # as PEFT prints for this configuration


def test_peak_is_a_maximum_and_not_a_sum() -> None:
    with_checkpoints = {
        "model": "meta-llama/Llama-3.2-3B", "task": "full_finetune", "engine": "torchtune", "micro_batch_size": 2,
        "sequence_tokens": 4096, "gradient_checkpointing": "full",
    }  # fmt: skip
    result = estimate_memory(MemoryRequest.model_validate(with_checkpoints))
    names = {row.name for row in result.per_gpu.parts}
    assert {"weights", "gradients", "optimizer"} <= names
    assert "logits" not in names  # they are gone when the gradients are complete


def test_build_is_inferred_from_the_parameter_count() -> None:
    shape = shape_of(
        MemoryRequest(
            params=3_637_000_000, layers=16, hidden_size=4096, heads=32, intermediate_size=16384, vocab_size=50688
        )
    )
    assert not shape.gated
    assert not shape.tied


def test_flux_decodes_every_image_of_a_batch() -> None:
    def total(images: int) -> float:
        fields = {"model": "black-forest-labs/FLUX.1-dev", "images_per_batch": images}
        return estimate_memory(MemoryRequest.model_validate(fields)).per_gpu.total_bytes / GIB

    assert total(8) - total(4) == pytest.approx(4 * 1.86, rel=0.05)


def test_component_offload_holds_the_largest_part_alone() -> None:
    fields = {"model": "black-forest-labs/FLUX.1-dev", "offload": "components"}
    assert part("weights", **fields) == pytest.approx(11.9e9 * 2, rel=0.01)


def test_embedding_model_has_no_growing_cache() -> None:
    assert part("kv_cache", model="BAAI/bge-m3", context_tokens=8192) == 0


@pytest.mark.parametrize(
    ("model", "form", "engine", "wide"),
    [
        ("Qwen/Qwen2.5-VL-7B-Instruct", "awq", "vllm", True),
        ("Qwen/Qwen2.5-VL-7B-Instruct", "int4", "vllm", True),
        ("Qwen/Qwen2.5-VL-7B-Instruct", "int4", "transformers", False),
        ("Qwen/Qwen2.5-VL-7B-Instruct", "nf4", "vllm", False),
        ("zai-org/cogvlm2-llama3-chat-19B", "int4", "vllm", False),
        ("zai-org/cogvlm2-llama3-chat-19B", "awq", "vllm", True),
    ],
)
def test_bitsandbytes_quantises_towers_and_checkpoints_leave_them_wide(
    model: str, form: str, engine: str, wide: bool
) -> None:
    shape = shape_of(MemoryRequest(model=model))
    held = part("weights", model=model, weight_format=form, engine=engine)
    tables = 2 * (shape.embed_params + shape.head_params)
    at_four_bits = 0.6 * (shape.body_params + shape.tower_params) + tables
    assert (held > at_four_bits) == wide


def test_a_tower_counts_the_same_in_the_published_format() -> None:
    model = "zai-org/cogvlm2-llama3-chat-19B"
    assert part("weights", model=model) == pytest.approx(2 * shape_of(MemoryRequest(model=model)).params, rel=0.01)


def test_tensor_parallel_servers_split_towers_as_they_split_layers() -> None:
    model = "OpenGVLab/InternVL2-26B"
    whole = part("weights", model=model)
    assert part("weights", model=model, tensor_parallel=2) == pytest.approx(whole / 2, rel=0.02)
