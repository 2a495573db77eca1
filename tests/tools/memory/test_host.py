"""Weights that the cards cannot hold and the host's memory takes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.base import BadInput
from kb.units import GIB
from tools.memory import estimate_memory
from tools.memory.request import MemoryRequest
from tools.memory.result import HostShare, MemoryEstimate


def split(
    host_gib: float, *, gpus: int = 1, model: str = "openai/gpt-oss-120b", form: str = "gguf:MXFP4"
) -> MemoryEstimate:
    return estimate_memory(
        MemoryRequest.model_validate(
            {
                "model": model, "engine": "llama.cpp", "weight_format": form, "gpu": "rtx-5090-32gb",
                "host_memory_bytes": int(host_gib * GIB), "pipeline_parallel": gpus,
            }
        )
    )  # fmt: skip


def share(estimate: MemoryEstimate) -> HostShare:
    assert estimate.fit is not None
    assert estimate.fit.host is not None
    return estimate.fit.host


def test_what_the_cards_cannot_hold_is_what_the_host_must() -> None:
    estimate = split(64)
    assert estimate.fit is not None
    assert share(estimate).bytes == -estimate.fit.headroom_bytes
    assert share(estimate).verdict == "yes"


def test_host_memory_is_not_all_for_weights() -> None:
    assert share(split(64)).usable_bytes < 64 * GIB


def test_too_little_host_memory_is_a_no() -> None:
    assert share(split(16)).verdict == "no"


def test_cards_that_suffice_leave_nothing_to_the_host() -> None:
    estimate = split(64, gpus=4)
    assert estimate.fit is not None
    assert estimate.fit.verdict == "yes"
    assert estimate.fit.host is None


def test_the_step_can_be_redone_by_hand() -> None:
    estimate = split(64)
    step = next(step for step in estimate.derivation if step.label == "weights left to host memory")
    assert step.value == share(estimate).bytes


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"engine": "vllm"}, id="an-engine-that-splits-nothing"),
        pytest.param({"task": "lora"}, id="training"),
    ],
)
def test_host_memory_for_anything_else_is_refused_by_field(fields: dict[str, str]) -> None:
    request = {"model": "Qwen/Qwen3-8B", "gpu": "rtx-4090-24gb", "host_memory_bytes": 64 * GIB} | fields
    with pytest.raises(BadInput, match="host_memory_bytes"):
        estimate_memory(MemoryRequest.model_validate(request))


@given(st.floats(min_value=1, max_value=4096), st.floats(min_value=0, max_value=4096))
def test_more_host_memory_never_holds_less(less: float, more: float) -> None:
    order = ("no", "tight", "yes")
    smaller, larger = (share(split(size)).verdict for size in (less, less + more))
    assert order.index(larger) >= order.index(smaller)
