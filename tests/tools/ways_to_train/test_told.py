"""What a language model is told of a training: each figure with what it holds for, and the textbook's way beside."""

import re
from typing import Any

import pytest

from kb.units import GB, GIB
from tests.tools.ways_to_train.problems import found
from tools.agent_tools.ledger import Ledger
from tools.agent_tools.shown import SHOWN_MAX, written
from tools.agent_tools.toolset import agent_tool
from tools.registry import tool


def told(**asked: str) -> dict[str, Any]:
    shown = agent_tool("find_ways_to_train").look_up(asked, Ledger()).shown
    assert "error" not in shown, shown
    return shown


@pytest.mark.parametrize(
    ("asked", "bytes_each", "params"),
    [
        ({"model": "Qwen/Qwen3-14B", "method": "full", "cards": "8x H100"}, 16.0, 14.8e9),
        ({"model": "google/gemma-2-9b", "method": "lora", "cards": "1x L40S"}, 2.0, 9.2e9),
        ({"model": "Qwen/Qwen3-32B", "method": "qlora", "cards": "1x A6000"}, 0.5, 32.8e9),
    ],
    ids=["full", "lora", "qlora"],
)
def test_the_textbooks_way_stands_beside_with_its_rule(asked: dict[str, str], bytes_each: float, params: float) -> None:
    plain = told(**asked, rent="$2/gpu/h")["textbook"]
    said = re.search(r"([\d.]+) B × ([\d.]+)B.*?= ([\d,.]+) GB", plain["rule"])
    assert said is not None
    each, counted, total = (float(one.replace(",", "")) for one in said.groups())

    assert each == bytes_each
    assert counted == pytest.approx(params / 1e9, rel=0.02)
    assert total == pytest.approx(bytes_each * params / GB, rel=0.02)
    assert "no offload" in plain["configured"]
    assert plain["fits"] in ("yes", "tight", "no")


def test_the_textbooks_full_tuning_holds_sixteen_bytes_a_parameter_and_what_comes_with_it() -> None:
    plain = found({"model": "Qwen/Qwen3-8B", "method": "full", "cards": "1x H200"}).plain
    assert plain is not None

    assert 16 * 8.19e9 < plain.all_cards_bytes < 16 * 8.19e9 + 24 * GIB
    assert "= 16 B/parameter" in plain.configured


def test_a_textbooks_way_that_does_not_fit_is_told_all_the_same() -> None:
    shown = told(model="Qwen/Qwen3-8B", method="full", cards="1x 4090", host_memory="256GB")

    assert shown["textbook"]["fits"] == "no"
    assert shown["ways"][0]["memory"]["surety"] == "yes"


@pytest.mark.parametrize("cards", ["1x A100 80GB", "1x H100", "2x L40S", "2x 4090"])
def test_adamw_that_was_named_keeps_its_masters(cards: str) -> None:
    answer = found({"model": "Qwen/Qwen3-8B", "method": "full", "cards": cards, "optimizer": "adamw"})

    assert {(way.optimizer, way.precision) for way in answer.ways} <= {("adamw", "bf16")}


def test_narrower_states_say_so_beside_their_figure() -> None:
    answer = found({"model": "Qwen/Qwen3-8B", "method": "full", "cards": "1x H200"})
    narrow = [way for way in answer.ways if way.optimizer != "adamw" or way.precision == "bf16_pure"]

    assert narrow
    assert all("instead of AdamW's 16" in way.configured for way in narrow)


@pytest.mark.parametrize("method", ["lora", "qlora", "dpo lora"])
@pytest.mark.parametrize(("length", "most"), [(2048, 2), (4096, 1), (8192, 1)])
def test_adapters_lead_with_few_samples_at_once(method: str, length: int, most: int) -> None:
    way = found({"model": "Qwen/Qwen3-4B", "method": method, "cards": "1x H200", "sequence_tokens": length}).ways[0]

    assert way.micro_batch_size <= most
    assert way.accumulation * way.micro_batch_size == way.global_batch


def test_what_more_samples_at_once_take_and_bring_is_told() -> None:
    fields = {"model": "Qwen/Qwen3-4B", "method": "lora", "cards": "1x L40S", "sequence_tokens": 2048,
              "gradient_checkpointing": "full"}  # fmt: skip
    way = found(fields).ways[0]
    assert way.larger is not None
    size = int(way.larger.split()[1].rstrip(":"))
    asked = found({**fields, "micro_batch_size": size}).ways[0]

    assert size > way.micro_batch_size
    assert f"{asked.memory.needed_bytes_per_gpu / GIB:.1f} GiB" in way.larger


def test_a_stated_micro_batch_is_kept() -> None:
    way = found({"model": "Qwen/Qwen3-4B", "method": "qlora", "cards": "1x L40S", "micro_batch_size": 6}).ways[0]

    assert way.micro_batch_size == 6
    assert way.larger is None


@pytest.mark.parametrize("method", ["full", "lora", "grpo"])
def test_duration_follows_from_the_speed_with_what_is_named(method: str) -> None:
    answer = found({"model": "Qwen/Qwen3-1.7B", "method": method, "cards": "4x A100 80GB", "samples": 20_000,
                    "sample_tokens": 900, "sequence_tokens": 2048, "rents": "$1/h"})  # fmt: skip
    speed = answer.ways[0].speed
    assert speed is not None
    assert speed.tokens_per_s is not None
    assert speed.time_s is not None
    line = next(one for one in speed.reckoned if "tokens / " in one)
    total, rate, extra = re.search(r"([\d.]+[kMB]) tokens / ([\d.]+k?) .*?(\d+) %", line).groups()  # type: ignore[union-attr]
    number = {"k": 1e3, "M": 1e6, "B": 1e9}
    tokens = float(total[:-1]) * number[total[-1]]
    each = float(rate.rstrip("k")) * (1e3 if rate.endswith("k") else 1)
    share = int(line.rsplit("+ ", 1)[1].split()[0])

    assert each == pytest.approx(speed.tokens_per_s.value, rel=0.01)
    assert tokens / each * (1 + share / 100) + (speed.generation_s or 0) == pytest.approx(speed.time_s.value, rel=0.03)
    assert extra


def test_the_rule_of_speed_holds_its_assumed_utilisation() -> None:
    speed = found({"model": "Qwen/Qwen3-8B", "method": "full", "cards": "8x H100"}).ways[0].speed
    assert speed is not None
    cards, peak, share, rate = re.search(
        r"(\d+) × (\d+) TFLOPS × (\d+) % assumed .*?= ([\d.]+)k tokens", speed.reckoned[0]
    ).groups()  # type: ignore[union-attr]

    assert float(rate) * 1e3 == pytest.approx(int(cards) * int(peak) * 1e12 * int(share) / 100 / (6 * 8.19e9), rel=0.02)


def test_without_cards_all_methods_stand_side_by_side() -> None:
    shown = told(model="Qwen/Qwen3-14B", method="lora")

    assert set(shown["other_methods"]) == {"full_finetune", "qlora"}
    assert "micro_batch_size 1" in shown["configured"]
    assert "2 B × 14.8B" in shown["rule"]


def test_without_cards_the_work_of_pretraining_is_told() -> None:
    shown = told(model="3B", method="pretrain", dataset_tokens="60B")

    assert "6 × 3B × 60B tokens = 1.08e+21 FLOPs" in shown["work"]


def test_pretraining_without_data_takes_twenty_tokens_a_parameter_and_says_so() -> None:
    answer = found({"model": "1B", "method": "pretrain", "cards": "8x H100"})
    speed = answer.ways[0].speed
    assert speed is not None
    assert speed.time_s is not None

    assert any("20 tokens a parameter" in one for one in answer.assumptions)
    assert answer.ways[0].resume_bytes == pytest.approx(7 * answer.ways[0].checkpoint_bytes, rel=0.2)


@pytest.mark.parametrize(
    "asked",
    [
        {"model": "Llama-3.3-70B", "method": "full", "cards": "16x H100", "nodes": "2", "dataset_tokens": "5B",
         "deadline": "4 days", "rent": "$2.1/gpu/h", "sharding": "zero3 with offload", "host_memory": "1.5TB"},
        {"model": "Qwen3-30B-A3B", "method": "grpo", "cards": "8x A100 80GB", "samples": "20k", "epochs": "2",
         "sequence_tokens": "8192", "rent": "€1.5/gpu/h"},
        {"model": "Qwen2.5-VL-7B", "method": "dpo lora", "cards": "3090 + 4090", "samples": "5k"},
    ],
    ids=["full", "grpo", "unlike"],
)  # fmt: skip
def test_what_figures_hold_for_is_never_cut(asked: dict[str, str]) -> None:
    shown = told(**asked)

    assert len(written(shown)) <= SHOWN_MAX
    for row in (shown["textbook"], shown["ways"][0]):
        assert "…" not in row["configured"]
        assert "micro-batch" in row["configured"]
    assert "…" not in shown["textbook"]["rule"]


def test_what_holds_less_than_the_textbooks_way_is_told_beside_it() -> None:
    shown = told(model="Qwen/Qwen3-4B", method="full")
    size = {name: float(text.split()[0]) for name, text in shown["smaller"].items()}

    assert "8-bit AdamW" in size
    assert all(one < float(shown["needed"].split()[0]) for one in size.values())
    assert any("offload" in name for name in size)
    assert "smaller" not in told(model="Qwen/Qwen3-4B", method="lora")


@pytest.mark.parametrize(
    ("size", "pixels"), [("640x640", "640 × 640"), (None, "1024 × 1024"), ("1280x720", "960 × 960")]
)
def test_pictures_are_as_large_as_was_said(size: str | None, pixels: str) -> None:
    asked = {"model": "SDXL", "method": "lora", "cards": "1x 3090", **({"size": size} if size else {})}

    assert f"{pixels} pixels" in told(**asked)["ways"][0]["configured"]


def test_no_sample_is_longer_than_the_model_reads_unless_it_was_said() -> None:
    shown = told(model="bge-large-en-v1.5", method="full", cards="1x T4")

    assert "samples up to 512 tokens" in shown["textbook"]["configured"]


def test_of_short_samples_more_are_taken_at_once() -> None:
    fields = {"model": "Qwen/Qwen3-0.6B", "method": "full", "cards": "1x H100", "samples": 1000, "sequence_tokens": 256,
              "global_batch": 64}  # fmt: skip

    assert found({**fields, "sample_tokens": 128}).ways[0].micro_batch_size > 8


def test_of_models_whose_ways_are_not_searched_the_memory_is_told() -> None:
    shown = told(model="Whisper large v3", method="lora", cards="1x 3060 12GB")

    assert shown["needed"]


def test_verdict_of_narrower_states_is_a_change() -> None:
    narrow = told(model="Qwen/Qwen3-8B", method="full", cards="1x H200", gradient_checkpointing="full")

    assert narrow["ways"][0]["configured"].startswith("8-bit AdamW") or narrow["answer"]["verdict"] == "fits"
    assert (narrow["answer"]["verdict"] == "fits") == ("instead of AdamW" not in narrow["ways"][0]["configured"])


def test_adapters_whose_base_no_card_holds_are_sharded_in_the_textbook() -> None:
    plain = told(model="Qwen/Qwen3-32B", method="lora", cards="4x 4090")["textbook"]

    assert "FSDP" in plain["configured"]


def test_alignment_says_what_lies_beside_the_policy() -> None:
    pairs = told(model="Qwen/Qwen3-8B", method="dpo full", cards="8x A100 80GB")["textbook"]
    groups = told(model="Qwen/Qwen3-8B", method="grpo full", cards="8x A100 80GB")["textbook"]

    assert "reference model" in pairs["configured"]
    assert "+ a reference, 2 B × 8.19B" in pairs["rule"]
    assert "answers a prompt by vLLM" in groups["configured"]


def test_whole_trainings_beyond_one_machine_are_told_in_grids_too() -> None:
    fields = {"model": "30B", "method": "pretrain", "dataset_tokens": "600B"}
    cluster = found({**fields, "cards": "256x H100", "nodes": 32}).ways[0].speed
    machine = found({**fields, "cards": "8x H200"}).ways[0].speed
    assert cluster is not None
    assert machine is not None

    assert any("Megatron" in one for one in cluster.reckoned)
    assert not any("Megatron" in one for one in machine.reckoned)


def test_a_change_whose_cards_compute_in_turn_says_so() -> None:
    """A frozen base in 16 bits that nobody shards: more 24 GB cards of a machine hold it by dealing layers out."""
    fields = {"model": "Qwen2.5-32B", "method": "lora"}
    found = tool("find_ways_to_train").call(
        {**fields, "sharding": "none", "cards": [{"gpu": "rtx-4090-24gb", "count": 2}]}
    )
    more = next(one for one in found.changes if one.field == "cards" and "rtx-4090" in str(one.value))
    assert "one card computes at a time" in more.effect
    wide = tool("find_ways_to_train").call({**fields, "cards": [{"gpu": "h100-sxm-80gb", "count": 8}]})
    assert not any("at a time" in one.effect for one in wide.changes)


@pytest.mark.parametrize(("method", "cards"), [("lora", "1x 4090"), ("full", "8x A100 80GB"), ("qlora", "1x 3090")])
def test_a_run_as_first_set_up_is_told_first_and_what_tuning_brings_beside_it(method: str, cards: str) -> None:
    asked = {"model": "Llama-3-8B", "method": method, "cards": cards}
    first, rates, *_ = told(**asked, samples="10k", sample_tokens="1000")["ways"][0]["speed"]["reckoned"]

    assert "as first set up" in first
    assert "once packed, compiled" in first
    reached, busy = re.search(r"first set up ([\d.]+k?) .*compiled ([\d.]+k?)", rates).groups()  # type: ignore[union-attr]
    number = lambda said: float(said.rstrip("k")) * (1e3 if said.endswith("k") else 1)  # noqa: E731
    assert number(reached) <= number(busy)
    assert not any("about" in line for line in told(**asked)["ways"][0]["speed"]["reckoned"])
