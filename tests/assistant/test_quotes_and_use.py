"""Renting against buying at a quote, over a stated use, and of cards that nobody lets."""

import pytest

from assistant.ground.check import ground
from assistant.understand import understand
from assistant.understand.text import Text
from assistant.understand.usage import find_usage
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        pytest.param("used 6 hours a day, 22 days a month", 132, id="days-a-month"),
        pytest.param("10h/day 20 days/month", 200, id="slashes"),
        pytest.param("一个月跑20天,每天10小时", 200, id="zh"),
        pytest.param("8 hours a day, 5 days a week", 173.8, id="days-a-week"),
    ],
)
def test_days_of_the_month_limit_the_use(text: str, hours: float) -> None:
    found = find_usage(Text.of(text).plain)
    assert found is not None
    assert found.value == pytest.approx(hours, abs=0.1)


@pytest.mark.parametrize(
    ("text", "price"),
    [
        pytest.param("供应商报价4卡L40S服务器32万,跟租比几个月回本?", 320_000, id="quote-before-cards"),
        pytest.param("8卡A800服务器报价95万,每天跑10小时,买还是租?", 950_000, id="quote-after-cards"),
    ],
)
def test_quote_is_what_owning_costs(text: str, price: float) -> None:
    _, records, _ = turn(text)
    costs = [one.request for one in records if one.tool == "estimate_cost"]
    assert costs[0]["purchase_price"] == price


@pytest.mark.parametrize(
    ("text", "rented", "owned"),
    [
        pytest.param("4张H800,每天只用8小时,用两年,租还是买?", "4×H100 SXM5 80GB", "8×H800 SXM5 80GB", id="part"),
        pytest.param("8卡A800服务器报价95万,每天跑10小时,买还是租?", "同样张数的 A100", "8×A800", id="whole"),
    ],
)
def test_card_that_nobody_lets_is_weighed_at_the_rent_of_the_nearest(text: str, rented: str, owned: str) -> None:
    _, _, draft = turn(text)
    assert draft.verdict == "recommendation"
    assert rented in draft.answer
    assert owned in draft.answer


def test_rent_over_a_project_is_told_whole() -> None:
    _, _, draft = turn("Rent or buy? 2x H100, used 6 hours a day, 22 days a month, for 18 months.")
    assert "over the 1.5 years" in draft.answer.splitlines()[0]


@pytest.mark.parametrize(
    ("text", "judged", "does"),
    [
        pytest.param(
            "A vendor quotes us 8x H20 141GB at ¥1.35M. Is that fair, and will it serve DeepSeek-V3.1 to 100 users at"
            " 15 tok/s each?",
            "About right",
            "Yes: DeepSeek-V3.1 in FP8",
            id="no-power-known",
        ),
        pytest.param(
            "供应商报价8卡A100 80G服务器110万,贵不贵?能跑Qwen2.5-72B给50人并发用吗?",
            "差不多",
            "能。Qwen2.5-72B",
            id="zh-bare-sum",
        ),
    ],
)
def test_offer_is_judged_and_held_against_the_work(text: str, judged: str, does: str) -> None:
    _, _, draft = turn(text)
    assert judged in draft.answer.splitlines()[0]
    assert does in draft.answer


def test_rent_beyond_the_money_of_a_year_is_told_as_a_share_of_it() -> None:
    text = "Can we rent enough A100s for DeepSeek-V3 in 4-bit on a budget of $50k a year?"
    _, records, draft = turn(text)
    assert "Not around the clock" in draft.answer.splitlines()[0]
    assert not ground(draft.answer, records, [text], draft.citations).ungrounded


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("预算每年30万租卡,跑Qwen2.5-72B", id="each-year"),
        pytest.param("一年预算30万租卡跑70B", id="a-year"),
    ],
)
def test_budget_of_a_year_has_its_period(text: str) -> None:
    budget = understand(text).need.budget
    assert budget is not None
    assert (budget.amount, budget.period, budget.mode) == (300_000, "year", "rent")


def test_cheapest_is_what_costs_far_less_though_undated() -> None:
    _, _, draft = turn("Qwen2.5-14B最便宜的租用方案是什么")
    prices = [one.price.amount for one in draft.configurations if one.price.amount and one.memory.verdict == "yes"]
    assert draft.configurations[0].price.amount <= 2 * min(prices)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(
            "Is it cheaper to rent 8x H200 for 4 months or buy a server at $320k, if it runs 16 hours a day?",
            "against $320,000",
            id="at-a-quote",
        ),
        pytest.param("4张L40S用5个月,每天8小时,租还是买?", "租 1,217 小时", id="zh"),
    ],
)
def test_project_of_months_is_rented(text: str, said: str) -> None:
    first = turn(text)[2].answer.splitlines()[0]
    assert first.startswith(("**Rent", "**租"))
    assert said in first


def test_cheapest_rental_of_a_job_is_by_what_the_job_comes_to() -> None:
    text = "We want to fully fine-tune Llama 3.1 8B on 500M tokens within 48 hours. Cheapest rental?"
    _, records, draft = turn(text)
    run = next(one.result["run"] for one in records if one.tool == "estimate_cost")
    totals = [float(p.total_usd) for one in draft.configurations for p in one.rent_prices if p.kind == "on_demand"]
    assert run["cheapest_cost"] <= 1.5 * min(totals)


def test_sum_that_the_boss_gave_is_the_budget() -> None:
    budget = understand("老板给了80万,白天给80人做Qwen3-32B问答,晚上微调14B,怎么配一台机器?").need.budget
    assert budget is not None
    assert budget.amount == 800_000


def test_whether_a_card_may_be_sold_comes_before_what_it_does() -> None:
    text = "H20被禁了吗?现在买H20做DeepSeek-V3.1推理风险在哪,有什么替代?"
    _, records, draft = turn(text)
    assert "许可证" in draft.answer.splitlines()[0]
    assert "DeepSeek-V3.1" in draft.answer
    assert not ground(draft.answer, records, [text], draft.citations).ungrounded


@pytest.mark.parametrize(
    ("text", "use"),
    [
        ("What does it cost to rent GPUs to QLoRA Qwen2.5-32B on 10M tokens?", False),
        ("租卡用 QLoRA 微调 Qwen2.5-14B，2000 万 token，要花多少钱？", False),
        ("Should we rent or buy 8×H100?", True),
    ],
)
def test_what_is_rented_for_one_run_is_not_reckoned_over_years(text: str, use: bool) -> None:
    _, _, draft = turn(text)
    assert any(word in draft.answer for word in ("Reckoned over", "around the clock", "全天候", "年计")) is use
