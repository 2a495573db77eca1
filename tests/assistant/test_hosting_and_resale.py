"""What a model costs to host over a time, what a card fetches later, and how long a pre-training may take."""

import re

import pytest

from assistant.ground.check import ground
from assistant.plan import particular
from assistant.understand import understand
from assistant.understand.running import read_running
from tests.assistant.planning import turn
from tools.registry import tools


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("what would it cost to host Llama 3.1 8B in the cloud for a month?", 730),
        ("租卡部署 Qwen2.5-32B 三个月要多少钱", 2190),
        ("rent a GPU for Mistral 7B for 2 weeks, how much?", 336),
    ],
)
def test_hosting_is_priced_over_the_time(text: str, hours: int) -> None:
    understanding, records, draft = turn(text)
    assert particular.shape(understanding) == "hosting"
    rents = [one.result["rent"][0] for one in records if one.tool == "estimate_cost" and one.result["rent"]]
    least = min(one["term_cost"]["low"] for one in rents)
    assert all(one["term_s"] == pytest.approx(hours * 3600) for one in rents)
    assert f"{hours:,}" in draft.answer.split("\n")[0]
    told = [float(figure.replace(",", "")) for figure in re.findall(r"[$¥]([\d,.]*\d)", draft.answer.split("\n")[0])]
    assert any(abs(figure / least - 1) < 0.01 for figure in told)
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("what will my 3090 be worth in 2 years?", 2),
        ("resale value of an L40S after 3 years", 3),
        ("一张 A100 80G 用一年还能卖多少", 1),
    ],
)
def test_resale_is_the_usual_share_of_the_price(text: str, years: int) -> None:
    understanding, records, draft = turn(text)
    assert particular.shape(understanding) == "resale"
    own = records[0].result["own"]
    assert own["resale_cost"]["value"] == pytest.approx(own["purchase_cost"]["value"] * own["residual_ratio"]["value"])
    assert records[0].result["years"] == pytest.approx(years)
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize("card", ["rtx-4090", "l40s", "h100-pcie-80gb"])
def test_an_older_card_never_fetches_more(card: str) -> None:
    def fetched(years: float) -> float:
        asked = {"gpu": card, "acquisition": "buy", "years": years, "machine_price": 0.0}
        return float(tools()["estimate_cost"].call(asked).model_dump()["own"]["resale_cost"]["value"])

    values = [fetched(years) for years in (1, 1.5, 2, 3, 4)]
    assert values == sorted(values, reverse=True)


def test_a_pretraining_without_a_deadline_is_done_in_months() -> None:
    text = "I need to pretrain a 2B on 200B tokens, budget $20000. Rent what?"
    _, records, draft = turn(text)
    asked = next(one.request for one in records if one.tool == "configure")
    assert asked["deadline_s"] == 90 * 86400
    assert "90 days" in draft.answer


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("budget $5k, or should we rent?", None),
        ("预算 30 万，租还是自己干", None),
        ("budget $5k to buy a workstation, or rent?", "buy"),
        ("$2/hour on runpod", "rent"),
    ],
)
def test_a_budget_beside_words_of_renting_leaves_both_open(text: str, mode: str | None) -> None:
    budget = understand(f"{text} LoRA of an 8B").need.budget
    assert budget is not None
    assert budget.mode == mode


@pytest.mark.parametrize(
    ("text", "nodes", "each"),
    [
        ("采购 6 台推理服务器，每台 4 张 L40S", 6, 4),
        ("buy 5 servers with 8 H100 each", 5, 8),
        ("三台机器，每台 8 卡 4090", 3, 8),
    ],
)
def test_machines_with_their_cards_are_read(text: str, nodes: int, each: int) -> None:
    running = read_running(text)
    assert (running.nodes, running.cards_per_node) == (nodes, each)


@pytest.mark.parametrize(
    ("text", "watts"), [("new PSU for two 3090s? I have 1000W", 1000), ("两张 4090 电源够吗，现在是 1600W", 1600)]
)
def test_the_supply_in_hand_is_read_after_the_cards(text: str, watts: int) -> None:
    assert read_running(text).psu_w == watts
