from typing import Any

import pytest

from assistant.answer import ToolCallRecord
from assistant.plan import PlannedCall, plan, plan_more
from assistant.plan.first import CALLS_MAX
from assistant.plan.formats import bits, smaller_formats
from assistant.plan.layout import serving_layout, training_layout
from assistant.understanding import Ambiguity, Understanding
from kb.units import GIB
from tools.need import Intent, Need
from tools.registry import tool

QWEN = "Qwen/Qwen2.5-72B-Instruct"
GPU = "rtx-3090-24gb"
INTENTS: tuple[Intent, ...] = Intent.__args__  # type: ignore[attr-defined]


def reading(text: str = "a question", **need: Any) -> Understanding:
    aside = {key: need.pop(key) for key in list(need) if key in Understanding.model_fields}
    return Understanding(text=text, language="en", need=Need.model_validate(need), **aside)


def named(calls: list[PlannedCall], name: str) -> list[dict[str, Any]]:
    return [call.request for call in calls if call.tool == name]


def record(call: PlannedCall, **result: Any) -> ToolCallRecord:
    return ToolCallRecord(tool=call.tool, request=call.request, result=result)


def test_what_is_out_of_scope_calls_nothing() -> None:
    assert plan(reading(out_of_scope=True)) == []
    assert plan_more(reading(out_of_scope=True), []) == []


@pytest.mark.parametrize("intent", INTENTS)
@pytest.mark.parametrize("need", [{}, {"model": QWEN}, {"model": QWEN, "gpus_owned": [{"gpu": GPU, "count": 4}]}])
def test_every_planned_request_is_one_the_tool_accepts(intent: Intent, need: dict[str, Any]) -> None:
    for call in plan(reading(intent=intent, **need)):
        request = tool(call.tool).request.model_validate(call.request)
        assert request.model_fields_set == set(call.request)


@pytest.mark.parametrize("intent", INTENTS)
def test_guidance_is_searched_for_whatever_is_asked(intent: Intent) -> None:
    searched = named(plan(reading("why is NVLink slow", intent=intent, gpus_asked=[GPU])), "search_guidance")
    assert len(searched) == 1
    assert searched[0]["query"].startswith("why is NVLink slow")


@pytest.mark.parametrize("intent", INTENTS)
def test_a_turn_never_calls_more_tools_than_it_may(intent: Intent) -> None:
    cards = [{"gpu": gpu, "count": 2} for gpu in (GPU, "rtx-4090-24gb", "rtx-a6000-48gb")]
    asked = reading(
        intent=intent, model=QWEN, gpus_owned=cards, asks=("speed", "power", "spec", "compare", "cloud_or_buy")
    )
    first = plan(asked)
    results = [record(call, fit={"verdict": "no"}, weight_format="bf16") for call in first]
    assert len(first) + len(plan_more(asked, results)) <= CALLS_MAX


def test_cards_in_hand_are_filled_with_tensor_parallelism() -> None:
    request = named(
        plan(reading(intent="can_it_run", model=QWEN, gpus_owned=[{"gpu": GPU, "count": 4}])), "estimate_memory"
    )[0]
    assert request["gpu"] == GPU
    assert request["tensor_parallel"] == 4


def test_without_a_format_every_usual_one_is_estimated() -> None:
    requests = named(plan(reading(intent="min_vram", params=70_000_000_000)), "estimate_memory")
    assert [request.get("weight_format") for request in requests] == [None, "int8", "int4"]


def test_a_stated_format_is_the_only_one() -> None:
    requests = named(plan(reading(intent="min_vram", model=QWEN, weight_format="int8")), "estimate_memory")
    assert [request["weight_format"] for request in requests] == ["int8"]


def test_full_fine_tuning_is_held_against_its_lighter_kin() -> None:
    requests = named(plan(reading(intent="min_vram", model=QWEN, task="full_finetune")), "estimate_memory")
    assert [request["task"] for request in requests] == ["full_finetune", "lora", "qlora"]


def test_what_does_not_fit_is_tried_smaller() -> None:
    asked = reading(intent="can_it_run", model=QWEN, gpus_owned=[{"gpu": GPU, "count": 4}])
    results = [record(call, fit={"verdict": "no"}, weight_format="bf16") for call in plan(asked)]
    more = named(plan_more(asked, results), "estimate_memory")
    assert [request["weight_format"] for request in more] == ["int8", "int4"]
    assert all(request["tensor_parallel"] == 4 for request in more)


def test_what_fits_is_only_asked_how_fast_it_runs() -> None:
    asked = reading(intent="can_it_run", model=QWEN, gpus_owned=[{"gpu": GPU, "count": 4}])
    results = [record(call, fit={"verdict": "yes"}, weight_format="bf16") for call in plan(asked)]
    assert [call.tool for call in plan_more(asked, results)] == ["estimate_inference_speed"]


def test_the_second_wave_repeats_no_call() -> None:
    asked = reading(intent="can_it_run", model=QWEN, gpus_owned=[{"gpu": GPU, "count": 4}])
    results = [record(call, fit={"verdict": "no"}, weight_format="bf16") for call in plan(asked)]
    done = [(result.tool, result.request) for result in results]
    assert not [call for call in plan_more(asked, results) if (call.tool, call.request) in done]


def test_a_tool_that_failed_is_not_built_upon() -> None:
    asked = reading(intent="can_it_run", model=QWEN, gpus_owned=[{"gpu": GPU, "count": 4}])
    results = [record(call, error={"code": "unknown_name"}) for call in plan(asked)]
    assert named(plan_more(asked, results), "estimate_memory") == []


def test_an_adapter_failing_as_plain_copies_is_tried_sharded() -> None:
    cards = [{"gpu": GPU, "count": 5}]
    asked = reading(intent="oom", model=QWEN, task="lora", gpus_owned=cards)
    first = plan(asked)
    assert named(first, "estimate_memory")[0]["sharding"] == "ddp"
    more = plan_more(asked, [record(call, fit={"verdict": "no"}, weight_format="bf16") for call in first])
    assert "zero3" in [request.get("sharding") for request in named(more, "estimate_memory")]
    assert "qlora" in [request["task"] for request in named(more, "estimate_memory")]


def test_an_optimizer_that_no_tool_models_is_left_out_not_fatal() -> None:
    asked = reading(intent="min_vram", model=QWEN, task="full_finetune", optimizer="adam-mini")
    request = named(plan(asked), "estimate_memory")[0]
    assert "optimizer" not in request


def test_an_ambiguous_model_is_answered_provisionally_and_an_unknown_one_is_not_guessed() -> None:
    doubt = Ambiguity(kind="model", text="qwen 72b", candidates=(QWEN, "Qwen/Qwen2-72B-Instruct"))
    assert named(plan(reading(intent="min_vram", ambiguities=(doubt,))), "estimate_memory")[0]["model"] == QWEN
    unknown = doubt.model_copy(update={"unknown": True})
    assert named(plan(reading(intent="min_vram", ambiguities=(unknown,))), "estimate_memory") == []


def test_a_card_known_only_by_its_memory_is_asked_what_fits() -> None:
    request = named(
        plan(
            reading(
                "我只有一张 24G 的卡，能微调多大的模型？",
                intent="what_fits",
                memory_bytes_per_gpu=24 * GIB,
                gpu_count=1,
            )
        ),
        "what_fits",
    )[0]
    assert request["memory_bytes_per_gpu"] == 24 * GIB
    assert request["gpu_count"] == 1


@pytest.mark.parametrize(
    ("count", "tensor", "pipeline"),
    [(1, 1, 1), (2, 2, 1), (4, 4, 1), (5, 1, 5), (6, 2, 3), (8, 8, 1), (24, 8, 3), (32, 8, 4)],
)
def test_serving_is_split_by_powers_of_two_within_a_node(count: int, tensor: int, pipeline: int) -> None:
    assert serving_layout(count) == {"tensor_parallel": tensor, "pipeline_parallel": pipeline}


@pytest.mark.parametrize(
    ("model", "sequences", "layout"),
    [
        ("deepseek-ai/DeepSeek-V3", 50, {"expert_parallel": 16}),
        ("deepseek-ai/DeepSeek-V3", 4, {"tensor_parallel": 8, "pipeline_parallel": 2}),
        (QWEN, 50, {"tensor_parallel": 8, "pipeline_parallel": 2}),
    ],
)
def test_many_requests_to_a_mixture_share_its_experts_only(model: str, sequences: int, layout: dict[str, int]) -> None:
    cards = [{"gpu": "h20-96gb", "count": 16}]
    asked = reading(model=model, concurrent_sequences=sequences, gpus_owned=cards, intent="can_it_run")
    request = named(plan(asked), "estimate_memory")[0]
    ways = {
        name: request[name] for name in ("tensor_parallel", "pipeline_parallel", "expert_parallel") if name in request
    }
    assert ways == layout


def test_training_shards_all_but_qlora() -> None:
    assert training_layout("full_finetune", 8, None) == {"sharding": "zero3", "data_parallel": 8}
    assert training_layout("qlora", 2, None) == {"sharding": "ddp", "data_parallel": 2}
    assert training_layout("lora", 2, "zero2") == {"sharding": "zero2", "data_parallel": 2}
    assert training_layout("lora", 1, "zero3") == {}


@pytest.mark.parametrize(
    ("name", "width"),
    [("bf16", 16), (None, 16), ("fp8", 8), ("awq", 4), ("nf4_dq", 4), ("gguf:Q4_K_M", 4), ("gguf:Q8_0", 8)],
)
def test_formats_are_ordered_by_width(name: str | None, width: int) -> None:
    assert bits(name) == width


def test_smaller_formats_are_those_the_engine_serves() -> None:
    assert smaller_formats("bf16", None) == ("int8", "int4")
    assert smaller_formats("int8", "vllm") == ("int4",)
    assert smaller_formats("gguf:Q8_0", None) == ("gguf:Q4_K_M",)
    assert smaller_formats("int4", None) == ()


def test_eight_bits_are_fp8_where_the_card_computes_in_it() -> None:
    assert smaller_formats("bf16", None, "rtx-4090-24gb") == ("fp8", "int4")
    assert smaller_formats("bf16", None, "rtx-3090-24gb") == ("int8", "int4")


def test_the_memory_of_what_is_recommended_is_worked_out_as_it_is_laid_out() -> None:
    asked = reading("which machine to buy for it", intent="which_to_buy", model=QWEN, task="full_finetune")
    first = plan(asked)
    row = {
        "rank": 1, "title": "t", "acquisition": "buy", "gpu": "rtx-a6000-48gb", "gpu_count": 8, "nodes": 1,
        "data_parallel": 8, "sharding": "zero3", "price": {"amount": 1, "complete": True},
        "memory": {"needed_bytes_per_gpu": 1, "usable_bytes_per_gpu": 2, "verdict": "yes"},
    }  # fmt: skip
    results = [record(call, configurations=[row] if call.tool == "configure" else []) for call in first]
    (again,) = named(plan_more(asked, results), "estimate_memory")
    assert (again["gpu"], again["data_parallel"], again["sharding"]) == ("rtx-a6000-48gb", 8, "zero3")
