"""Several models on one machine, and the models for a machine where none is named."""

from typing import Any

from kb.units import GIB
from tools.registry import tool
from tools.ways_to_run.result import WaysToRun


def find(**fields: Any) -> WaysToRun:
    """The tool, by its name."""
    found = tool("find_ways_to_run").call(fields)
    assert isinstance(found, WaysToRun)
    return found


def test_two_models_share_a_card_within_its_memory() -> None:
    found = find(cards="A100 80GB", works=[{"model": "Qwen3-32B", "engine": "vllm"},
                                           {"model": "Qwen3-8B", "engine": "vllm"}])  # fmt: skip
    assert found.together is not None
    shares = found.together.shares

    assert found.together.mode == "side_by_side"
    assert sum(share.gpu_memory_utilization or 1 for share in shares) <= 1
    assert all(share.way and f"--gpu-memory-utilization {share.gpu_memory_utilization:g}" in share.way.flags
               for share in shares)  # fmt: skip


def test_two_models_take_a_card_each_where_there_are_two() -> None:
    found = find(cards="2x 3090", works=[{"model": "Qwen3-14B", "engine": "vllm"},
                                         {"model": "Qwen3-8B", "engine": "vllm"}])  # fmt: skip
    assert found.together is not None

    assert [share.way.command.split()[0] for share in found.together.shares if share.way] == [
        "CUDA_VISIBLE_DEVICES=0", "CUDA_VISIBLE_DEVICES=1",
    ]  # fmt: skip


def test_models_that_would_lose_too_much_together_are_loaded_in_turn() -> None:
    found = find(cards="4090", works=[{"model": "Qwen3-32B"}, {"model": "Qwen2.5-32B-Instruct"}])
    assert found.together is not None

    assert found.together.mode == "in_turn"
    assert found.answer.verdict == "fits_with_changes"
    assert len(found.ways) == 2


def test_a_model_that_does_not_fit_alone_is_named() -> None:
    found = find(cards="4090", works=[{"model": "DeepSeek-R1"}, {"model": "Qwen3-8B"}])

    assert found.answer.verdict == "does_not_fit"
    assert "DeepSeek-R1" in found.answer.said


def test_without_a_model_those_that_fit_are_named_with_their_ways() -> None:
    found = find(cards="4060 Ti 16GB", host_memory="64GB")

    assert found.models
    assert all(one.way is not None and one.way.speed is not None for one in found.models)
    assert any(one.way and one.way.layout.offload for one in found.models)


def test_an_embedding_model_takes_its_memory_beside_a_language_model() -> None:
    alone = find(cards="4090", works=[{"model": "Qwen3-14B", "engine": "vllm"}])
    beside = find(cards="4090", works=[{"model": "Qwen3-14B", "engine": "vllm"}, {"model": "BAAI/bge-m3"}])
    assert beside.together is not None
    language, embedding = beside.together.shares

    assert embedding.way is None
    assert 0 < embedding.memory_share_bytes_per_gpu < 6 * GIB
    assert language.way is not None
    assert language.way.memory.usable_bytes_per_gpu < alone.ways[0].memory.usable_bytes_per_gpu


def test_of_unlike_cards_each_model_gets_the_one_that_suits_it() -> None:
    found = find(cards="3060 12GB + 4090", works=[{"model": "Qwen3-32B"}, {"model": "Qwen3-4B"}])
    assert found.together is not None

    assert [share.way.command.split()[0] for share in found.together.shares if share.way] == [
        "CUDA_VISIBLE_DEVICES=1", "CUDA_VISIBLE_DEVICES=0",
    ]  # fmt: skip


def test_three_models_on_three_cards_each_have_flags_for_their_own() -> None:
    found = find(cards="4x 3090", works=[{"model": "Qwen3-32B"}, {"model": "Qwen3-14B"}, {"model": "Qwen3-8B"}])
    assert found.together is not None
    devices = [share.way.command.split()[0].removeprefix("CUDA_VISIBLE_DEVICES=").split(",")
               for share in found.together.shares if share.way]  # fmt: skip

    assert sorted(device for one in devices for device in one) == ["0", "1", "2", "3"]
