"""Sizes of error texts by the words beside them, in whatever order a program tells them."""

import pytest

from kb.units import GIB, MIB
from tools.oom.cause import signature_of
from tools.oom.diagnose import diagnose_oom
from tools.oom.quantities import folded, quantities
from tools.oom.request import OomRequest

TEXTS = [
    pytest.param("oom: want 3.5 GiB | total 22 GiB | free 2.25 GiB",
                 {"requested": 3.5, "total": 22, "free": 2.25}, id="bars"),
    pytest.param("insufficient VRAM: 15 GB required, 11.5 GB available", {"requested": 15, "free": 11.5}, id="behind"),
    pytest.param("not enough memory: requested 6144 MiB, only 2048 MiB free of 16384 MiB total",
                 {"requested": 6, "free": 2, "total": 16}, id="mib"),
    pytest.param("Allocated : 5.5 GiB\nRequested : 1.5 GiB\nDevice limit : 8 GiB\nFree (by the driver): 0 bytes",
                 {"allocated": 5.5, "requested": 1.5, "total": 8, "free": 0}, id="colons"),
    pytest.param("显存不足：申请 3GB，总显存 16GB，剩余 1.5GB", {"requested": 3, "total": 16, "free": 1.5}, id="zh"),
    pytest.param("buffer size 4.5 GB, in use 20 GB (max 24 GB)", {"requested": 4.5, "allocated": 20, "total": 24},
                 id="brackets"),
    pytest.param("could not load the file of 4.5 GB in 3 s", {}, id="none"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), TEXTS)
def test_sizes_are_what_the_words_beside_them_say(text: str, expected: dict[str, float]) -> None:
    found = quantities(folded(text)).model_dump(exclude_none=True)

    assert {name: found.get(f"{name}_bytes") for name in expected} == {
        name: round(value * GIB) for name, value in expected.items()
    }
    assert set(found) == {f"{name}_bytes" for name in expected}


def test_a_wording_that_is_known_keeps_its_own_figures() -> None:
    text = "CUDA out of memory. Tried to allocate 512 MiB (GPU 0; 11 GiB total capacity; 9 GiB already allocated)"

    assert quantities(text).requested_bytes == 512 * MIB


def test_parts_above_the_whole_are_left_out_together() -> None:
    assert quantities("total 8 GB, free 12 GB").model_dump(exclude_none=True) == {}


def test_more_wanted_than_free_is_memory_that_ran_out_whatever_the_words() -> None:
    found = signature_of("cannot place the model: wants 20 GB, free 11 GB")

    assert found is not None
    assert found.id == "plain"
    assert signature_of("the model wants 20 GB, free 31 GB") is None
    assert signature_of("plan: memory required 20 GB, available 11 GB, 20 of 40 layers offloaded") is None


def test_what_neither_tensors_nor_free_memory_account_for_is_held_by_others() -> None:
    text = "out of memory. allocated: 5 GiB, requested: 1 GiB, device limit: 8 GiB, free: 0.5 GiB"
    found = diagnose_oom(OomRequest(error_text=text))

    assert found.cause == "other_process"
    assert [one.cause for one in found.other_causes] == ["unknown"]


@pytest.mark.parametrize("engine", ["vllm", "llama.cpp", "tensorrt-llm", "sglang"])
def test_no_program_is_given_the_settings_of_hugging_face(engine: str) -> None:
    found = diagnose_oom(OomRequest.model_validate(
        {"error_text": "out of memory", "engine": engine, "model": "Qwen3-14B", "gpu": "RTX 4090",
         "context_tokens": 65536, "concurrent_sequences": 8}))  # fmt: skip

    assert found.fixes
    assert not any(
        word in one.setting for one in found.fixes for word in ("cache_implementation", "max_length=", "device_map")
    )
