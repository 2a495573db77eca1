"""Questions with an answer of their own: clouds compared, orders priced, prices believed, cards alike."""

import pytest

from assistant.ground.check import ground
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "providers"),
    [
        ("AWS p5.48xlarge vs RunPod 8xH100, hourly", {"aws", "runpod"}),
        ("Lambda or CoreWeave for 8x H200, what's the price difference?", {"lambda", "coreweave"}),
        ("GCP 和 AWS 的 8 卡 A100，哪家便宜", {"gcp", "aws"}),
    ],
)
def test_clouds_are_compared_by_their_cheapest_offers(text: str, providers: set[str]) -> None:
    _, records, draft = turn(text)
    asked = [one for one in records if one.tool == "estimate_cost"]
    assert {one.request["provider"] for one in asked} == providers
    assert {one.request["gpu_count"] for one in asked} == {8}
    assert draft.verdict == "comparison"
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize("text", ["L4 or A10 – which is cheaper to rent?", "租 L20 还是 A10 便宜"])
def test_cards_to_rent_are_compared_by_price(text: str) -> None:
    _, records, draft = turn(text)
    assert len([one for one in records if one.tool == "estimate_cost"]) == 2
    assert not draft.clarifying_questions


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("quote for 2 servers w/ 8x H200 SXM each please", 16),
        ("采购 4 台 8 卡 H20 服务器，报价大概多少", 32),
        ("how much would 6x RTX PRO 6000 cost to buy?", 6),
    ],
)
def test_an_order_is_priced_line_by_line(text: str, cards: int) -> None:
    _, records, draft = turn(text)
    cost = next(one for one in records if one.tool == "estimate_cost")
    assert cost.result["gpu_count"] == cards
    assert cost.request["acquisition"] == "buy"
    assert f"{cards}×" in draft.answer.split("\n")[0]
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("Is it true the A100 costs $0.2/hr everywhere now?", "No"),
        ("I heard an H100 is only $300, right?", "No"),
        ("一张 H100 二手才 3 万块吧？", "不对"),
        ("4090 租一小时要 90 块，正常吗", "不对"),
        ("RTX 3090 used for $1,200, fair price?", "About right"),
    ],
)
def test_a_price_believed_is_held_against_those_read(text: str, starts: str) -> None:
    _, records, draft = turn(text)
    assert draft.answer.lstrip("*").startswith(starts)
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    ("text", "maker"),
    [
        ("昇腾 910B 相当于什么卡", "A100"),
        ("NVIDIA equivalent of the MI210?", "RTX"),
        ("what AMD card is comparable to an H100?", "MI300"),
    ],
)  # fmt: skip
def test_a_card_is_told_by_one_of_another_maker(text: str, maker: str) -> None:
    _, _, draft = turn(text)
    assert maker in draft.answer


@pytest.mark.parametrize(
    "text",
    ["我的 4090 每天开 10 小时，电费和租比哪个便宜", "my 5090 runs 6 h a day: is electricity cheaper than renting?"],
)  # fmt: skip
def test_ones_own_card_costs_its_electricity(text: str) -> None:
    _, records, draft = turn(text)
    cost = next(one for one in records if one.tool == "estimate_cost")
    assert cost.request["purchase_price"] == 0
    assert cost.result["own"]["purchase_cost"]["value"] == 0
    assert ("electricity" in draft.answer) or ("电费" in draft.answer)


def test_one_card_is_not_rented_as_eight() -> None:
    _, records, _ = turn("price of renting a single A100 for a week")
    rent = next(one.result["rent"][0] for one in records if one.tool == "estimate_cost")
    assert rent["gpu_hourly_cost"]["high"] < 12


def test_the_whole_cost_of_owning_leads_where_it_is_asked_for() -> None:
    _, records, draft = turn("TCO of 8 H100 SXM over 4 years at $0.11/kWh")
    total = next(one.result["own"]["total_cost"]["value"] for one in records if one.tool == "estimate_cost")
    assert f"{round(total, -3):,.0f}" in draft.answer.split("\n")[0]
