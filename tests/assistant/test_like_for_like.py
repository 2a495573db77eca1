"""Owning against renting in one format, and cards that come in whole servers only."""

import pytest

from assistant.plan.boards import unsold, whole
from assistant.plan.formats import bits
from tests.assistant.planning import turn
from tools.need import GpuCount


@pytest.mark.parametrize(
    "text",
    [
        "Rent or buy for Llama 3.3 70B?",
        "租还是买最划算，跑 70B",
        "is it cheaper to own or rent for gpt-oss-120b 24/7",
        "Qwen3-235B 自建还是租云划算，一天 10 小时",
    ],
)
def test_owned_and_rented_hardware_hold_the_same_format(text: str) -> None:
    _, records, draft = turn(text)
    cost = next(one for one in records if one.tool == "estimate_cost" and "error" not in one.result)
    form = cost.request["weight_format"]
    rows = [row for one in records if one.tool == "configure" for row in one.result["configurations"]]
    leases = [row for row in rows if row["acquisition"] == "rent" and bits(row["weight_format"]) == bits(form)]
    hourly = [float((row["price"]["asked_price"] or row["price"])["amount"]) for row in leases]
    rent = cost.request["rent_per_hour"]
    assert any(one == pytest.approx(rent, rel=0.02) for one in hourly)
    assert any(form.upper().split(":")[-1] in line for line in draft.assumptions)


@pytest.mark.parametrize(
    ("card", "count", "sizes", "sold"),
    [
        ("h20-96gb", 4, (8,), 8),
        ("h20-96gb", 8, (), 8),
        ("h20-96gb", 16, (), 16),
        ("h100-sxm-80gb", 2, (4, 8), 4),
        ("h100-sxm-80gb", 4, (), 4),
        ("v100-sxm2-32gb", 2, (), 2),
        ("rtx-4090-24gb", 3, (), 3),
        ("a100-pcie-80gb", 2, (), 2),
    ],
)
def test_cards_on_boards_are_bought_in_whole_servers(card: str, count: int, sizes: tuple[int, ...], sold: int) -> None:
    asked = GpuCount(gpu=card, count=count)
    assert unsold(asked) == sizes
    assert whole(asked).count == sold


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("4 张 H20 租还是买划算", "不单卖"),
        ("2 张 H200 SXM 买还是租", "不单卖"),
        ("How much does it cost to buy 4 H20", "not sold by the card"),
        ("4×H20 or 8×4090 to buy for DeepSeek-R1-Distill-70B?", "not sold by the card"),
    ],
)
def test_what_is_only_rented_is_not_offered_to_buy(text: str, said: str) -> None:
    _, _, draft = turn(text)
    assert said in draft.answer.split("\n")[0]


@pytest.mark.parametrize("text", ["8 张 H20 租还是买划算", "rent 4 H20 for a week, how much", "4x4090 买还是租"])
def test_what_is_sold_or_rented_so_is_told_plainly(text: str) -> None:
    answer = turn(text)[2].answer
    assert "不单卖" not in answer
    assert "not sold by the card" not in answer
