"""The cache's format where it is left to the engine: one rule for memory and for speed."""

import pytest

from tools.cache_format import cache_format
from tools.memory import estimate_memory
from tools.memory.request import MemoryRequest


@pytest.mark.parametrize(
    ("asked", "engine", "name", "native", "kept"),
    [
        ("auto", "tensorrt-llm", "fp8", "bf16", "fp8"),
        ("auto", "tensorrt-llm", "nvfp4", "bf16", "fp8"),
        ("auto", "tensorrt-llm", "fp8", "fp8", "auto"),
        ("auto", "tensorrt-llm", "bf16", "bf16", "auto"),
        ("auto", "vllm", "fp8", "bf16", "auto"),
        ("bf16", "tensorrt-llm", "fp8", "bf16", "bf16"),
    ],
)
def test_the_cache_is_kept_as_the_checkpoint_says(asked: str, engine: str, name: str, native: str, kept: str) -> None:
    assert cache_format(asked, engine, name, native) == kept


@pytest.mark.parametrize("model", ["Llama-3.1-8B", "Qwen2.5-32B"])
@pytest.mark.parametrize("form", ["fp8", "bf16"])
def test_memory_counts_the_cache_that_speed_reads(model: str, form: str) -> None:
    def cache(kv_format: str) -> int:
        found = estimate_memory(
            MemoryRequest(
                task="inference", model=model, weight_format=form, engine="tensorrt-llm", context_tokens=8192,
                concurrent_sequences=4, kv_format=kv_format,
            )
        )  # fmt: skip
        return sum(part.bytes for part in found.per_gpu.parts if part.name == "kv_cache")

    assert cache("bf16") > 0
    assert cache("auto") == cache("fp8" if form == "fp8" else "bf16")
