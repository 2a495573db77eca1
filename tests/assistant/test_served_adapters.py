"""Adapters that a server holds beside a model: counted, told, and never taken for training."""

import pytest

from assistant.ground import ground
from tests.assistant.planning import talk, turn
from tools.memory import estimate_memory
from tools.memory.request import MemoryRequest


@pytest.mark.parametrize(
    ("text", "adapters", "rank"),
    [
        ("How much extra VRAM do 50 LoRA adapters of rank 16 take when serving Llama 3.1 8B with vLLM?", 50, 16),
        ("Llama-2-7B on one H100, every request in a batch of 16 has its own LoRA. Memory please", 16, None),
        ("Can an L40S serve Qwen3-14B with 8 adapters of rank 64?", 8, 64),
        ("multi-LoRA with 100 adapters on Llama 3.1 70B FP8, 2 H100: does it fit?", 100, None),
        ("vllm --max-loras 4 --max-lora-rank 64 with Qwen3-8B on a 4090: memory?", 4, 64),
        ("一个 Qwen2.5-7B 底座挂 20 个 LoRA，rank 32，显存要多留多少", 20, 32),
        ("4 张 4090 部署 Qwen2.5-32B AWQ，同时加载 10 个 lora 够吗", 10, None),
    ],
)
def test_served_adapters_are_counted_and_told(text: str, adapters: int, rank: int | None) -> None:
    understanding, records, draft = turn(text)
    need = understanding.need
    assert (need.task, need.adapters, need.lora_rank) == ("inference", adapters, rank)
    sized = [record for record in records if record.tool == "estimate_memory"]
    assert all(record.request.get("served_adapters") == adapters for record in sized)
    assert f"{adapters}" in draft.answer.split("|", 1)[0]
    assert not any(record.tool == "estimate_training_time" for record in records)
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    "text",
    [
        "How much extra VRAM do 50 LoRA adapters of rank 16 take when serving Llama 3.1 8B with vLLM?",
        "一个 Qwen2.5-7B 底座挂 20 个 LoRA，rank 32，显存要多留多少",
    ],
)
def test_what_they_take_comes_first_where_that_is_asked(text: str) -> None:
    assert turn(text)[2].answer.startswith(("**50 LoRA adapters", "**20 个 rank 32"))


def test_another_number_and_another_rank_are_follow_ups() -> None:
    first = "How much extra VRAM do 50 LoRA adapters of rank 16 take when serving Llama 3.1 8B with vLLM?"
    need = talk(first, "and rank 64", "200 of them?")[0].need
    assert (need.adapters, need.lora_rank, need.gpu_count) == (200, 64, None)


@pytest.mark.parametrize(
    "text",
    [
        "fine-tune 5 LoRA adapters on Qwen3-8B with a 4090",
        "用 LoRA 微调 Qwen3-8B，rank 64，4090 够吗",
        "LoRA rank 16 on Qwen3-8B, one 4090, 3 epochs",
    ],
)
def test_adapters_to_train_are_not_served(text: str) -> None:
    need = turn(text)[0].need
    assert need.task == "lora"
    assert need.adapters is None


def adapter_bytes(**request: object) -> int:
    result = estimate_memory(MemoryRequest.model_validate({"model": "meta-llama/Meta-Llama-3.1-8B", **request}))
    return sum(part.bytes for part in result.per_gpu.parts if part.name == "adapters")


def test_adapters_grow_with_their_number_and_rank_and_split_by_half() -> None:
    one = adapter_bytes(served_adapters=1, lora_rank=16)
    # 16 · 2 bytes · 32 layers · the inputs and outputs of seven matrices of Llama 3.1 8B.
    ends = (4096 + 4096) * 2 + (4096 + 1024) * 2 + (4096 + 14336) * 3
    assert one == 16 * 2 * 32 * ends
    assert adapter_bytes(served_adapters=50, lora_rank=16) == 50 * one
    assert adapter_bytes(served_adapters=1, lora_rank=64) == 4 * one
    assert adapter_bytes(served_adapters=1, lora_rank=16, tensor_parallel=2) == one * 3 // 4
    assert adapter_bytes() == 0
