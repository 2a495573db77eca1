"""The cheapest change that makes a workload fit, and what it costs."""

import pytest

from tools.memory import estimate_memory
from tools.memory.request import MemoryRequest
from tools.memory.result import MemoryEstimate


def estimate(**fields: object) -> MemoryEstimate:
    return estimate_memory(MemoryRequest.model_validate(fields))


def test_every_change_saves_what_it_says_and_fits() -> None:
    result = estimate(model="Qwen/Qwen2.5-32B", gpu="h100-sxm-80gb", context_tokens=32_768, concurrent_sequences=32)
    assert result.fit is not None
    assert result.fit.verdict == "no"
    assert result.changes
    for change in result.changes:
        assert change.saves_bytes == pytest.approx(result.per_gpu.total_bytes - change.total_bytes, abs=64)
        assert change.total_bytes <= result.fit.usable_bytes
        assert change.costs


def test_a_change_can_be_made_as_it_is_said() -> None:
    fields = {"model": "Qwen/Qwen2.5-32B", "gpu": "h100-sxm-80gb", "context_tokens": 32_768, "concurrent_sequences": 32}
    change = next(change for change in estimate(**fields).changes if change.change.startswith("concurrent_sequences"))
    name, value = change.change.split(" = ")
    again = estimate(**{**fields, name: int(value)})
    assert again.per_gpu.total_bytes == pytest.approx(change.total_bytes, abs=64)
    assert again.fit is not None
    assert again.fit.verdict == change.verdict


def test_each_field_is_changed_no_further_than_needed() -> None:
    result = estimate(model="Qwen/Qwen2.5-7B", gpu="rtx-4090", context_tokens=131_072, concurrent_sequences=4)
    names = [change.change.split(" = ")[0] for change in result.changes]
    assert len(names) == len(set(names))
    shorter = next(change for change in result.changes if change.change.startswith("context_tokens"))
    assert shorter.change in ("context_tokens = 16384", "context_tokens = 32768")


def test_changes_pile_up_where_none_is_enough() -> None:
    result = estimate(
        model="Qwen/Qwen2.5-7B", task="full_finetune", gpu="a100-sxm-80gb", gradient_checkpointing="none",
        micro_batch_size=4,
    )  # fmt: skip
    (only,) = result.changes
    assert only.change.startswith("gradient_checkpointing = full and ")
    assert only.verdict != "no"


def test_nothing_is_to_change_where_it_fits() -> None:
    assert estimate(model="Qwen/Qwen2.5-7B", gpu="h100-sxm-80gb").changes == ()


@pytest.mark.parametrize("model", ["deepseek-ai/DeepSeek-V3", "moonshotai/Kimi-K2-Instruct"])
def test_training_a_large_mixture_takes_a_cluster_that_is_counted(model: str) -> None:
    rows = {row.gpu: row for row in estimate(model=model, task="full_finetune").minimum_gpus}
    assert "expert_parallel = 8" in rows["h200-sxm-141gb"].layout
    assert 64 <= rows["h200-sxm-141gb"].count <= 256
    assert "rtx-4090-24gb" not in rows


def test_counted_layout_is_one_that_can_be_asked_for() -> None:
    row = next(row for row in estimate(model="Qwen/Qwen2.5-72B").minimum_gpus if row.gpu == "h100-sxm-80gb")
    assert row.layout == f"tensor_parallel = {row.count}"


def test_experts_are_not_divided_twice() -> None:
    def weights(ways: int) -> int:
        result = estimate(
            model="Qwen/Qwen3-30B-A3B", task="full_finetune", engine="fsdp", sharding="fsdp", data_parallel=8,
            expert_parallel=ways,
        )  # fmt: skip
        return sum(part.bytes for part in result.per_gpu.parts if part.name == "weights")

    assert weights(8) == pytest.approx(weights(1), rel=1e-6)  # eight ranks hold all experts once, either way
