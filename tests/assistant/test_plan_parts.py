"""What a question with several parts, a deadline, several cards or an error calls for."""

from typing import Any

from assistant.answer import ToolCallRecord
from assistant.plan import PlannedCall, plan, plan_more
from assistant.understanding import Understanding
from tools.need import Need

MODEL = "Qwen/Qwen2.5-72B"


def reading(text: str = "a question", asks: tuple[str, ...] = (), **need: Any) -> Understanding:
    return Understanding(text=text, language="en", need=Need.model_validate(need), asks=asks)


def of(calls: list[PlannedCall], name: str) -> list[dict[str, Any]]:
    return [call.request for call in calls if call.tool == name]


def test_no_part_of_a_question_crowds_out_another() -> None:
    asked = reading(
        "how long, and what does it cost to rent?", intent="cloud_or_buy", asks=("training_time",),
        task="full_finetune", model=MODEL, dataset_tokens=10**9, gpus_asked=("h100-sxm-80gb",),
    )  # fmt: skip
    calls = plan(asked)
    assert of(calls, "estimate_training_time")
    assert of(calls, "configure") or of(calls, "estimate_cost")


def test_a_number_of_cards_for_stated_data_rests_on_their_hours() -> None:
    asked = reading(
        intent="how_many_gpus", task="pretrain", params=7_000_000_000, dataset_tokens=10**12,
        gpus_asked=("h100-sxm-80gb",),
    )  # fmt: skip
    (request,) = of(plan(asked), "estimate_training_time")
    assert request["dataset_tokens"] == 10**12
    assert "gpu_count" not in request


def test_several_cards_are_timed_beside_one() -> None:
    asked = reading(intent="interconnect", model=MODEL, gpus_owned=({"gpu": "rtx-4090-24gb", "count": 4},))
    counts = [request.get("gpu_count", 1) for request in of(plan(asked), "estimate_inference_speed")]
    assert counts == [1, 4, 4], "one card, and all of them split by tensors and by layers"


def test_renting_within_a_budget_looks_up_offers() -> None:
    asked = reading(
        "$300 a month on vast.ai", intent="budget", params=32_000_000_000, provider="vast",
        budget={"amount": 300, "currency": "USD", "mode": "rent", "period": "month"},
    )  # fmt: skip
    assert of(plan(asked), "find_offers")


def test_who_ran_out_of_memory_is_not_sold_hardware() -> None:
    asked = reading(intent="oom", model=MODEL, gpus_owned=({"gpu": "rtx-4090-24gb", "count": 2},))
    results = [
        ToolCallRecord(tool=call.tool, request=call.request, result={"fit": {"verdict": "no"}}) for call in plan(asked)
    ]
    assert not of(plan_more(asked, results), "configure")
    smaller = of(plan_more(asked, results), "estimate_memory")
    assert smaller
