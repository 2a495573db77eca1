"""Error texts of many programs, abridged, and what they prove."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.base import BadInput
from kb.oom import oom_facts
from kb.units import GIB, MIB
from tools.oom import diagnose_oom
from tools.oom.quantities import READ_MAX, folded, quantities
from tools.oom.request import OomRequest
from tools.oom.result import OomDiagnosis

OLD = (
    "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 10.76 GiB total capacity; 9.71 GiB already "
    "allocated; 5.31 MiB free; 9.77 GiB reserved in total by PyTorch)"
)


def diagnosed(text: str | None, **fields: Any) -> OomDiagnosis:
    return diagnose_oom(OomRequest.model_validate({"error_text": text, **fields}))


CASES = yaml.safe_load((Path(__file__).parents[2] / "cases" / "oom_texts.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_the_words_prove_the_cause(case: dict[str, str]) -> None:
    found = diagnosed(case["text"])
    assert (found.software, found.where, found.cause) == (case["software"], case["where"], case["cause"])
    assert found.signature is not None


def test_an_optimizer_or_a_loss_is_likely_and_says_so() -> None:
    found = diagnosed(OLD + " optimizer.step()")
    assert found.basis == "likely"
    assert found.warnings


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(CASES[0]["text"],
                     {"requested_bytes": 2 * GIB, "total_bytes": round(23.64 * GIB), "free_bytes": round(1.31 * GIB),
                      "allocated_bytes": round(18.1 * GIB), "idle_bytes": round(3.75 * GIB), "device": 0}, id="new"),
        pytest.param(OLD, {"requested_bytes": 20 * MIB, "total_bytes": round(10.76 * GIB),
                           "free_bytes": round(5.31 * MIB),
                           "allocated_bytes": round(9.71 * GIB), "reserved_bytes": round(9.77 * GIB)}, id="old"),
        pytest.param("allocating 22528.00 MiB on device 1: cudaMalloc failed",
                     {"requested_bytes": 22 * GIB, "device": 1}, id="llamacpp"),
        pytest.param("failed to allocate CUDA0 buffer of size 1073741824", {"requested_bytes": GIB}, id="bytes"),
        pytest.param("max seq len (32768) is larger than the maximum number of tokens that can be stored in KV cache "
                     "(7344)",
                     {"context_tokens": 32768, "cache_tokens": 7344}, id="tokens"),
    ],
)  # fmt: skip
def test_figures_are_read_in_binary_units(text: str, expected: dict[str, int]) -> None:
    read = quantities(folded(text)).model_dump()
    assert {key: read[key] for key in expected} == expected


def test_lines_that_a_terminal_wrapped_are_read_alike() -> None:
    assert quantities(folded(OLD.replace(" ", "\n   "))) == quantities(folded(OLD))


def test_figures_the_text_lacks_stay_null() -> None:
    assert quantities(folded("CUDA error: out of memory")).model_dump(exclude_none=True) == {}


SERVING = {"model": "llama-3.1-70b", "gpu": "a100-sxm-80gb", "context_tokens": 32768, "concurrent_sequences": 8}
TRAINING = {
    "model": "llama-3.1-8b", "task": "full_finetune", "gpu": "rtx-4090", "micro_batch_size": 4, "sequence_tokens": 4096,
    "data_parallel": 2, "sharding": "zero2",
}  # fmt: skip


@pytest.mark.parametrize("settings_run", [SERVING, TRAINING], ids=["serving", "training"])
def test_each_fix_saves_and_fixes_pile_up(settings_run: dict[str, Any]) -> None:
    found = diagnosed("CUDA out of memory", **settings_run)
    reckoned = [fix for fix in found.fixes if fix.total_bytes is not None]
    assert len(reckoned) >= 3
    assert found.estimate is not None
    for fix in reckoned:
        assert fix.saves_bytes is not None
        assert fix.total_bytes is not None
        assert fix.saves_bytes > 0
        assert fix.saves_bytes + fix.total_bytes == found.estimate.total_bytes
        assert fix.setting
    together = [fix.together_bytes for fix in reckoned if fix.together_bytes is not None]
    assert together == sorted(together, reverse=True)
    assert reckoned[-1].together_verdict == "yes"


def test_flags_are_those_of_the_program_that_failed() -> None:
    found = diagnosed("ValueError: No available memory for the cache blocks.", **SERVING)
    written = {fix.change: fix.setting for fix in found.fixes}
    assert written["kv_format"] == "--kv-cache-dtype fp8"
    assert written["tensor_parallel"] == "--tensor-parallel-size 2"


def test_a_server_that_found_too_little_free_is_told_to_reserve_what_is_free() -> None:
    text = next(case["text"] for case in CASES if case["id"] == "vllm-not-free")
    assert "--gpu-memory-utilization 0.5" in {fix.setting for fix in diagnosed(text).fixes}


def test_host_memory_is_no_matter_of_the_card() -> None:
    found = diagnosed("Killed", **TRAINING)
    assert found.where == "host"
    assert all(fix.total_bytes is None for fix in found.fixes)


def test_one_card_that_holds_all_is_seen_by_its_figures() -> None:
    found = diagnosed(
        "CUDA out of memory. 70.0 GiB already allocated", model="llama-3.1-70b", gpu="a100-sxm-80gb", tensor_parallel=8
    )
    assert found.cause == "one_card_holds_all"


def test_without_text_and_model_there_is_nothing_to_diagnose() -> None:
    with pytest.raises(BadInput, match="error_text"):
        diagnosed(None)


def test_every_remedy_can_be_written_for_every_program() -> None:
    for change, ways in oom_facts().settings.items():
        for text in ways.values():
            assert text.format(value=4, times=2), change


@settings(max_examples=60, deadline=None)
@given(
    st.text(max_size=400)
    | st.sampled_from([case["text"] for case in CASES]).flatmap(lambda text: st.text(max_size=40).map(text.__add__))
)
def test_any_text_is_diagnosed_or_refused(text: str) -> None:
    with suppress(BadInput):
        assert diagnosed(text).cause


def test_of_a_long_log_both_ends_are_read() -> None:
    log = OLD + "\nstep" * 100_000
    assert len(folded(log)) <= 2 * READ_MAX + 1
    assert diagnosed(log[:200_000]).signature == "torch"
    assert folded("x" * 300_000 + " " + OLD).endswith("PyTorch)")


def test_narrower_weights_come_before_cards_still_to_be_bought_and_after_idle_ones() -> None:
    served = {"model": "Qwen/Qwen3-32B", "gpu": "rtx-4090", "tensor_parallel": 2, "context_tokens": 32768}
    every_card = [fix.change for fix in diagnosed(None, **served, gpu_count=2).fixes]
    with_idle = [fix.change for fix in diagnosed(None, **served, gpu_count=4).fixes]
    assert "tensor_parallel" not in every_card[: every_card.index("weight_format")]
    assert with_idle.index("tensor_parallel") < with_idle.index("weight_format")


def test_some_change_that_is_enough_alone_is_told() -> None:
    found = diagnosed(
        None, model="Qwen/Qwen3-32B", gpu="rtx-4090", tensor_parallel=2, context_tokens=32768, gpu_count=2
    )
    assert any(fix.verdict == "yes" for fix in found.fixes)


@pytest.mark.parametrize(("engine", "offered"), [("comfyui", {"fp8", "gguf:Q4_K_S"}), ("diffusers", {"int8", "nf4"})])
def test_weights_of_a_picture_model_are_offered_in_formats_its_program_reads(engine: str, offered: set[str]) -> None:
    found = diagnosed(None, model="black-forest-labs/FLUX.1-dev", gpu="rtx-3060-12gb", engine=engine,
                      weight_format="bf16")  # fmt: skip
    assert {fix.value for fix in found.fixes if fix.change == "weight_format"} == offered
