"""A purchase of which nobody said what it is to run: classes to choose from and a question, never one guessed card."""

import pytest

from assistant.plan.tiers import DESK, SHARED, SIZES
from assistant.understand import understand
from tests.assistant.planning import talk, turn


@pytest.mark.parametrize(
    "text",
    [
        "推荐一款显卡",
        "想配台 AI 主机，买什么好",
        "which GPU should I buy for AI?",
        "need a server for our company's LLM",
    ],
)
def test_without_a_workload_every_class_is_priced_and_the_use_is_asked(text: str) -> None:
    _, records, draft = turn(text)
    assert draft.verdict == "clarification"
    assert draft.clarifying_questions
    asked = [record.request["params"] for record in records if record.tool == "configure"]
    assert asked in (list(DESK), list(SHARED))
    assert len(draft.configurations) == len(asked)
    assert all(one.price.amount for one in draft.configurations)


@pytest.mark.parametrize(
    "text", ["预算 4 万怎么选", "I've got $3500, what should I get?", "€6000 budget, recommendations please"]
)
def test_a_budget_alone_buys_the_largest_class_within_it(text: str) -> None:
    understanding, records, draft = turn(text)
    assert not understanding.out_of_scope
    largest = max(record.request["params"] for record in records if record.result.get("configurations"))
    assert f"{largest // 10**9}B" in draft.answer.splitlines()[0]
    assert draft.clarifying_questions


def test_dearer_budgets_never_buy_less() -> None:
    sizes = []
    for amount in (1500, 3000, 6000, 12000):
        _, records, _ = turn(f"${amount} budget, which one?")
        sizes.append(max(record.request["params"] for record in records if record.result.get("configurations")))
    assert sizes == sorted(sizes)


@pytest.mark.parametrize(
    "text",
    ["预算两万买车怎么选", "预算 3000 买什么手机好", "budget 500 dollars which phone should I buy", "¥800 送礼怎么选"],
)
def test_money_for_other_things_is_not_ours(text: str) -> None:
    assert understand(text, None).out_of_scope


def test_training_without_a_model_is_priced_as_training() -> None:
    _, records, _ = turn("想自己微调模型，买什么显卡")
    assert {record.request["task"] for record in records if record.tool == "configure"} == {"qlora"}


def test_a_later_turn_that_says_the_model_leaves_the_classes() -> None:
    _, records, draft = talk("推荐一张显卡", "跑 Qwen3-14B")
    assert draft.verdict == "recommendation"
    assert all(record.request.get("params") not in SIZES for record in records if record.tool == "configure")
