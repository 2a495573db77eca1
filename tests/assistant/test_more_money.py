"""What the rest of a budget buys, and how many cards a supply feeds."""

import pytest

from assistant.ground.check import ground
from assistant.understand.running import read_running
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("FLUX.1-dev on my own machine, $60k budget, which one?", "What the rest of the budget would bring"),
        ("自己在家用 SD3.5 出图，预算 40 万，买什么机器", "剩下的预算能换来什么"),
    ],
)
def test_a_budget_mostly_left_is_told_what_it_brings(text: str, title: str) -> None:
    _, records, draft = turn(text)
    found = next(one.result for one in records if one.tool == "configure" and one.result.get("frontier"))
    told = draft.answer.split(title)[1].split("\n\n")[1].split("\n")
    priced = [point["price"] for point in found["frontier"] if point["acquisition"] == "buy"]
    assert 1 <= len(told) <= 3
    assert all(price <= found["budget_usd"] for price in priced)
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.usefixtures("fresh_prices")
@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("an image studio with FLUX, $60k budget, which machine?", 4),
        ("vision lab training YOLO, $50k budget, which machine?", 4),
        ("SDXL/FLUX 工作室，200万预算，该怎么买", 16),
        ("实验室经费50万，主要跑ResNet、YOLO训练，8个学生用，怎么花？", 8),
        ("Studio renders in Blender/Octane, 15k USD, one workstation or two?", 2),
    ],
)
def test_an_organisation_puts_its_budget_into_the_work(text: str, cards: int) -> None:
    _, records, draft = turn(text)
    best = draft.configurations[0]
    assert best.gpu_count >= cards
    assert f"{best.gpu_count}×" in draft.answer.split("\n")[0]
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("We have $20k for a box to serve Llama 3.3 70B to 15 engineers. What should we buy?", "the whole $20,000"),
        ("公司预算100万跑qwen3-32b，要怎么买才不浪费？", "¥1,000,000 全花完"),
    ],
)
def test_the_first_sentence_tells_what_is_left(text: str, left: str) -> None:
    _, records, draft = turn(text)
    assert left in draft.answer.split("\n")[0]
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


def test_a_company_is_sized_for_several_requests_at_once() -> None:
    _, records, draft = turn("公司预算100万跑qwen3-32b，要怎么买才不浪费？")
    asked = next(one.request for one in records if one.tool == "configure")
    assert asked["concurrent_sequences"] == 16
    assert "16 路并发" in draft.answer.split("\n")[0]
    assert draft.clarifying_questions


def test_a_budget_that_is_spent_is_not_told_so() -> None:
    _, _, draft = turn("FLUX.1-dev at home, budget $2600, which machine?")
    assert "rest of the budget" not in draft.answer


@pytest.mark.parametrize(
    ("text", "watts"), [("how many 3090s can a 1600W PSU feed?", 1600), ("2000W 电源最多带几张 4090", 2000)]
)
def test_the_cards_a_supply_feeds_are_counted(text: str, watts: int) -> None:
    _, records, draft = turn(text)
    assert read_running(text).psu_w == watts
    plan = next(one for one in records if one.tool == "plan_power")
    assert plan.result["supply"]["at_hand"] == "yes"
    assert f"{plan.result['gpu_count']}×" in draft.answer.split("\n")[0]
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded
