"""What a small budget leads with: one card one would buy, the machine around it, and by how much that is too much."""

import pytest

from assistant.compose.orders import cards_of
from assistant.plan.whose import at_home
from assistant.understand import understand
from kb.market.rates import usd
from tests.assistant.planning import turn
from tools.configuration import Configuration

SMALL = (
    "I have $700 for a whole PC that runs Llama 3.1 8B. What should I build?",
    "¥7000 想在家跑 Qwen2.5-14B，买什么显卡？",
    "学生，预算 5000 块，想跑 7B 模型，求配置单",
    "$900 budget, my own PC, Mistral 7B: which GPU?",
)


def first(text: str) -> tuple[Configuration, str]:
    """What leads the answer, and its verdict."""
    _, _, draft = turn(text)
    verdict = draft.answer.splitlines()[0]
    return next(one for one in draft.configurations if cards_of(one) in verdict), verdict


@pytest.mark.parametrize("text", SMALL)
def test_one_card_leads_where_two_smaller_ones_cost_the_least_in_eight_bits(text: str) -> None:
    one, _ = first(text)
    assert one.gpu_count == 1
    assert one.memory.verdict == "yes"


@pytest.mark.parametrize("text", SMALL)
def test_who_can_only_buy_a_card_is_told_what_the_machine_costs_beyond_the_budget(text: str) -> None:
    understanding, _, draft = turn(text)
    one, _ = first(text)
    budget, around = understanding.need.budget, one.machine_price
    assert budget is not None
    assert around is not None
    assert around.beyond is not None
    whole, alone = float(around.amount or 0), float(one.price.amount or 0)
    assert whole > alone > 0
    over = float(usd(float(around.beyond.amount), budget.currency))
    assert over == pytest.approx(whole - float(usd(budget.amount, budget.currency)), rel=0.02)
    assert f"{around.beyond.amount:,.0f}" in draft.answer


@pytest.mark.parametrize(("text", "in_verdict"), [(SMALL[0], True), (SMALL[1], False)])
def test_the_machine_stands_in_the_verdict_of_who_wants_one_and_behind_that_of_who_wants_a_card(
    text: str, in_verdict: bool
) -> None:
    one, verdict = first(text)
    assert one.machine_price is not None
    assert one.machine_price.beyond is not None
    assert (f"{one.machine_price.beyond.amount:,.0f}" in verdict) is in_verdict


@pytest.mark.usefixtures("fresh_prices")
def test_second_hand_cards_lead_where_new_ones_only_fit_as_tightly_for_more() -> None:
    text = "预算 3 万，本地跑 70B 量化，怎么配？"
    one, _ = first(text)
    assert one.condition == "used"
    assert one.gpu_count == 2
    new = [other for other in turn(text)[2].configurations if other.condition == "new"]
    assert new
    assert all(other.memory.verdict == one.memory.verdict == "tight" for other in new)
    assert all((other.price.amount or 0) > (one.price.amount or 0) for other in new)


@pytest.mark.usefixtures("fresh_prices")
def test_what_the_rest_of_a_budget_buys_is_faster() -> None:
    _, _, draft = turn("预算 3 万，本地跑 70B 量化，买什么卡？")
    assert "PRO 4000" not in draft.answer.splitlines()[0]


@pytest.mark.parametrize(
    ("text", "home"),
    [
        ("$3,000 for a rig to run 32B models", True),
        ("$3,000 for our team's 32B assistant", False),
        ("预算两万，给公司跑 32B", False),
        ("$30,000 for a rig to run 70B models", False),
        ("$30,000 for my home lab, 70B models", True),
        ("$300 a month for a 32B model in the cloud", False),
        ("$3,000 for a server, 20 users, 8B", False),
    ],
)
def test_a_small_budget_that_nobody_shares_is_one_persons(text: str, home: bool) -> None:
    assert at_home(text.lower(), understand(text).need) is home


@pytest.mark.usefixtures("fresh_prices")
def test_a_lab_that_spends_its_budget_is_not_given_half_as_many_cards() -> None:
    one, _ = first("课题组经费 20 万，买一台服务器给学生做 7B 的 LoRA 微调，怎么配？")
    assert one.gpu_count == 4


def test_several_ways_to_train_the_larger_of_two_sizes_are_each_sized() -> None:
    works = understand("经费 20 万，买服务器做 7B/13B 全参和 LoRA 微调，怎么配？").workloads
    assert {(one.task, one.params) for one in works} == {("full_finetune", 13 * 10**9), ("lora", 13 * 10**9)}


def test_what_no_budget_buys_names_the_nearest_and_by_how_much_it_is_too_dear() -> None:
    _, _, draft = turn("公司预算 40 万人民币，部署 DeepSeek-V3 给 100 人用，买什么？")
    assert draft.verdict == "does_not_fit"
    assert "比 ¥400,000 多 ¥" in draft.answer


def test_words_that_rule_quantising_out_are_kept_to_in_what_is_ordered() -> None:
    _, records, _ = turn("公司想买服务器跑满血 DeepSeek-R1，预算 300 万，买什么？")
    searched = next(one for one in records if one.tool == "configure")
    assert searched.request["weight_format"] == "fp8"
    assert {one["weight_format"] for one in searched.result["configurations"]} <= {"fp8"}


@pytest.mark.parametrize(
    "text", ["I have $400 a month for cloud GPUs. What can I serve with that?", "每月 2000 块租卡，能跑多大的模型？"]
)
def test_money_a_month_without_a_card_or_a_model_gets_the_classes_it_rents(text: str) -> None:
    _, records, draft = turn(text)
    assert sum(one.tool == "configure" for one in records) > 2
    assert "/h" in draft.answer or "/小时" in draft.answer


def test_an_order_asked_for_with_a_budget_leads_with_one() -> None:
    _, _, draft = turn("We have $50k for an on-prem box to serve Llama 3.3 70B to 60 employees. Which configuration?")
    assert draft.verdict == "recommendation"


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("双卡 4090 全年开着，一年电费多少？", "每年"),
        ("4090 一天满载电费多少钱？", "每天"),
        ("双卡 4090 一个月电费多少？", "每月"),
    ],
)
def test_electricity_is_told_in_the_unit_that_is_asked(text: str, unit: str) -> None:
    _, _, draft = turn(text)
    assert f"电费{unit}" in draft.answer.splitlines()[0]


def test_hosting_says_the_format_that_its_price_is_for_and_its_memory() -> None:
    _, records, draft = turn("AWS 上跑 Llama 3.3 70B 一个月要多少钱")
    best = next(one for one in records if one.tool == "estimate_memory" and one.request.get("weight_format") == "awq")
    assert "AWQ" in draft.answer.splitlines()[0]
    assert f"{best.result['per_gpu']['total_bytes'] / 2**30:.0f}" in draft.answer


def test_a_month_s_cost_each_way_is_told_each_way() -> None:
    _, records, draft = turn("Owning in a colo vs cloud: what does running 4×L40S cost per month in each?")
    asked = next(one for one in records if one.tool == "estimate_cost")
    assert asked.request.get("term_s") is None
    assert draft.answer.splitlines()[0].count(" a month") >= 2


def test_a_machine_of_unlike_cards_is_called_by_all_of_them() -> None:
    _, _, draft = turn("Two 3090s and a 5090 in one tower, what PSU?")
    assert "2×RTX 3090 + 1×RTX 5090" in draft.answer.splitlines()[0]


def test_circuits_that_are_counted_are_the_largest_of_the_voltage_named() -> None:
    _, _, draft = turn("How many circuits do I need for a DGX B200 at 208V?")
    assert draft.answer.startswith("**1 × 208 V 60 A 3~")


@pytest.mark.parametrize(("tokens", "few"), [("50M", True), ("20 billion", False)])
def test_requests_at_once_grow_with_a_month_s_tokens(tokens: str, few: bool) -> None:
    _, records, _ = turn(
        f"We pay $3,000 a month at an API for {tokens} tokens. Would self-hosting Qwen3-32B be cheaper?"
    )
    searched = next(one for one in records if one.tool == "configure")
    assert searched.request["concurrent_sequences"] == (8 if few else 64)
