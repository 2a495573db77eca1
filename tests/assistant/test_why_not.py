"""A card held against the one put forward or in hand: "why not a Mac Studio?", 「为什么不用两张 A6000？」."""

import pytest

from assistant.answer import Draft, ToolCallRecord
from assistant.understanding import Understanding
from tests.assistant.planning import turn


def after(first: str, then: str) -> tuple[Understanding, list[ToolCallRecord], Draft]:
    """The second turn, after what the first one showed."""
    understood, _, draft = turn(first)
    return turn(then, understood.need.model_copy(update={"shown": draft.shown}))


@pytest.mark.usefixtures("fresh_prices")
@pytest.mark.parametrize(
    ("first", "then", "named"),
    [
        ("Which card for a 32B at home?", "why not two 3060s?", ("rtx-3060-12gb", 2)),
        ("Which card for a 32B at home?", "how does that compare to two 3060s?", ("rtx-3060-12gb", 2)),
        ("预算 10 万，跑 Qwen2.5-72B，20 人用", "和 4 张 4090 比呢", ("rtx-4090", 4)),
        ("We need to run Llama-3.3-70B for 10 users, budget $25k. What do we buy?", "why not a Mac Studio?",
         ("apple-m3-ultra-256gb", 1)),
        ("公司要部署 Qwen3-32B 给 50 人用，买什么？", "用 Mac Studio 不行吗？", ("apple-m3-ultra-256gb", 1)),
        ("What should I buy to run Qwen3-30B-A3B for myself, $3000?", "wouldn't a DGX Spark be better?",
         ("gb10", 1)),
    ],
)  # fmt: skip
def test_the_card_named_is_weighed_against_the_one_put_forward(first: str, then: str, named: tuple[str, int]) -> None:
    offered = turn(first)[2].shown.offered[0].gpu
    understood, records, draft = after(first, then)
    cards = {one.gpu: one.count for one in understood.need.gpus_proposed}
    assert offered in cards
    assert next((count for gpu, count in cards.items() if gpu.startswith(named[0])), 1) == named[1]
    assert draft.verdict == "comparison"
    sized = {one.request.get("gpu") for one in records if one.tool == "estimate_memory"}
    assert len({offered} & sized) == 1
    assert any(str(gpu).startswith(named[0]) for gpu in sized)


def test_cards_in_hand_are_what_others_are_weighed_against() -> None:
    understood, _, draft = after("4 张 3090 跑 Qwen2.5-72B 怎么样？", "为什么不用两张 A6000？")
    assert [(one.gpu, one.count) for one in understood.need.gpus_owned] == [("rtx-3090-24gb", 4)]
    assert [(one.gpu, one.count) for one in understood.need.gpus_proposed] == [("rtx-a6000-48gb", 2)]
    assert "4×RTX 3090 更快" in draft.answer.split("\n")[0]


def test_a_mac_serves_many_from_files_for_nothing_else_runs_there() -> None:
    _, _, draft = after(
        "We need to run Llama-3.3-70B for 10 users, budget $25k. What do we buy?", "why not a Mac Studio?"
    )
    head = draft.answer.split("\n")[0]
    assert "Only " not in head
    assert "M3 Ultra" in head
    assert "GGUF" in head


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("Which card for a 32B at home?", "and with a 3090?"),
        ("Which card for a 32B at home?", "why?"),
        ("买什么卡跑 Qwen2.5-14B？", "那 4090 能跑吗？"),
    ],
)
def test_another_card_alone_is_not_weighed(first: str, then: str) -> None:
    understood, _, _ = after(first, then)
    assert understood.need.intent != "compare"
