"""Why that card: the memory the work takes, what sets the pace, and the cards next to it; not the order once more."""

import pytest

from assistant.ground.check import ground
from kb.catalog import gpu
from tests.assistant.planning import talk

ORDERS = (
    "What GPU do I need to run Llama 3.1 70B in 4-bit?",
    "Which card for serving Qwen2.5-32B to 20 people?",
    "Best GPU under $2500 for Qwen3 14B",
    "微调 Qwen2.5-7B 用什么显卡？",
    "预算 3 万元，跑 Qwen3-32B 买什么显卡",
)
WHYS = (
    "why that card?",
    "why did you pick this one?",
    "what makes that the best?",
    "reason for this choice?",
    "为什么是这张卡？",
    "推荐这个的理由",
    "为啥选它",
)


@pytest.mark.usefixtures("fresh_prices")
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("why", WHYS[::3])
def test_the_reason_names_what_is_needed_and_the_cards_next_to_it(order: str, why: str) -> None:
    understanding, records, draft = talk(order, why)
    first = draft.answer.split("\n")[0]
    rows = next(one for one in records if one.tool == "find_gpus").result["gpus"]
    sizes = {gpu(row["id"]).usable_bytes for row in rows}
    assert understanding.command == "why"
    assert len(sizes) == 3
    assert first.count("GiB") >= 3
    assert "$" in first
    assert "TB/s" in first or "GB/s" in first or "TFLOPS" in first
    assert not ground(draft.answer, records, (order, why), draft.citations).ungrounded


@pytest.mark.parametrize("why", WHYS)
def test_ways_to_ask_for_the_reason_repeat_no_order(why: str) -> None:
    _, _, draft = talk(ORDERS[0], why)
    assert "What you could order" not in draft.answer
    assert "可以直接订的配置" not in draft.answer
    assert "params · bits" not in draft.answer


@pytest.mark.usefixtures("fresh_prices")
def test_the_next_smaller_card_does_not_hold_it_and_the_larger_has_more() -> None:
    _, records, _ = talk(ORDERS[1], "why that card?")
    order = next(one for one in records if one.tool == "configure").result["configurations"]
    rows = {row["id"] for row in next(one for one in records if one.tool == "find_gpus").result["gpus"]}
    best = next(one for one in order if one["gpu"] in rows)
    others = [gpu(key).usable_bytes for key in rows - {best["gpu"]}]
    assert min(others) < best["memory"]["needed_bytes_per_gpu"] <= gpu(best["gpu"]).usable_bytes < max(others)


def test_of_cards_compared_the_reason_is_what_sets_the_pace() -> None:
    first = talk("compare 4090 and 5090 for Qwen3 32B", "why that one?")[2].answer.split("\n")[0]
    assert "1.79 TB/s" in first
    first = talk("3090 or 4090 to LoRA Llama 3.1 8B?", "why that one?")[2].answer.split("\n")[0]
    assert "165 TFLOPS" in first


@pytest.mark.parametrize(
    ("turns", "task"),
    [
        (("微调 Qwen2.5-7B 用什么显卡？", "为什么"), "lora"),
        (("微调 Qwen2.5-7B 用什么显卡？", "便宜点的"), "lora"),
        (("微调 Qwen2.5-7B 用什么显卡？", "全参呢", "便宜点的"), "full_finetune"),
        (("What GPU should I buy to finetune Llama 3.1 8B?", "and for 70B?"), "lora"),
    ],
)
def test_the_way_to_fine_tune_stays_open_until_it_is_said(turns: tuple[str, ...], task: str) -> None:
    _, records, _ = talk(*turns)
    assert next(one for one in records if one.tool == "configure").request["task"] == task


def test_a_like_price_said_before_is_no_question_for_the_bill() -> None:
    turns = ("RTX 4090 vs RTX 5090 similar price, which is better for Qwen3 32B?", "why that one?")
    assert "1.79 TB/s" in talk(*turns)[2].answer.split("\n")[0]


def test_why_so_dear_is_still_answered_by_the_bill() -> None:
    first = talk("Which card for serving Qwen2.5-32B to 20 people?", "why is that so expensive?")[2].answer.split("\n")[
        0
    ]
    assert "GiB" not in first
    assert first.count("$") >= 2
