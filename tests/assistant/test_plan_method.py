"""Fine-tuning without a word on how, formats set against each other, and ways to make a small card do."""

import pytest

from assistant.answer import ToolCallRecord
from assistant.plan import plan, plan_more
from assistant.plan.method import unsaid
from assistant.plan.provisional import provisional
from assistant.understand import understand
from assistant.understanding import Understanding
from tools.memory import estimate_memory
from tools.memory.request import MemoryRequest


def asked(text: str) -> Understanding:
    return understand(text)


def sized(text: str) -> list[dict[str, object]]:
    return [call.request for call in plan(asked(text)) if call.tool == "estimate_memory"]


@pytest.mark.parametrize(
    ("text", "open_"),
    [
        ("微调 GLM-4-9B 要什么卡", True),
        ("how many A6000 to fine-tune Llama-3-8B", True),
        ("sft qwen2.5-14b on 2x3090", True),
        ("全参微调 GLM-4-9B 要什么卡", False),
        ("how many A6000 to fine-tune Llama-3-8B with LoRA", False),
        ("finetune 8B with zero3 on 4x3090", False),
        ("pretrain a 1B on 4x3090", False),
        ("serve the fine-tuned 8B on a 3090", False),
    ],
)
def test_a_method_is_open_only_where_no_word_goes_with_one(text: str, open_: bool) -> None:
    understanding = asked(text)
    assert unsaid(understanding, understanding.need) == open_


@pytest.mark.parametrize("text", ["微调 GLM-4-9B 要多少显存", "how many A6000 to fine-tune Llama-3-8B"])
def test_every_way_gets_a_figure_where_none_was_said(text: str) -> None:
    assert {request.get("task") for request in sized(text)} == {"full_finetune", "lora", "qlora"}


def test_hardware_for_fine_tuning_of_any_kind_is_that_of_adapters() -> None:
    understanding = asked("微调 Yi-34B 需要什么配置？")
    assert understanding.need.task == "full_finetune"
    assert provisional(understanding).task == "lora"
    assert provisional(asked("全参微调 Yi-34B 需要什么配置？")).task == "full_finetune"


@pytest.mark.parametrize(
    ("text", "formats"),
    [
        ("Qwen2.5-32B 的 awq 和 int8 哪个适合一张 A6000", ["int8", "awq"]),
        ("13B in 8bit or 4bit on my 3080 10G?", ["int8", "int4"]),
    ],
)
def test_quantised_formats_set_against_each_other_are_sized_themselves(text: str, formats: list[str]) -> None:
    assert [request.get("weight_format") for request in sized(text)][:2] in (formats, formats[::-1])


def test_the_published_format_is_sized_where_it_is_one_of_those_compared() -> None:
    assert None in [request.get("weight_format") for request in sized("13B in fp16 or 4bit on my 3080 10G?")]


def worked_out(request: dict[str, object]) -> ToolCallRecord:
    result = estimate_memory(MemoryRequest.model_validate(request))
    return ToolCallRecord(tool="estimate_memory", request=request, result=result.model_dump(mode="json"))


def second(text: str) -> list[dict[str, object]]:
    understanding = asked(text)
    first = [worked_out(call.request) for call in plan(understanding) if call.tool == "estimate_memory"]
    return [call.request for call in plan_more(understanding, first) if call.tool == "estimate_memory"]


def test_adapters_too_large_for_copies_are_dealt_out_by_layers() -> None:
    laid = [one for one in second("4x A100 40G LoRA of Qwen1.5-72B?") if one.get("task") == "lora"]
    assert {(one.get("sharding"), one.get("pipeline_parallel")) for one in laid} == {("zero3", None), (None, 4)}


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("Baichuan-7B on a 2070 8G?", ["gguf:Q5_K_M", "gguf:Q4_K_M"]),  # the widest that fits, and the usual one
        ("Qwen2.5-32B on a 4060 Ti 16G?", ["gguf:Q4_K_M", "gguf:Q4_K_M"]),  # once with a part in host memory
        ("Qwen2.5-72B on a 4090?", ["gguf:Q4_K_M"]),
        ("Qwen2.5-72B on an A100 40G?", []),
    ],
)
def test_a_small_card_that_four_bits_just_miss_is_tried_with_llama_cpp(text: str, forms: list[str]) -> None:
    alone = [one for one in second(text) if one.get("kv_format") is None]
    tried = [one["weight_format"] for one in alone if str(one.get("weight_format")).startswith("gguf:")]
    assert tried == forms


@pytest.mark.parametrize(
    ("text", "engine"),
    [
        ("7B fp16 on a P40?", "transformers"),
        ("7B fp16 on a 3090?", None),
        ("7B q4_k_m on a P40?", "llama.cpp"),
        ("7B on an M2 Max 64GB?", "llama.cpp"),
    ],
)
def test_no_card_is_given_an_engine_that_does_not_run_on_it(text: str, engine: str | None) -> None:
    assert {request.get("engine") for request in sized(text)} == {engine}


def test_each_format_named_gets_its_memory_where_that_is_asked() -> None:
    formats = {request.get("weight_format") for request in sized("14B 8bit 要多少显存，fp16 呢")}
    assert {"int8", "fp16"} <= formats


@pytest.mark.parametrize(
    ("text", "formats"),
    [
        ("how much vram for gpt-oss-20b", {None, "gguf:MXFP4"}),
        ("how much vram for DeepSeek-V3", {None, "int4"}),
        ("how much vram for Kimi-K2-Thinking", {None}),
        ("how much vram for Qwen2.5-14B", {None, "int8", "int4"}),
    ],
)
def test_no_format_as_wide_as_the_published_one_is_proposed(text: str, formats: set[str | None]) -> None:
    assert {request.get("weight_format") for request in sized(text)} == formats


def test_the_members_of_a_family_are_tried_where_the_largest_is_asked_for() -> None:
    calls = plan(asked("biggest Qwen2.5 for a 3090?"))
    members = next(call.request["models"] for call in calls if call.tool == "what_fits")
    assert {"Qwen/Qwen2.5-7B", "Qwen/Qwen2.5-32B"} <= set(members)
    named = plan(asked("what else fits beside Qwen2.5-7B on a 3090?"))
    assert not any("models" in call.request for call in named if call.tool == "what_fits")


def test_adapters_over_several_cards_that_one_does_not_hold_are_sharded() -> None:
    counted = [one for one in second("QLoRA of Qwen2-57B-A14B on V100 32G, how many?") if one.get("data_parallel")]
    assert {(one["sharding"], one["data_parallel"]) for one in counted} == {("fsdp", 2)}


@pytest.mark.parametrize(
    ("text", "pure"),
    [
        ("full fine-tune llama2-7B on one A100 80G?", True),
        ("full fine-tune llama2-70B on 8x A100 80G?", False),
    ],
)
def test_a_lone_card_is_tried_without_master_weights(text: str, pure: bool) -> None:
    assert any(one.get("precision") == "bf16_pure" for one in second(text)) == pure


def test_a_format_of_sixteen_bits_is_none_of_qlora() -> None:
    formats = {
        one.get("task"): one.get("weight_format") for one in second("full fine-tune a 13B in bf16 on a 24GB 3090?")
    }
    assert (formats["lora"], formats["qlora"]) == ("bf16", None)
