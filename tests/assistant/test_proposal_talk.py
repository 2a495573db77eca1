"""Turns after a proposal that speak of it: second-hand, the rest of the money, other makers, asides, one card left."""

import re

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


@pytest.mark.usefixtures("fresh_prices")
def test_used_cards_that_were_ruled_out_are_let_in_again() -> None:
    told = conversation("团队 30 人用 Qwen3 30B-A3B，用什么卡", "不要二手", "二手也行")
    assert [need.conditions for need, _ in told] == [(), ("new",), ()]
    assert "二手里" in first(told[-1][1])


@pytest.mark.parametrize("said", ["剩下的预算怎么花", "what could we do with the rest of the money?"])
def test_the_rest_of_the_money_is_counted_and_spent(said: str) -> None:
    (_, proposed), (need, draft) = conversation(TEAM, said)
    assert need.intent == "budget"
    bought, spent = (int(one.replace(",", "")) for one in re.findall(r"(?:约|能到 .+?，)\s*¥([\d,]+)", first(proposed)))
    assert bought < spent <= 1_000_000
    assert f"{1_000_000 - bought:,}" in first(draft)
    assert f"{spent:,}" in first(draft)


@pytest.mark.usefixtures("fresh_prices")
def test_the_rest_pays_for_the_computer_where_only_cards_are_priced() -> None:
    _, draft = conversation(HOME, "what can I do with the rest of the money?")[-1]
    assert "$464 of the $1,250" in first(draft)
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


def test_a_reason_why_it_is_slow_is_what_sets_the_pace() -> None:
    _, draft = conversation("想在家跑 32B，预算 2 万", "为什么这么慢")[-1]
    assert "显存带宽" in first(draft)


def test_the_arithmetic_of_the_memory_alone_is_one_list() -> None:
    _, draft = conversation("What do I need to serve Qwen3-32B to 40 people?", "and renting?",
                            "how did you get the memory number?")[-1]  # fmt: skip
    assert draft.answer.count("\n1. ") == 1
    assert "kwh" not in draft.answer


def test_several_lists_of_steps_say_what_they_reckon() -> None:
    _, draft = conversation("我有两张 3090，想跑 70B 4bit", "算式给我看看")[-1]
    assert "**显存：INT4、2×RTX 3090**" in draft.answer
    assert "**速度**" in draft.answer


def test_a_list_that_was_told_word_for_word_is_not_told_again() -> None:
    one, other = conversation("I want QLoRA of Mistral 7B at home, budget 3000 dollars", "new cards only")
    heading = "**What you could order**"
    assert heading in one[1].answer
    assert heading not in other[1].answer
    assert "the choice stays" in first(other[1])


def test_how_many_it_takes_is_how_many_are_rented() -> None:
    told = conversation("How many H100 for Llama 3.1 405B in 4 bit?", "how much per month on demand?")
    assert "4×H100" in first(told[0][1])
    assert "4×H100" in first(told[1][1])


def test_a_number_of_cards_goes_for_each_of_those_weighed() -> None:
    need, _ = conversation("H100 和 H200 训练 70B LoRA 要几张", "数据 5 亿 token，8 张要几天")[-1]
    assert [card.count for card in need.gpus_proposed] == [8, 8]


@pytest.mark.parametrize("said", ["can't be in the cloud", "the cloud is out", "数据不能出内网"])
def test_what_may_not_leave_is_bought(said: str) -> None:
    need, draft = conversation("What GPU for gpt-oss-120b for a small office of 10?", said)[-1]
    assert (need.users, need.acquisition) == (10, "buy")
    assert "Rent" not in draft.answer


def test_a_tariff_changes_what_owning_costs_and_no_budget() -> None:
    need, draft = conversation("deepseek r1 满血 给 100 人用，租还是买", "电费按 1 块钱算")[-1]
    assert (need.intent, need.tariff_per_kwh, need.budget) == ("cloud_or_buy", 1.0, None)
    assert draft.verdict == "recommendation"


def test_a_mac_is_held_against_what_was_put_forward() -> None:
    need, draft = conversation("I've got $4000. Best box for a 32B model?", "is a Mac better?")[-1]
    assert need.intent == "compare"
    assert [card.count for card in need.gpus_proposed] == [1, 1]
    assert draft.verdict == "comparison"


@pytest.mark.parametrize(
    ("said", "intent"),
    [("4090 现在多少钱", "spec"), ("那还是买 5090 吧，电源要多大", "power"), ("两张卡要多大电源", "power")],
)
def test_one_of_two_compared_is_asked_about_alone(said: str, intent: str) -> None:
    need, _ = conversation("4090 和 5090 跑 Qwen3-14B 哪个快", said)[-1]
    assert need.intent == intent
    assert len(need.gpus_asked) == (2 if "两张" in said else 1)


def test_cards_that_turn_out_to_be_there_are_tried_first() -> None:
    need, draft = conversation("we're 12 developers, want to run Qwen3-Coder 30B", "we have a server with 4x A5000")[-1]
    assert need.intent == "can_it_run"
    assert "4×RTX A5000" in first(draft)


def test_another_card_takes_the_place_of_as_many() -> None:
    need, _ = conversation("What does it cost to train a 1B on 20B tokens on 8 H100s?", "and if I use A100s")[-1]
    assert [(card.gpu, card.count) for card in need.gpus_proposed] == [("a100-sxm-80gb", 8)]


@pytest.mark.parametrize(
    ("said", "gone"), [("forget the deadline", "deadline_s"), ("never mind the context", "context_tokens")]
)
def test_what_is_forgotten_is_open_again(said: str, gone: str) -> None:
    told = conversation("Can I pretrain a 3B on 50B tokens at 4k context on 8 H100s within two weeks?", said)
    assert getattr(told[0][0], gone)
    assert getattr(told[1][0], gone) is None


def test_nvidia_lifts_the_condition_of_another_maker() -> None:
    told = conversation("家里想跑 30B 左右的模型，预算一万五", "那 AMD 呢", "还是 N 卡吧")
    assert [need.conditions for need, _ in told] == [(), ("amd",), ("nvidia",)]
