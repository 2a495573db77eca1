"""Every setting that `find_ways_to_train` hands over is one that the release which was read takes."""

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from kb.artifacts.setups.offered import refused
from kb.artifacts.setups.options import releases
from kb.base import AdvisorError
from tools.registry import tool
from tools.ways_to_train.flags import TRAINERS

PROGRAMS = {
    "llama_factory": "llamafactory", "trl": "trl", "deepspeed": "deepspeed-config", "accelerate": "accelerate-config",
    "axolotl": "axolotl", "mlx_lm.lora": "mlx-lora", "diffusers": "diffusers", "kohya": "kohya", "unsloth": "unsloth",
}  # fmt: skip
METHODS = ("lora", "qlora", "full", "dpo lora", "dpo qlora", "grpo lora", "grpo full", "ppo lora", "pretrain")
MODELS = ("qwen3-8b", "gpt-oss-20b", "gemma-3-27b")
MACHINES = ("1x RTX 4090", "4x A100 80GB SXM", "4x V100 32GB SXM2", "1x M3 Ultra 512GB")
ASKED: tuple[dict[str, Any], ...] = (
    {}, {"engine": "axolotl", "fused_loss": True}, {"engine": "unsloth"}, {"sharding": "fsdp"}, {"sharding": "zero3"},
    {"engine": "axolotl", "sharding": "fsdp"}, {"precision": "bf16_pure"}, {"sharding": "zero3", "offload": "nvme"},
    {"precision": "bf16_pure", "sharding": "zero3"}, {"lora_targets": "attention"}, {"lora_targets": "qv"},
)  # fmt: skip


def ways(**request: Any) -> Iterator[Any]:
    try:
        yield from tool("find_ways_to_train").call(request).ways  # type: ignore[attr-defined]
    except AdvisorError:
        return


def drawn() -> Iterator[Any]:
    models, machines = ("flux.1-dev", "sdxl", "qwen-image"), ("1x RTX 4090", "1x RTX 3060 12GB", "2x A100 80GB SXM")
    for model, machine, method in itertools.product(models, machines, ("lora", "full", "dreambooth lora")):
        for offload in (None, "all"):
            asked = {"offload": offload, "host_memory_bytes": 2**37} if offload else {}
            yield from ways(model=model, cards=[machine], method=method, **asked)


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_every_setting_is_one_of_the_release_that_was_read(asked: dict[str, Any]) -> None:
    seen = 0
    for at, (model, machine, method) in enumerate(itertools.product(MODELS, MACHINES, METHODS)):
        if at % 4:
            continue
        for way in ways(model=model, cards=[machine], method=method, **asked):
            seen += 1
            assert_taken(way.flags)
    assert seen


def test_settings_of_pictures_are_those_of_their_scripts() -> None:
    found = [way.flags for way in drawn()]
    assert {name for flags in found for name in flags} == {"diffusers", "kohya"}
    for flags in found:
        assert_taken(flags)
        assert "blocks_to_swap" not in flags.get("diffusers", {})


def assert_taken(flags: dict[str, Any]) -> None:
    for name, settings in flags.items():
        own = {key: value for key, value in settings.items() if key != "trainer"}
        assert not list(refused(PROGRAMS[name], own)), (name, settings)
        assert settings.get("trainer", "SFTTrainer") in TRAINERS.values()
    factory, trl = flags.get("llama_factory", {}), flags.get("trl", {})
    zero3 = flags.get("deepspeed", {}).get("zero_optimization", {}).get("stage") == 3
    assert not (factory.get("pure_bf16") and zero3)
    assert (factory.get("stage") == "ppo") == ("reward_model" in factory)
    assert not isinstance(trl.get("peft", {}).get("target_modules"), str) or "," not in trl["peft"]["target_modules"]


@pytest.mark.parametrize("cards", ["1x RTX 4090", "3x A100 80GB SXM", "6x A100 80GB SXM", "8x H100 SXM"])
def test_answers_of_a_prompt_divide_what_is_generated_at_once(cards: str) -> None:
    """GRPOConfig of TRL 1.16 refuses a batch of generation that num_generations does not divide."""
    for way in ways(model="qwen2.5-3b", cards=[cards], method="grpo lora", global_batch=None):
        trl = way.flags.get("trl")
        count = way.cards.count
        if trl is None:
            continue
        steps = trl.get("steps_per_generation", trl["gradient_accumulation_steps"])
        assert trl["per_device_train_batch_size"] * count * steps % trl["num_generations"] == 0


def test_a_refusal_names_what_is_wrong() -> None:
    assert [one.why for one in refused("vllm", {"tensor-parallel-size": "two", "--turbo": 1, "dtype": "int8"})] == [
        "number", "unknown", "choice",
    ]  # fmt: skip
    assert not list(refused("accelerate-config", {"fsdp_config": {"fsdp_version": 2}}))
    assert [one.name for one in refused("accelerate-config", {"fsdp_version": 2})] == ["fsdp_version"]


def test_every_program_says_which_release_was_read() -> None:
    assert all(row.url.startswith("https://") and row.date.startswith("2026-") for row in releases().values())
