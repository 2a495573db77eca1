"""What the solver says of questions people ask, against what is known of them."""

from typing import Any

import pytest

from kb.base import AdvisorError, BadInput, UnknownName
from kb.units import GIB
from tests.tools.ways_to_train.problems import found
from tools.registry import tool
from tools.ways_to_train.result import TrainingWay, WaysToTrain


def _ways(answer: WaysToTrain, method: str) -> list[TrainingWay]:
    return [way for way in answer.ways if way.method == method]


@pytest.mark.parametrize(
    ("fields", "verdict"),
    [
        pytest.param({"model": "llama 3.1 8b", "method": "lora", "cards": "H100"}, "fits", id="8b-lora-h100"),
        pytest.param({"model": "llama 3.1 8b", "method": "qlora", "cards": "3090"}, "fits", id="8b-qlora-3090"),
        pytest.param({"model": "llama 3.3 70b", "method": "qlora", "cards": "A100 80G"}, "fits", id="70b-qlora-a100"),
        pytest.param(
            {"model": "llama 3.3 70b", "method": "lora", "cards": "A100 80G"}, "fits_with_changes", id="70b-lora-a100"
        ),
        pytest.param({"model": "qwen2.5 7b", "method": "full", "cards": "8x A100 80G"}, "fits", id="7b-full-8xa100"),
        pytest.param(
            {"model": "deepseek r1", "method": "full", "cards": "4090", "host_memory": "64GB"},
            "does_not_fit",
            id="r1-full-4090",
        ),
        pytest.param({"model": "sdxl", "method": "dreambooth lora", "cards": "4090"}, "fits", id="sdxl-lora-4090"),
        pytest.param(
            {"model": "flux dev", "method": "lora", "cards": "4090", "host_memory": "64GB"}, "fits", id="flux"
        ),
    ],
)
def test_verdicts_of_known_trainings(fields: dict[str, Any], verdict: str) -> None:
    assert found(fields).answer.verdict == verdict


def test_the_result_begins_with_the_answer() -> None:
    plain = tool("find_ways_to_train").call({"model": "qwen3 8b", "cards": "H100"}).model_dump(mode="json")

    assert list(plain)[:2] == ["answer", "ways"]
    assert list(plain)[-4:] == ["derivation", "assumptions", "warnings", "sources"]


def test_full_means_full() -> None:
    answer = found({"model": "llama 3.1 8b", "method": "full", "cards": "4090", "host_memory": "64GB"})

    assert {way.method for way in answer.ways} <= {"full"}
    assert answer.answer.verdict == "fits_with_changes"
    assert {change.field for change in answer.changes} >= {"method", "host_memory_bytes"}


def test_the_host_memory_that_would_do_is_named() -> None:
    fields = {"model": "llama 3.1 8b", "method": "full", "cards": "4090"}
    change = next(one for one in found({**fields, "host_memory": "64GB"}).changes if one.field == "host_memory_bytes")
    assert isinstance(change.value, int)

    helped = found({**fields, "host_memory_bytes": int(change.value * 1.2)})

    assert helped.ways[0].offload == "all"


def test_offloading_without_a_stated_host_says_what_it_needs() -> None:
    answer = found({"model": "llama 3.1 8b", "method": "full", "cards": "4090"})

    assert answer.answer.verdict == "fits_with_changes"
    assert "memory to spare" in answer.answer.said
    # 18 bytes a parameter, as DeepSpeed reckons.
    assert answer.ways[0].memory.host_bytes == pytest.approx(18 * 8.03e9, rel=0.01)


def test_without_a_method_adapters_come_first_and_all_weights_stand_beside() -> None:
    answer = found({"model": "qwen3 8b", "cards": "8x H100"})

    assert answer.ways[0].method == "lora"
    assert {way.method for way in answer.ways} == {"lora", "qlora", "full"}
    assert any("method not stated" in one for one in answer.assumptions)


def test_dpo_of_all_weights_holds_a_reference_and_adapters_none() -> None:
    plain = found({"model": "qwen3 8b", "method": "full", "cards": "8x H100", "sharding": "ddp", "samples": 1000})
    pairs = found({"model": "qwen3 8b", "method": "full dpo", "cards": "8x H100", "sharding": "zero3", "samples": 1000})
    adapted = found({"model": "qwen3 8b", "method": "dpo lora", "cards": "H100"})

    assert any(step.label == "Reference model" for step in pairs.derivation)
    assert not any(step.label == "Reference model" for step in (*adapted.derivation, *plain.derivation))


def test_grpo_counts_the_time_of_generating() -> None:
    fields = {"model": "qwen3 8b", "cards": "8x H100", "samples": 2000, "sequence_tokens": 2048, "generations": 8}
    speed = found({**fields, "method": "grpo full"}).ways[0].speed
    assert speed is not None
    assert speed.time_s is not None
    assert speed.generation_s is not None

    assert 0 < speed.generation_s < speed.time_s.value


def test_the_reference_slows_every_trained_token() -> None:
    fields = {"model": "qwen3 8b", "cards": "8x H100", "sharding": "fsdp", "gradient_checkpointing": "full",
              "micro_batch_size": 1, "dataset_tokens": 10**8}  # fmt: skip
    plain, pairs = found({**fields, "method": "full"}), found({**fields, "method": "full dpo"})
    assert plain.ways[0].speed is not None
    assert pairs.ways[0].speed is not None

    first, second = plain.ways[0].speed.tokens_per_s, pairs.ways[0].speed.tokens_per_s
    assert first is not None
    assert second is not None
    # (8 + 2) / 8 with recomputing, on twice the tokens a micro-batch.
    assert 0.75 < second.value / first.value < 0.95


def test_cost_is_card_hours_times_the_rent_that_was_given() -> None:
    answer = found({"model": "qwen3 8b", "method": "lora", "cards": "2x 4090", "samples": "20k", "rents": "¥2/gpu/h"})
    way = answer.ways[0]
    assert way.speed is not None
    assert way.speed.gpu_hours is not None
    assert way.price is not None
    assert way.price.run_cost is not None

    assert way.price.basis == "given"
    assert way.price.currency == "CNY"
    assert way.price.run_cost.value == pytest.approx(2 * way.speed.gpu_hours.value)
    assert float(way.price.hourly_cost) == pytest.approx(2.0 * way.cards.count)


@pytest.mark.parametrize(
    ("rent", "per_gpu_hour"), [("$16/machine/h", 2.0), ("$1460 per card per month", 2.0), ("$2/h", 2.0)]
)
def test_rents_are_told_by_the_card_and_hour(rent: str, per_gpu_hour: float) -> None:
    answer = found({"model": "qwen3 8b", "method": "full", "cards": "8x H100", "samples": "1k", "rents": rent})
    price = answer.ways[0].price
    assert price is not None

    assert float(price.hourly_cost) == pytest.approx(per_gpu_hour * answer.ways[0].cards.count, rel=1e-3)


def test_a_missed_deadline_binds_and_cards_that_meet_it_are_named() -> None:
    fields = {"model": "llama 3.1 8b", "method": "full", "cards": "8x H100", "dataset_tokens": "20B"}
    answer = found({**fields, "deadline": "2 days"})

    assert answer.answer.verdict == "fits_with_changes"
    assert answer.answer.deadline_met is False
    assert answer.binds[0].what == "deadline"
    more = next(change for change in answer.changes if change.field == "cards")
    assert more.time_s is not None
    assert more.time_s <= 2 * 86400


def test_what_a_change_promises_is_what_asking_for_it_gives() -> None:
    fields = {"model": "llama 3.3 70b", "method": "lora", "cards": "2x A100 40G", "samples": "5k"}
    answer = found(fields)
    change = next(one for one in answer.changes if one.field == "method")

    asked = found({**fields, "method": change.value})

    assert asked.ways[0].memory.needed_bytes_per_gpu == pytest.approx(change.needed_bytes_per_gpu, abs=2)
    assert asked.answer.tokens_per_s == pytest.approx(change.tokens_per_s)


def test_a_shorter_sample_that_fits_is_told_in_tokens() -> None:
    answer = found({"model": "qwen3 8b", "method": "lora", "cards": "3090", "sequence_tokens": 65536})
    change = next(one for one in answer.changes if one.field == "sequence_tokens")

    assert found({"model": "qwen3 8b", "method": "lora", "cards": "3090", "sequence_tokens": change.value}).ways


def test_slow_links_cost_sharded_training_more() -> None:
    fields = {"model": "qwen3 14b", "method": "full", "cards": "8x A100 80G", "sharding": "fsdp"}
    fast, slow = found({**fields, "link": "nvlink"}), found({**fields, "link": "PCIe 3.0 x4"})

    assert (fast.answer.tokens_per_s or 0) > 1.5 * (slow.answer.tokens_per_s or 0)
    assert slow.ways[0].speed is not None
    assert slow.ways[0].speed.bound == "link"


def test_consumer_cards_have_a_bridge_only_where_it_is_said() -> None:
    fields = {"model": "qwen3 4b", "method": "full", "cards": "2x 3090", "sharding": "fsdp"}

    assert (found({**fields, "link": "nvlink bridge"}).answer.tokens_per_s or 0) > (
        found(fields).answer.tokens_per_s or 0
    )


def test_unlike_cards_work_together_or_alone() -> None:
    answer = found({"model": "llama 3.1 8b", "method": "lora", "cards": "3090 + 2x 4060 Ti 16GB"})

    assert {way.cards.name for way in answer.ways} >= {"GeForce RTX 3090"}
    assert any(way.cards.count == 3 for way in answer.ways)


def test_a_card_known_by_its_memory_gives_memory_alone() -> None:
    answer = found({"params": "7B", "cards": "one 24GB card", "method": "qlora", "samples": "5k"})

    assert answer.answer.verdict == "fits"
    assert answer.ways[0].speed is None
    assert answer.ways[0].price is None
    assert any("memory alone" in one for one in answer.warnings)


def test_a_size_may_stand_in_the_place_of_a_model() -> None:
    assert found({"model": "7B", "cards": "4090", "method": "qlora"}) == found(
        {"params": 7_000_000_000, "cards": "4090", "method": "qlora"}
    )


def test_memory_that_others_hold_is_not_there() -> None:
    free = found({"model": "qwen3 8b", "method": "lora", "cards": "H100"}).ways[0].memory
    taken = found({"model": "qwen3 8b", "method": "lora", "cards": "H100", "memory_taken": "20GB"}).ways[0].memory

    assert free.usable_bytes_per_gpu - taken.usable_bytes_per_gpu == 20 * GIB


def test_cards_without_bf16_are_told_to_take_fp16() -> None:
    answer = found({"model": "qwen3 0.6b", "method": "lora", "cards": "V100 16G"})

    assert any("no BF16" in one for one in answer.warnings)


def test_flags_carry_what_was_chosen() -> None:
    way = found({"model": "qwen3 8b", "method": "qlora", "cards": "4090", "samples": "5k"}).ways[0]
    factory, trl = way.flags["llama_factory"], way.flags["trl"]

    assert factory["quantization_bit"] == 4
    assert factory["per_device_train_batch_size"] == way.micro_batch_size
    assert trl["trainer"] == "SFTTrainer"
    assert trl["gradient_accumulation_steps"] * way.micro_batch_size == way.global_batch
    assert trl["bitsandbytes"]["bnb_4bit_quant_type"] == "nf4"


def test_sharded_ways_come_with_deepspeed_or_fsdp_settings() -> None:
    fields = {"model": "llama 3.1 8b", "method": "full", "cards": "8x A100 80G"}
    zero = found({**fields, "sharding": "zero3"}).ways[0]
    sharded = found({**fields, "sharding": "fsdp"}).ways[0]

    assert zero.flags["deepspeed"]["zero_optimization"]["stage"] == 3
    assert sharded.flags["accelerate"]["distributed_type"] == "FSDP"


@pytest.mark.parametrize(
    ("fields", "kind", "field"),
    [
        ({"model": "qwen3 8b"}, BadInput, "cards"),
        ({"cards": "4090"}, BadInput, "model"),
        ({"model": "qwen3 8b", "cards": "4090", "method": "magic"}, BadInput, "method"),
        ({"model": "qwen3 8b", "cards": "4090", "method": "pretrain lora"}, BadInput, "method"),
        ({"model": "whisper large v3", "cards": "4090"}, BadInput, "model"),
        ({"model": "qwen3 8b", "cards": "2x 4090", "engine": "unsloth", "sharding": "zero3"}, BadInput, "sharding"),
        ({"model": "qwen3 8b", "cards": "4090", "samples": "lots"}, BadInput, "samples"),
        ({"model": "qwen3 8b", "cards": "4090", "deadline": "soon"}, BadInput, "deadline"),
        ({"model": "qwen3 8b", "cards": "4090", "rents": "2 per hour"}, BadInput, "rents"),
        ({"model": "qwen3 8b", "cards": "4090", "global_batch": 0}, BadInput, "global_batch"),
        ({"model": "qwen3 8b", "cards": "2x FooBar 9000"}, UnknownName, "GPU"),
        ({"model": "qwen9 8b", "cards": "4090"}, UnknownName, "model"),
        (
            {"model": "qwen3 8b", "cards": "4090", "method": "full", "optimizer": "adafactor", "offload": "all"},
            BadInput,
            "optimizer",
        ),
    ],
)
def test_bad_input_names_the_field(fields: dict[str, Any], kind: type[AdvisorError], field: str) -> None:
    with pytest.raises(kind) as refused:
        tool("find_ways_to_train").call(fields)

    assert refused.value.data()["field"] == field


def test_a_four_bit_base_may_lie_in_host_memory_under_fsdp() -> None:
    answer = found({"model": "llama 3.1 70b", "method": "qlora", "cards": "2x 3090", "host_memory": "128GB"})
    way = answer.ways[0]

    assert (way.sharding, way.offload, way.engine) == ("fsdp", "all", "fsdp")
    assert way.memory.surety == "yes"
    assert 30 * GIB < way.memory.host_bytes < 45 * GIB
    assert way.flags["accelerate"]["fsdp_config"]["fsdp_offload_params"] is True
    assert way.flags["trl"]["bitsandbytes"]["bnb_4bit_quant_storage"] == "bfloat16"


@pytest.mark.parametrize("cards", ["MI50 32GB", "radeon vii"])
def test_cards_without_kernels_of_bitsandbytes_train_no_four_bit_base(cards: str) -> None:
    answer = found({"model": "llama 3.2 1b", "method": "qlora", "cards": cards})

    assert not answer.ways
    assert answer.answer.verdict == "fits_with_changes"
    assert [bind.what for bind in answer.binds] == ["software"]
    assert (answer.changes[0].field, answer.changes[0].value) == ("method", "lora")
    assert any("bitsandbytes" in source.title for source in answer.sources)


def test_eight_bit_states_are_not_offered_to_such_cards() -> None:
    answer = found({"model": "llama 3.2 1b", "method": "full", "cards": "MI50 32GB"})

    assert answer.ways
    assert not {way.optimizer for way in answer.ways} & {"adamw_8bit", "paged_adamw_8bit"}
