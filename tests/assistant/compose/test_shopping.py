from collections.abc import Callable
from typing import Any

from assistant.answer import ToolCallRecord
from assistant.compose import compose
from assistant.understanding import Understanding

Asked = Callable[..., Understanding]
Estimate = Callable[..., ToolCallRecord]


def emptied(record: ToolCallRecord, **request: Any) -> ToolCallRecord:
    return record.model_copy(
        update={"request": record.request | request, "result": record.result | {"configurations": []}}
    )


def test_the_cheapest_instance_leads_when_only_renting_is_asked(
    estimate: Estimate, configured: ToolCallRecord, asked: Asked
) -> None:
    draft = compose(
        asked("cheapest cloud instance for it", "en", intent="cloud_or_buy", gpus_owned=[]),
        [estimate(10, usable=None), configured],
    )
    assert "$1.58/h" in draft.answer.splitlines()[0]
    assert not any("buying" in question for question in draft.clarifying_questions)


def test_renting_and_buying_meet_at_a_stated_number_of_hours(
    estimate: Estimate, configured: ToolCallRecord, asked: Asked
) -> None:
    draft = compose(
        asked("rent it or buy it?", "en", intent="cloud_or_buy", gpus_owned=[]), [estimate(10, usable=None), configured]
    )
    assert "$9,000 ÷ $1.58 ≈ 5,700" in draft.answer


def test_a_lighter_method_is_offered_when_the_one_asked_about_is_out_of_reach(
    estimate: Estimate, configured: ToolCallRecord, asked: Asked
) -> None:
    reading = asked(
        "3 万预算微调", intent="budget", gpus_owned=[], task="lora", budget={"amount": 30000, "currency": "CNY"}
    )
    lighter = configured.model_copy(update={"request": configured.request | {"task": "qlora"}})
    calls = [estimate(34, task="lora", usable=None), emptied(configured, task="lora"), lighter,
             estimate(10, task="qlora", usable=None)]  # fmt: skip
    draft = compose(reading, calls)
    first = draft.answer.splitlines()[0]
    assert "LoRA" in first
    assert "改用 QLoRA" in first


def test_nothing_within_reach_names_the_nearest_misses(
    estimate: Estimate, configured: ToolCallRecord, asked: Asked
) -> None:
    miss = {
        "title": "1 × RTX 4090", "gpu": "rtx-4090", "gpu_count": 1, "reason": "too small", "change": "more",
        "needed_bytes_per_gpu": 40 * 2**30, "usable_bytes_per_gpu": 23 * 2**30,
    }  # fmt: skip
    record = emptied(configured)
    record = record.model_copy(update={"result": record.result | {"rejected": [miss]}})
    draft = compose(
        asked("which card?", "en", intent="which_to_buy", gpus_owned=[]), [estimate(40, usable=None), record]
    )
    assert draft.verdict == "does_not_fit"
    assert "needs 40 GiB" in draft.answer


def test_cheaper_leaves_out_what_is_owned(configured: ToolCallRecord, estimate: Estimate, asked: Asked) -> None:
    own = configured.result["configurations"][1] | {
        "rank": 0,
        "owned_count": 2,
        "price": {"amount": 0, "complete": True},
    }
    record = configured.model_copy(
        update={"result": configured.result | {"configurations": [own, *configured.result["configurations"]]}}
    )
    draft = compose(asked("cheaper?", "en", intent="which_to_buy", command="cheaper"), [estimate(10), record])
    assert "$1.58/h" in draft.answer.splitlines()[0]


def test_what_speed_was_estimated_is_said_with_its_range(estimate: Estimate, asked: Asked) -> None:
    value = {"value": 51.2, "low": 43.1, "high": 61.0}
    result = {
        "gpu": "rtx-3090", "gpu_count": 4, "weight_format": "int4", "tokens_per_s_per_user": value,
        "tokens_per_s_total": value, "bound": "memory_bandwidth",
    }  # fmt: skip
    speed = ToolCallRecord(tool="estimate_inference_speed", request={}, result=result)
    draft = compose(asked("多快", intent="speed"), [speed, estimate(10)])
    assert "51 tokens/s（43–61）" in draft.answer.splitlines()[0]
    assert "显存带宽" in draft.answer.splitlines()[0]


def test_the_cheapest_without_more_is_said_for_renting_and_for_buying(
    estimate: Estimate, configured: ToolCallRecord, asked: Asked
) -> None:
    draft = compose(
        asked("cheapest way to run it", "en", intent="which_to_buy", gpus_owned=[]),
        [estimate(10, usable=None), configured],
    )
    assert "$1.58/h" in draft.answer.splitlines()[0]
    assert "$9,000" in draft.answer.splitlines()[0]
    assert draft.clarifying_questions == ()


def test_the_speed_stands_beside_the_price_when_it_is_known(
    estimate: Estimate, configured: ToolCallRecord, asked: Asked
) -> None:
    fast = configured.model_copy(deep=True)
    fast.result["configurations"][0]["speed"] = {"tokens_per_s_per_user": 47.6, "tokens_per_s_total": 1234.0}
    draft = compose(
        asked("what should it run on", "en", intent="which_to_buy", gpus_owned=[]), [estimate(10, usable=None), fast]
    )
    assert "≈ 48 tokens/s per user, ≈ 1,200 tokens/s in all" in draft.answer.replace(" and ≈", ", ≈")
