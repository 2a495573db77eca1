"""Offloading as it is asked for: what leaves the cards, where it lies, and how much of it that takes."""

from typing import Any

import pytest

from kb.units import GIB
from tests.tools.ways_to_train.problems import found
from tools.ways_to_train.request import WaysToTrainRequest, offload_of


@pytest.mark.parametrize(
    ("said", "offload"),
    [
        ("zero3 offload", "all"), ("ZeRO-3 with CPU offloading", "all"), ("deepspeed stage 3, offload params", "all"),
        ("zero2 offload", "optimizer"), ("ZeRO-3 + optimizer offload", "optimizer"), ("fsdp cpu offload", "all"),
        ("zero-infinity", "nvme"), ("stage 3 nvme offload", "nvme"), ("zero3 no offload", None), ("zero3", None),
        ("FSDP", None), ("zero3 卸载", "all"), ("zero2 优化器卸载", "optimizer"),
    ],
)  # fmt: skip
def test_what_is_said_of_offloading_is_read(said: str, offload: str | None) -> None:
    assert offload_of(said) == offload


def test_words_beside_the_sharding_are_the_offload_of_the_request() -> None:
    asked = {
        "model": "Qwen/Qwen3-8B",
        "method": "full",
        "cards": "2x A100 80GB",
        "sharding": "DeepSpeed ZeRO-3 offload",
    }
    request = WaysToTrainRequest.model_validate(asked)

    assert (request.sharding, request.offload) == ("zero3", "all")


FULL: dict[str, Any] = {"model": "Qwen/Qwen3-14B", "method": "full", "cards": "4x A100 80GB", "host_memory": "1TB"}


@pytest.mark.parametrize(
    ("sharding", "offload"), [("zero3 offload", "all"), ("zero2 offload", "optimizer"), ("fsdp offload", "all")]
)
def test_what_was_asked_is_what_leads(sharding: str, offload: str) -> None:
    answer = found({**FULL, "sharding": sharding})

    assert {way.offload for way in answer.ways} == {offload}
    assert {way.sharding for way in answer.ways} == {sharding.split()[0]}


@pytest.mark.parametrize(("sharding", "each"), [("zero3 offload", 18), ("zero2 offload", 16)])
def test_the_host_holds_the_states_and_up_to_half_as_much_again(sharding: str, each: int) -> None:
    memory = found({**FULL, "sharding": sharding}).ways[0].memory

    assert memory.host_bytes == pytest.approx(each * 14.8e9, rel=0.02)
    assert memory.host_high_bytes == pytest.approx(1.5 * memory.host_bytes, rel=0.01)


def test_a_drive_holds_what_the_host_cannot_and_is_slower() -> None:
    fields = {"model": "Qwen/Qwen3-14B", "method": "full", "cards": "1x 4090"}
    on_host = found({**fields, "sharding": "zero3 offload", "host_memory": "512GB"}).ways[0]
    on_drive = found({**fields, "sharding": "zero3 nvme offload", "host_memory": "64GB"}).ways[0]
    assert on_host.speed is not None
    assert on_host.speed.tokens_per_s is not None
    assert on_drive.speed is not None
    assert on_drive.speed.tokens_per_s is not None

    assert on_drive.memory.drive_bytes == pytest.approx(18 * 14.8e9, rel=0.02)
    assert on_drive.memory.host_bytes < 32 * GIB < on_host.memory.host_bytes
    assert on_drive.speed.tokens_per_s.value < on_host.speed.tokens_per_s.value / 3
    assert on_drive.flags["deepspeed"]["zero_optimization"]["offload_param"]["device"] == "nvme"


def test_states_of_adapters_may_be_sent_too_where_it_is_asked() -> None:
    way = found({"model": "Qwen/Qwen3-8B", "method": "lora", "cards": "2x 4090", "sharding": "zero2 offload"}).ways[0]

    assert (way.offload, way.sharding) == ("optimizer", "zero2")


def test_where_the_host_is_what_lacks_it_is_what_binds() -> None:
    answer = found({**FULL, "sharding": "zero3 offload", "host_memory": "128GB", "gradient_checkpointing": "full"})

    assert not answer.ways
    assert [bind.what for bind in answer.binds] == ["host_memory"]


def test_ppo_with_everything_offloaded_leaves_the_card_to_the_engine_that_generates() -> None:
    """OpenRLHF trains 7B by PPO on four cards of 40 GB with actor, critic, reference and reward in host memory."""
    asked = {"model": "Qwen/Qwen2.5-7B", "cards": "4x A100 40GB", "host_memory": "512GB", "sharding": "zero3 offload"}
    answer = found({**asked, "method": "ppo full"})
    way, grpo = answer.ways[0], found({**asked, "method": "grpo full"}).ways[0]

    assert answer.answer.verdict == "fits"
    assert way.memory.parts.get("optimizer", 0) == way.memory.parts.get("weights", 0) == 0
    assert way.memory.host_bytes > 1.8 * grpo.memory.host_bytes
    assert any("split over 2 cards" in one for one in way.why)
    assert found({**asked, "method": "grpo full"}).ways[0].flags["trl"]["vllm_tensor_parallel_size"] == 2


def test_larger_adapters_take_more_of_the_host() -> None:
    asked = {"model": "Qwen/Qwen1.5-72B", "method": "qlora", "cards": "2x 4090", "sharding": "fsdp offload"}
    small, large = (found({**asked, "sequence_tokens": 512, "lora_rank": rank}).ways[0] for rank in (8, 128))

    assert 20e9 < large.memory.host_bytes - small.memory.host_bytes < 30e9  # 1.6B adapter parameters, 16 bytes each


@pytest.mark.parametrize("optimizer", ["adamw_8bit", "paged adamw 8bit"])
def test_states_that_step_on_the_card_do_not_go_to_the_host(optimizer: str) -> None:
    """Axolotl: FSDP offload is not compatible with an optimizer of eight bits; nor does DeepSpeed step one there."""
    adapters = {"model": "Llama-2-70B", "method": "qlora", "cards": "2x 3090", "sequence_tokens": 4096}
    answer = found({**adapters, "sharding": "fsdp", "optimizer": optimizer, "engine": "axolotl"})

    assert {(way.offload, way.optimizer) for way in answer.ways} == {("all", "adamw")}
    assert any("AdamW (adamw_torch) is taken" in one for one in answer.warnings)
    full = found({**FULL, "sharding": "zero3 offload", "optimizer": optimizer})
    assert {(way.offload, way.optimizer) for way in full.ways} == {("all", "adamw")}


def test_eight_bit_states_of_fsdp_are_torchaos() -> None:
    fields = {"model": "Qwen/Qwen3-8B", "method": "full", "cards": "2x A100 80GB", "optimizer": "adamw_8bit"}
    answer = found({**fields, "sharding": "fsdp"})

    assert answer.ways[0].flags["trl"]["optim"] == "adamw_torch_8bit"
    assert any("torchao" in one for one in answer.warnings)
    assert found({**fields, "sharding": "zero3"}).ways[0].flags["trl"]["optim"] == "adamw_bnb_8bit"


@pytest.mark.parametrize("said", ["adamw pure_bf16", "AdamW (pure bf16)", "adamw, bf16: full"])
def test_precision_said_beside_the_optimizer_is_kept(said: str) -> None:
    request = WaysToTrainRequest.model_validate({"model": "Qwen/Qwen3-8B", "cards": "8x A800", "optimizer": said})

    assert (request.optimizer, request.precision) == ("adamw", "bf16_pure")


def test_a_drive_is_offered_where_the_host_does_not_hold_what_was_to_go_there() -> None:
    fields = {"model": "70B", "method": "full", "cards": "8x A100 80GB", "host_memory": "1TB", "micro_batch_size": 1}
    answer = found({**fields, "sharding": "zero3 offload"})

    assert answer.answer.verdict == "fits_with_changes"
    assert any("NVMe" in one.change and one.costs == "speed" for one in answer.changes)
