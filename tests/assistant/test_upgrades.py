"""What takes the place of a card in hand: a step up that holds the work, at a price, within the budget."""

import pytest

from assistant.ground.check import ground
from assistant.plan import particular, upgrade
from assistant.understand import understand
from kb.catalog import gpu
from kb.market.rates import usd
from tests.assistant.planning import turn
from tools.prices import card_price


@pytest.mark.usefixtures("fresh_prices")
@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("I've got a RTX 2060 6GB, which card should I upgrade to for 14B models?", "rtx-2060-6gb"),
        ("我的 3070 8G 想升级，主要跑 Qwen2.5-14B，买什么好", "rtx-3070-8gb"),
        ("my RTX 4070 12GB runs SDXL; what GPU next, max $1500?", "rtx-4070-12gb"),
        ("手上是 4060Ti 8G，预算 1 万换什么卡跑 32B", "rtx-4060-ti-8gb"),
        ("My GTX 1650 4GB is too slow. Budget $900, what card for local LLMs?", "gtx-1650-4gb"),
        ("Have a Tesla P40, want to replace it for a 32B model", "p40-24gb"),
        ("RTX 3080 10GB owner, what is the next step up for local LLMs under €2000?", "rtx-3080-10gb"),
    ],
)
def test_an_upgrade_is_a_step_up_that_holds_the_work(text: str, own: str) -> None:
    understanding, records, draft = turn(text)
    need = understanding.need
    assert particular.shape(understanding) == "upgrade"
    held = upgrade.in_place(need)
    assert held is not None
    assert held.gpu == own
    chosen = upgrade.choices(upgrade.goal(understanding, need))
    assert chosen
    for one in chosen:
        price = card_price(gpu(one.gpu))
        assert price is not None
        if need.budget:
            assert price.amount_usd <= usd(need.budget.amount, need.budget.currency)
        if one.gpu != own:
            assert gpu(one.gpu).memory_bytes >= gpu(own).memory_bytes
    fits = [
        one.result["fit"]["verdict"] for one in records if one.tool == "estimate_memory" and one.request["gpu"] != own
    ]
    assert "no" not in fits
    assert "$" in draft.answer.split("\n")[0]
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    ("text", "params"),
    [
        ("I run an 8B on my 3060 and want to go to 32B, what should I upgrade to?", 32e9),
        ("现在 4070 跑 7B，想上 14B，换什么卡", 14e9),
    ],
)
def test_the_size_aimed_at_comes_before_the_one_that_runs(text: str, params: float) -> None:
    understanding = understand(text)
    assert upgrade.goal(understanding, understanding.need).params == params


@pytest.mark.parametrize(
    "text",
    [
        "should I upgrade the driver on my 3090 for CUDA 12.8?",
        "upgrade from 4x H100 to rented B200s, what does it cost an hour?",
        "我的 3090 微调 7B 爆显存，要不要升级？CUDA out of memory",
    ],
)
def test_other_upgrades_are_none_of_cards(text: str) -> None:
    assert particular.shape(understand(text)) != "upgrade"


@pytest.mark.usefixtures("fresh_prices")
def test_a_larger_budget_never_takes_the_first_step_away() -> None:
    def first(budget: int) -> float:
        need = understand(f"I have a 3060 12GB, what card next for 14B models under ${budget}?").need
        price = card_price(gpu(upgrade.choices(need)[-1].gpu))
        return float(price.amount_usd) if price else 0.0

    prices = [first(budget) for budget in (700, 1500, 3500, 6000)]
    assert prices == sorted(prices)
