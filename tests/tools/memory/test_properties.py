"""What must hold for any request, whatever the constants."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.base import AdvisorError
from kb.catalog import models
from tools.memory import estimate_memory
from tools.memory.request import MemoryRequest

FORMATS = ["fp32", "bf16", "fp8", "int8", "int4", "nf4", "nf4_dq", "awq", "mxfp4", "gguf:Q4_K_M", "gguf:Q8_0"]
TRAINERS = ["torchtune", "peft", "deepspeed", "fsdp", "megatron", "unsloth"]
SERVERS = ["vllm", "sglang", "llama.cpp", "transformers", "tensorrt-llm"]
ROUNDING_BYTES = 64
LANGUAGE_MODELS = sorted(key for key, model in models().items() if model.kind in ("llm", "vlm"))


def total(request: dict[str, Any]) -> int:
    return estimate_memory(MemoryRequest(**request)).per_gpu.total_bytes


@st.composite
def serving(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "model": draw(st.sampled_from(LANGUAGE_MODELS)),
        "engine": draw(st.sampled_from(SERVERS)),
        "weight_format": draw(st.sampled_from(FORMATS)),
        "kv_format": draw(st.sampled_from(["auto", "fp8", "q8_0"])),
        "context_tokens": draw(st.integers(1, 200_000)),
        "concurrent_sequences": draw(st.integers(1, 64)),
    }


@st.composite
def training(draw: st.DrawFn) -> dict[str, Any]:
    task = draw(st.sampled_from(["full_finetune", "lora", "qlora"]))
    return {
        "task": task,
        "model": draw(st.sampled_from(LANGUAGE_MODELS)),
        "engine": draw(st.sampled_from(TRAINERS)),
        "precision": draw(st.sampled_from(["bf16", "bf16_pure", "fp32"])),
        "micro_batch_size": draw(st.integers(1, 16)),
        "sequence_tokens": draw(st.integers(16, 32_768)),
        "gradient_checkpointing": draw(st.sampled_from(["none", "selective", "full"])),
        "optimizer": draw(st.sampled_from(["adamw", "adamw_8bit", "sgd"])),
        "lora_rank": draw(st.sampled_from([8, 64])),
    }


@settings(max_examples=60, deadline=None)
@given(serving(), st.sampled_from(["context_tokens", "concurrent_sequences"]), st.integers(2, 5))
def test_more_tokens_or_sequences_never_need_less(request: dict[str, Any], field: str, times: int) -> None:
    assert total({**request, field: request[field] * times}) >= total(request) - ROUNDING_BYTES


@settings(max_examples=60, deadline=None)
@given(training(), st.sampled_from(["sequence_tokens", "micro_batch_size", "lora_rank"]))
def test_more_training_tokens_or_rank_never_need_less(request: dict[str, Any], field: str) -> None:
    assert total({**request, field: request[field] * 2}) >= total(request) - ROUNDING_BYTES


@settings(max_examples=60, deadline=None)
@given(serving(), st.sampled_from(["int8", "int4", "nf4", "nf4_dq", "gguf:Q4_K_M", "fp8"]))
def test_quantising_never_needs_more(request: dict[str, Any], form: str) -> None:
    assert total({**request, "weight_format": form}) <= total({**request, "weight_format": "bf16"}) + ROUNDING_BYTES


@settings(max_examples=80, deadline=None)
@given(st.one_of(serving(), training()), st.sampled_from([2, 4]), st.data())
def test_sharding_never_needs_more_on_a_gpu(request: dict[str, Any], ways: int, data: st.DataObject) -> None:
    layouts: list[dict[str, Any]] = [{"tensor_parallel": ways}, {"pipeline_parallel": ways}]
    if "task" in request:
        layouts += [{"sharding": kind, "data_parallel": ways} for kind in ("zero1", "zero2", "zero3", "fsdp")]
        layouts += [{"sharding": "fsdp", "data_parallel": ways, "expert_parallel": ways}, {"context_parallel": ways}]
    layout = data.draw(st.sampled_from(layouts))
    with suppress(AdvisorError):  # more GPUs than heads, more stages than layers
        assert total({**request, **layout}) <= total(request) + ROUNDING_BYTES


@settings(max_examples=40, deadline=None)
@given(serving(), st.integers(2, 7))
def test_cache_is_linear_in_sequences(request: dict[str, Any], times: int) -> None:
    def cache(sequences: int) -> int:
        result = estimate_memory(MemoryRequest(**{**request, "concurrent_sequences": sequences}))
        return sum(part.bytes for part in result.per_gpu.parts if part.name == "kv_cache")

    one = cache(1)
    assert cache(times) == pytest.approx(times * one, abs=times + 1)


@settings(max_examples=40, deadline=None)
@given(serving(), st.integers(1, 40), st.integers(2, 7))
def test_cache_is_linear_in_tokens(request: dict[str, Any], pages: int, times: int) -> None:
    """Beyond what is constant: windows, and the state of linear layers."""
    model = models()[request["model"]]
    window = model.sliding.window_tokens + 1024 if model.sliding else 0

    def cache(tokens: int) -> int:
        fields = {**request, "context_tokens": window + tokens, "concurrent_sequences": 1}
        result = estimate_memory(MemoryRequest(**fields))
        return sum(part.bytes for part in result.per_gpu.parts if part.name == "kv_cache")

    step = 256 * pages  # a multiple of every engine's page
    window = -(-window // 256) * 256
    start, once, often = cache(256), cache(256 + step), cache(256 + times * step)
    assert often - start == pytest.approx(times * (once - start), abs=8 * times)


@settings(max_examples=80, deadline=None)
@given(st.one_of(serving(), training()))
def test_parts_sum_to_the_total_inside_the_interval(request: dict[str, Any]) -> None:
    per_gpu = estimate_memory(MemoryRequest(**request)).per_gpu
    assert sum(part.bytes for part in per_gpu.parts) == per_gpu.total_bytes
    assert 0 <= per_gpu.low_bytes <= per_gpu.total_bytes <= per_gpu.high_bytes
    assert all(part.formula for part in per_gpu.parts)


@pytest.mark.parametrize("name", sorted(models()))
def test_every_model_of_the_catalog_has_an_estimate(name: str) -> None:
    result = estimate_memory(MemoryRequest(model=name))
    assert result.per_gpu.total_bytes > 0
    assert result.model == name


@settings(max_examples=150, deadline=None)
@given(
    st.fixed_dictionaries(
        {
            "params": st.integers(1, 10**13),
            "task": st.sampled_from(["inference", "full_finetune", "qlora", "pretrain"]),
        },
        optional={
            "layers": st.integers(1, 200),
            "hidden_size": st.integers(1, 30_000),
            "heads": st.integers(1, 256),
            "kv_heads": st.integers(1, 256),
            "head_dim": st.integers(1, 512),
            "intermediate_size": st.integers(1, 100_000),
            "vocab_size": st.integers(1, 500_000),
            "experts": st.integers(1, 512),
            "active_params": st.integers(1, 10**13),
            "gpu": st.sampled_from(["rtx-4090", "h100-sxm-80gb"]),
            "context_tokens": st.integers(1, 10**7),
        },
    )
)
def test_any_shape_is_answered_or_refused_by_name(request: dict[str, Any]) -> None:
    try:
        size = total(request)
    except AdvisorError as refusal:
        size = len(refusal.data()["field"])
    assert size > 0
