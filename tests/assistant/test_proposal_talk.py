"""Turns after a proposal that speak of it: second-hand, the rest of the money, other makers, asides, one card left."""

import pytest

from tests.assistant.test_follow_ups import conversation, first

HOME = "I want to run Qwen2.5 32B at home for myself. Budget $1250"
TEAM = "我们要给 50 个客服部署 Qwen2.5-72B，上下文 16k，预算 100 万人民币"


@pytest.mark.parametrize(
    "said",
    [
        "is used fine?",
        "used is ok too",
        "what about second-hand?",
        "I don't mind refurbished",
        "二手也行",
        "接受二手吗",
    ],
)
def test_used_after_a_proposal_is_told_what_it_changes(said: str) -> None:
    need, draft = conversation(HOME, said)[-1]
    assert need.weight_format is None
    assert first(draft).startswith(
        ("**It is second-hand", "**Second-hand", "**首选本来就是二手", "**放开二手", "**可以：二手")
    )


def test_used_cards_that_were_ruled_out_are_let_in_again() -> None:
    told = conversation("团队 30 人用 Qwen3 30B-A3B，用什么卡", "不要二手", "二手也行")
    assert [need.conditions for need, _ in told] == [(), ("new",), ()]
    assert "二手里" in first(told[-1][1])


@pytest.mark.parametrize("said", ["剩下的预算怎么花", "what could we do with the rest of the money?"])
def test_the_rest_of_the_money_is_counted_and_spent(said: str) -> None:
    need, draft = conversation(TEAM, said)[-1]
    assert need.intent == "budget"
    assert "829,000" in first(draft)
    assert "948,000" in first(draft)


def test_the_rest_pays_for_the_computer_where_only_cards_are_priced() -> None:
    _, draft = conversation(HOME, "what can I do with the rest of the money?")[-1]
    assert "$400 of the $1,250" in first(draft)
    assert "computer around the cards" in first(draft)


def test_a_length_with_a_scale_is_no_budget() -> None:
    told = conversation(TEAM, "上下文到 128k 呢", "预算改成 300k")
    assert [need.budget.amount for need, _ in told if need.budget] == [1e6, 1e6, 3e5]
    assert told[1][0].context_tokens == 131072


def test_cards_beyond_the_budget_are_told_so_first() -> None:
    _, draft = conversation(TEAM, "换成 H20 呢")[-1]
    assert "8×H20 96GB 放得下" in first(draft)
    assert "超出 ¥1,000,000" in first(draft)


def test_another_maker_after_a_proposal_is_a_condition() -> None:
    need, draft = conversation(HOME, "what about AMD")[-1]
    assert need.conditions == ("amd",)
    assert not need.gpus_asked
    assert "AMD" in first(draft)


def test_an_aside_leaves_the_conversation_as_it_was() -> None:
    told = conversation("How much VRAM for Llama 3.1 8B at 32k context fp16?",
                        "by the way, which is faster for gaming, 4080 or 4070?",
                        "back to the llama: how many users at 32k on one L40S?")  # fmt: skip
    assert told[1][1].verdict == "out_of_scope"
    assert [need.model for need, _ in told] == ["meta-llama/Meta-Llama-3.1-8B"] * 3
    assert told[2][0].weight_format == "fp16"
    assert not told[2][0].doubts


@pytest.mark.parametrize(
    "said", ["谢谢，很有用", "thanks, that was very helpful", "哈哈明白了", "ok, let me think about it"]
)
def test_thanks_repeat_nothing_and_keep_everything(said: str) -> None:
    (before, _), (need, draft) = conversation(HOME, said)
    assert draft.verdict == "fact"
    assert "3090" not in draft.answer
    assert (need.model, need.budget) == (before.model, before.budget)


def test_one_card_left_of_a_comparison_is_asked_whether_it_does() -> None:
    need, draft = conversation("RTX 5090 or two 3090s for local 70B?", "and just one 3090?")[-1]
    assert need.intent == "can_it_run"
    assert draft.verdict == "does_not_fit"


def test_the_bill_for_electricity_is_answered_after_a_comparison() -> None:
    _, draft = conversation("RTX 5090 or two 3090s for local 70B?", "power bill at $0.30/kWh, 8 hours a day?")[-1]
    assert "kWh a month" in first(draft)


def test_why_nothing_fits_names_the_narrowest_format() -> None:
    _, draft = conversation("RTX 5090 or two 3090s for local 70B?", "why?")[-1]
    assert "INT4" in first(draft)


def test_so_many_people_are_told_to_have_hardware_found() -> None:
    _, draft = conversation("公司要做 RAG，30 人用，文档机密不能上云")[-1]
    assert draft.verdict == "recommendation"


def test_cheaper_after_rent_against_buying_finds_something_cheaper() -> None:
    told = conversation(TEAM, "那买还是租", "再便宜点")
    assert told[2][0].intent == "which_to_buy"
    assert first(told[2][1]) != first(told[1][1])
