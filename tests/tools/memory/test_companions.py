"""What lies beside a model: references, critics, generating engines, teachers, pictures and video."""

import pytest

from kb.units import GB
from tools.memory import estimate_memory
from tools.memory.request import MemoryRequest
from tools.memory.result import MemoryEstimate

SEVEN = "Qwen/Qwen2.5-7B"


def estimate(**fields: object) -> MemoryEstimate:
    return estimate_memory(MemoryRequest.model_validate({"model": SEVEN, "task": "full_finetune", **fields}))


def total(**fields: object) -> float:
    return estimate(**fields).per_gpu.total_bytes


def test_each_method_holds_more_than_the_one_before() -> None:
    plain, dpo, grpo, ppo = (total(method=name) for name in (None, "dpo", "grpo", "ppo"))
    assert plain < dpo < grpo < ppo
    assert 12 * GB < dpo - plain < 20 * GB  # the frozen reference, 2 bytes a parameter
    assert ppo - grpo > 120 * GB  # a critic with states of its own and a reward model


def test_adapters_are_their_own_reference() -> None:
    assert total(task="lora", method="dpo", micro_batch_size=1) - total(task="lora", micro_batch_size=2) == 0


def test_unsloth_shares_the_weights_with_its_engine() -> None:
    apart, shared = (total(task="lora", method="grpo", engine=name) for name in ("peft", "unsloth"))
    assert apart - shared > 14 * GB


@pytest.mark.parametrize(
    ("model", "cards", "low", "high"),
    [
        pytest.param("Qwen/Qwen2.5-1.5B", 2, 14, 24, id="1.5B-2x24-by-EasyR1"),
        pytest.param(SEVEN, 8, 25, 48, id="7B-8x40-by-EasyR1"),
        pytest.param("Qwen/Qwen2.5-72B", 32, 55, 85, id="72B-32x80-colocated-by-TRL"),
    ],
)
def test_published_clusters_for_grpo_hold_it(model: str, cards: int, low: float, high: float) -> None:
    found = total(model=model, method="grpo", sharding="fsdp", data_parallel=cards, sequence_tokens=1024)
    assert low * GB <= found <= high * GB


def test_grpo_of_a_small_model_with_a_large_vocabulary_is_mostly_logits() -> None:
    """49,273 MiB were measured (TRL issue 3456): batch 4, 2,048 tokens of prompt and 1,024 of answer."""
    found = total(model="Qwen/Qwen3-0.6B", method="grpo", micro_batch_size=4, sequence_tokens=3072)
    assert abs(found / (49_273 * 2**20) - 1) < 0.15


def test_more_answers_at_once_take_more_cache() -> None:
    few, many = (total(task="lora", method="grpo", generations=count) for count in (4, 64))
    assert many - few > 5 * GB


def test_a_teacher_is_held_at_sixteen_bits() -> None:
    assert abs(total(frozen_params=10**10) - total() - 20 * GB) < GB


def test_other_models_are_served_beside() -> None:
    alone, beside = (
        total(task="inference", frozen_params=params) for params in (None, 1_100_000_000)
    )  # an embedding model and a reranker
    assert 2.2 * GB < beside - alone < 5 * GB


@pytest.mark.parametrize(
    ("fields", "tokens"),
    [
        pytest.param({"model": "Qwen/Qwen2-VL-7B-Instruct", "video_s": 30}, 15_690, id="30-s-at-480p"),
        pytest.param({"model": "Qwen/Qwen2-VL-7B-Instruct", "video_s": 30, "width_px": 1920, "height_px": 1080},
                     23_040, id="30-s-at-the-cap"),
        pytest.param({"model": "Qwen/Qwen2.5-VL-7B-Instruct", "video_s": 3600}, 24_576, id="an-hour-is-capped"),
        pytest.param({"model": "Qwen/Qwen2.5-VL-7B-Instruct", "images_per_sample": 2, "width_px": 1120,
                      "height_px": 1120}, 3_200, id="two-pictures"),
        pytest.param({"model": "OpenGVLab/InternVL3-8B", "images_per_sample": 1}, 3_328, id="tiles-and-overview"),
        pytest.param({"model": "llava-hf/llava-1.5-7b-hf", "images_per_sample": 1}, 576, id="llava"),
    ],
)  # fmt: skip
def test_pictures_and_video_become_tokens(fields: dict[str, object], tokens: int) -> None:
    found = estimate(task="inference", **fields)
    steps = [step.inputs["visual_tokens"] for step in found.derivation if "visual_tokens" in step.inputs]
    assert steps
    assert abs(int(steps[0]) - tokens) <= 0.05 * tokens


def test_a_video_makes_training_hungrier() -> None:
    short, long = (total(model="Qwen/Qwen2-VL-7B-Instruct", task="lora", video_s=seconds) for seconds in (5, 30))
    assert long > 1.5 * short


def test_parts_in_turn_take_the_largest_alone() -> None:
    whole, turns = (
        total(model="Qwen/Qwen-Image", task="inference", offload=offload) for offload in (None, "components")
    )
    assert turns < 0.8 * whole


def test_an_encoder_larger_than_the_denoiser_goes_to_the_cpu() -> None:
    fields = {"model": "black-forest-labs/FLUX.1-dev", "task": "inference", "weight_format": "gguf:Q4_K_S"}
    found = estimate(**fields, offload="components")
    assert found.per_gpu.total_bytes < 11 * GB
    assert any("CPU" in line for line in found.assumptions)


def test_states_of_a_denoiser_are_sharded() -> None:
    one, eight = (
        total(model="stabilityai/stable-diffusion-xl-base-1.0", sharding=way, data_parallel=ranks)
        for way, ranks in (("none", 1), ("fsdp", 8))
    )
    assert eight < 0.5 * one


@pytest.mark.parametrize(
    ("model", "least"),
    [pytest.param(SEVEN, 4, id="7B"), pytest.param("Qwen/Qwen2.5-14B", 8, id="14B")],
)
def test_grpo_of_a_whole_model_takes_the_cards_that_recipes_give_it(model: str, least: int) -> None:
    """verl and EasyR1 give full GRPO of 7B four to eight cards of 80 GB: what is left is the engine's cache."""
    found = estimate_memory(MemoryRequest(task="full_finetune", model=model, method="grpo", gpu="a100-sxm-80gb"))
    assert next(one.count for one in found.minimum_gpus if one.gpu == "a100-sxm-80gb") == least


def test_adapters_trained_by_grpo_may_fit_tightly() -> None:
    found = estimate_memory(MemoryRequest(task="lora", model=SEVEN, method="grpo", gpu="a100-sxm-80gb"))
    assert next(one.count for one in found.minimum_gpus if one.gpu == "a100-sxm-80gb") == 1


def test_the_critic_goes_where_the_policy_goes() -> None:
    """With all of it in host memory, what PPO holds beside GRPO is neither weights nor states."""
    fields = {"sharding": "zero3", "data_parallel": 4, "engine": "deepspeed", "sequence_tokens": 2048}
    beside = {
        offload: total(method="ppo", offload=offload, **fields) - total(method="grpo", offload=offload, **fields)
        for offload in ("none", "optimizer", "all")
    }

    assert beside["all"] < 1 * GB
    assert beside["all"] < beside["optimizer"] < beside["none"] - 15 * GB  # 12 bytes of states over four cards


def test_ppo_by_adapters_loads_a_critic_and_a_reward_model() -> None:
    grpo, ppo = (total(task="lora", method=name) for name in ("grpo", "ppo"))
    one_base = [total(task="lora", method=name, engine="llama-factory") for name in ("grpo", "ppo")]

    assert 28 * GB < ppo - grpo < 34 * GB  # two bases of 15 GB
    assert one_base[0] == one_base[1]
