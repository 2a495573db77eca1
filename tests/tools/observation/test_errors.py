"""Error texts: which wording is recognised, what is read from it, and what it points at."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from kb.base import BadInput
from kb.units import GIB
from tools.observation import explain_observation
from tools.observation.request import ObservationRequest
from tools.observation.result import Explanation
from tools.registry import tool

CASES = yaml.safe_load((Path(__file__).parents[2] / "cases" / "observed_errors.yaml").read_text(encoding="utf-8"))
OOM = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.50 GiB. GPU 0 has a total capacity of 23.60 GiB "
    "of which 0.20 GiB is free. Including non-PyTorch memory, this process has 23.30 GiB memory in use. Of the "
    "allocated memory 22.60 GiB is allocated by PyTorch, and 0.20 GiB is reserved by PyTorch but unallocated."
)

SIGNED = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx.c2lnbmF0dXJl"


def explained(text: str, **fields: Any) -> Explanation:
    return explain_observation(ObservationRequest.model_validate({"error_text": text, **fields}))


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_the_wording_tells_the_cause(case: dict[str, Any]) -> None:
    found = explained(case["text"])
    assert found.error_read is not None
    assert (found.error_read.id, found.error_read.kind) == (case["wording"], case["kind"])
    if "first" in case:
        assert found.causes[0].id == found.answer.cause == case["first"]
    read = found.error_read.quantities.model_dump()
    assert {name: read[name] for name in case.get("quantities", {})} == case.get("quantities", {})
    assert case.get("facts", {}).items() <= found.error_read.facts.items()


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_lines_before_and_after_do_not_hide_a_wording(case: dict[str, Any]) -> None:
    log = "INFO 11-06 08:17:48 loading\n" * 40 + case["text"] + "\n" + "  at frame #3 0x7f3c\n" * 40
    found = explained(log)
    assert found.error_read is not None
    assert found.error_read.id == case["wording"]


def test_a_text_without_any_wording_is_not_used_and_said_so() -> None:
    found = explained("everything went well, loss 1.92 after 300 steps")
    assert found.error_read is None
    assert any("no wording" in warning for warning in found.warnings)


def test_memory_that_ran_out_is_answered_with_the_figure_after_the_fix() -> None:
    found = explained(
        OOM, model="qwen3-8b", task="lora", cards="RTX 3090", micro_batch_size=4, sequence_tokens=4096,
        gradient_checkpointing=False,
    )  # fmt: skip
    first = found.causes[0]
    assert found.error_read is not None
    assert found.error_read.quantities.requested_bytes == round(1.5 * GIB)
    assert first.setting
    assert first.figure_after is not None
    assert first.figure_after.unit == "bytes"


def test_figures_beside_a_text_are_judged_as_well() -> None:
    found = explained(OOM, model="llama-2-7b", task="lora", cards="RTX 3090", micro_batch_size=1, sequence_tokens=2048,
                      seen={"memory_bytes": "23.3GB", "memory_at": "first_step"})  # fmt: skip
    assert found.answer.verdict == "high"
    assert found.error_read is not None


def test_a_text_beyond_the_bound_is_refused() -> None:
    with pytest.raises(BadInput) as refusal:
        tool("explain_observation").call({"error_text": "x" * 20_001})
    assert refusal.value.field == "error_text"


@pytest.mark.parametrize(
    ("secret", "text"),
    [
        pytest.param("hf_AbCdEfGhIjKlMnOpQrSt", "HF_TOKEN=hf_AbCdEfGhIjKlMnOpQrSt ", id="hub"),
        pytest.param("sk-proj-1234567890abcdefghij", "key sk-proj-1234567890abcdefghij ", id="api"),
        pytest.param("hunter2secret9", "password: hunter2secret9 ", id="password"),
        pytest.param("s3cr3tpass", "redis://user:s3cr3tpass@10.0.0.4:6379 ", id="url"),
        pytest.param(SIGNED, f"Bearer {SIGNED} ", id="jwt"),
        pytest.param("AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE ", id="cloud"),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "after", ["CUDA out of memory. Tried to allocate 2.00 GiB", "Xid 79", "an illegal memory access was encountered"]
)
def test_nothing_told_again_holds_a_secret(secret: str, text: str, after: str) -> None:
    assert secret not in explained(text + after).model_dump_json()


@pytest.mark.parametrize(
    "kept", ["max_new_tokens=512", "Timeout(ms)=600000", "--max-num-batched-tokens 8192", "tokens per second: 122.5"]
)
def test_what_is_no_secret_stays(kept: str) -> None:
    from kb.artifacts.mask import masked

    assert masked(kept) == kept


def test_a_build_that_failed_is_no_lack_of_memory_though_memory_was_told_beside_it() -> None:
    found = explained(
        "ninja: build stopped: subcommand failed.", symptom="CUDA out of memory before, now this",
        model="Qwen/Qwen2.5-7B-Instruct", cards="2x 3090", task="full_finetune",
    )  # fmt: skip
    assert found.causes[0].id == "op_build_failed"


def test_the_room_that_a_share_leaves_for_the_cache_is_reckoned() -> None:
    found = explained(
        "ValueError: No available memory for the cache blocks.", model="Qwen/Qwen2.5-14B-Instruct", cards="L4",
        engine="vllm", context_tokens=4096, gpu_memory_utilization=0.8,
    )  # fmt: skip
    assert found.causes[0].id == "oom_no_cache"
    assert "0.8 ×" in found.causes[0].what.en
    assert "= −" in found.causes[0].what.en  # 29.5 GB of weights against 0.8 × 22.5 GiB
    assert "oom_weights" not in {one.id for one in found.causes if one.basis == "stated"}


@pytest.mark.parametrize(
    ("asked", "fields", "length"),
    [
        pytest.param("640.00 GiB", {"model": "Qwen2.5-VL-3B", "cards": "4x A100 40GB"}, "146,543", id="vl"),
        pytest.param("256.00 GiB", {"cards": "1x 4090"}, "92,682", id="unnamed"),  # sqrt(2^38 / (16 · 2))
    ],
)  # fmt: skip
def test_a_request_of_several_cards_is_a_square_of_scores(asked: str, fields: dict[str, Any], length: str) -> None:
    found = explained(f"CUDA out of memory. Tried to allocate {asked}", task="full_finetune", **fields)
    assert found.causes[0].id == "oom_quadratic"
    assert length in found.causes[0].what.en


def test_a_request_that_a_card_could_hold_is_none() -> None:
    found = explained("CUDA out of memory. Tried to allocate 20.00 GiB", cards="1x 4090", task="full_finetune")
    assert "oom_quadratic" not in {one.id for one in found.causes}
