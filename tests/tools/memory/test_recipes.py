"""How published checkpoints and engines depart from one number of bits a weight and one cache rule a layer."""

import pytest

from kb.units import GIB
from tools.memory import estimate_memory
from tools.memory.formats import canonical
from tools.memory.request import MemoryRequest


def part(name: str, **fields: object) -> int:
    result = estimate_memory(MemoryRequest.model_validate(fields))
    return sum(row.bytes for row in result.per_gpu.parts if row.name == name)


@pytest.mark.parametrize(
    ("fields", "measured_gib"),
    [
        # "Pre-loading model weights … took 79.41 GiB of device memory": vLLM on eight cards, vllm-fork issue 809
        pytest.param({"model": "deepseek-ai/DeepSeek-R1", "tensor_parallel": 8}, 79.41, id="deepseek-r1-tp8"),
        # 64 files of just under 10 GB; "~555 GB" on the card of a pruned copy, counted in binary units
        pytest.param({"model": "moonshotai/Kimi-K2.6"}, 555, id="kimi-k2.6-int4-experts"),
        pytest.param(
            {"model": "zai-org/GLM-4-32B-0414", "engine": "llama.cpp", "weight_format": "gguf:Q4_0"},
            (499.50 + 17284.05) / 1024,  # CPU and CUDA0 buffers of the log of ik_llama.cpp pull request 333
            id="glm-4-32b-q4_0",
        ),
    ],
)
def test_published_checkpoints_are_what_engines_load(fields: dict[str, object], measured_gib: float) -> None:
    assert part("weights", **fields) / GIB == pytest.approx(measured_gib, rel=0.01)


@pytest.mark.parametrize("name", ["Q2_K_XL", "UD-Q4_K_XL", "UD-Q3_K_XL", "gguf:Q6_K_XL", "UD-IQ2_XXS"])
def test_dynamic_mixes_are_known(name: str) -> None:
    assert canonical(name).startswith("gguf:")


def test_experts_alone_are_quantised_where_published_so() -> None:
    own = part("weights", model="moonshotai/Kimi-K2-Thinking")
    everything = part("weights", model="moonshotai/Kimi-K2-Instruct", weight_format="int4")
    assert own > 1.05 * everything


def test_latent_attention_stays_wide_in_nvfp4() -> None:
    quantised = part("weights", model="deepseek-ai/DeepSeek-R1", weight_format="nvfp4", engine="tensorrt-llm")
    all_at_four_and_a_half = 671e9 * 4.5 / 8
    assert 1.03 * all_at_four_and_a_half < quantised < 1.12 * all_at_four_and_a_half


def test_down_projections_of_latent_attention_are_replicated() -> None:
    model = {"model": "deepseek-ai/DeepSeek-V3", "weight_format": "bf16", "engine": "tensorrt-llm"}
    extra = part("weights", **model, tensor_parallel=8) - part("weights", **model) / 8
    routers = 58 * 256 * 7168
    assert extra == pytest.approx((61 * 7168 * (1536 + 512 + 64) + routers) * 2 * 7 / 8, rel=0.01)


@pytest.mark.parametrize(
    ("model", "engine", "version", "kept"),
    [
        pytest.param("mistralai/Mistral-7B-v0.1", "llama.cpp", None, 32_768, id="plain-to-llama.cpp"),
        pytest.param("mistralai/Mistral-7B-v0.1", "transformers", None, 4096, id="all-slide"),
        pytest.param("mistralai/Mistral-7B-v0.1", "litgpt", None, 32_768, id="litgpt-masks-only"),
        pytest.param("mistralai/Mistral-7B-v0.1", "vllm", "0.6", 4096 + 16, id="vllm-all-slide"),
    ],
)
def test_windows_are_kept_as_the_engine_keeps_them(model: str, engine: str, version: str | None, kept: int) -> None:
    size = part("kv_cache", model=model, engine=engine, engine_version=version, context_tokens=32_768)
    assert size == 2 * 32 * 8 * 128 * 2 * kept


def test_old_vllm_kept_local_layers_of_mixed_models_whole() -> None:
    fields = {"model": "google/gemma-3-27b-it", "engine": "vllm", "context_tokens": 32_768}
    old = part("kv_cache", **fields, engine_version="0.8.5")
    new = part("kv_cache", **fields, engine_version="0.10.0")
    assert old == 62 * 2 * 16 * 128 * 2 * 32_768
    assert new < 0.25 * old


def test_experts_that_take_turns_need_one_place() -> None:
    together = part("weights", model="Wan-AI/Wan2.2-T2V-A14B")
    in_turn = part("weights", model="Wan-AI/Wan2.2-T2V-A14B", offload="components")
    assert in_turn == pytest.approx(together / 2, rel=0.02)


def test_embedding_decoder_copies_no_cache() -> None:
    fields = {"model": "Qwen/Qwen3-Embedding-8B", "concurrent_sequences": 32, "context_tokens": 512}
    assert part("buffers", **fields) == 0
    assert part("activations", **fields) > GIB
