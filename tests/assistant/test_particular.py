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


@pytest.mark.usefixtures("fresh_prices")
@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("Is it true the A100 costs $0.2/hr everywhere now?", "No"),
        ("I heard an H100 is only $300, right?", "No"),
        ("一张 H100 二手才 3 万块吧？", "不对"),
        ("4090 租一小时要 90 块，正常吗", "贵了"),
        ("供应商报价 4090 24G 一张 2.3万，贵不贵？", "贵了"),
        ("集成商报8卡H800整机210万，这价格合理吗", "差不多"),
        ("We got a quote of $285,000 for an 8x H100 SXM server. Is it fair?", "About right"),
        ("4x L40S server quoted at 62,000 EUR, reasonable?", "Too dear"),
        ("someone offers me two used A6000 for $5,500 together, is that a good deal?", "That can be fair"),
        ("Is $2.10/hr for an H100 a good price?", "Cheap"),
        ("vendor quotes 38,000 EUR for a workstation with 4x RTX 6000 Ada, good price?", "Too dear"),
        ("RTX 3090 used for $1,200, fair price?", "About right"),
        ("3090 二手 5000 块值吗", "低于行情"),
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


@pytest.mark.parametrize(
    ("text", "cheaper"),
    [
        ("whats cheaper per million tokens for Llama 3.1 70B fp8, 2xH100 or 1xH200", "rent_million_cost"),
        ("Qwen3-32B FP8 推理，一张 H20 和一张 L40S 哪个更省钱", "rent_million_cost"),
    ],
)
def test_the_card_that_does_the_work_for_less_leads(text: str, cheaper: str) -> None:
    _, records, draft = turn(text)
    found = {
        one.result["gpu"]: one.result["tokens"][cheaper]["value"] for one in records if one.tool == "estimate_cost"
    }
    assert len(found) == 2
    best = min(found, key=lambda gpu: found[gpu])
    first = draft.answer.split("\n")[0]
    assert first.index(best.split("-")[0].upper()) == min(first.index(gpu.split("-")[0].upper()) for gpu in found)
    assert not ground(first, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    ("text", "months"),
    [
        ("自己买 8 卡 A100 对比租，几个月回本", "个月回本"),
        ("if I buy 2x5090, how long until it beats renting?", "months"),
    ],
)  # fmt: skip
def test_the_months_until_a_purchase_pays_lead(text: str, months: str) -> None:
    _, records, draft = turn(text)
    met = next(one.result["break_even"]["months"]["value"] for one in records if one.tool == "estimate_cost")
    first = draft.answer.split("\n")[0]
    assert months in first
    assert f"{met:.0f}" in first


@pytest.mark.usefixtures("fresh_prices")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("reserved vs on demand H100 pricing?", "Reserved for a year saves"),
        ("is spot worth it for a 3 day 8xA100 fine-tune?", "Spot saves"),
        ("how many racks for 32 DGX H100 at 20 kW per rack", "32 machines take 32 racks"),
        ("How many tokens/s can 8xMI325X push for DeepSeek-V3 at 64 concurrent?", "tokens/s in all"),
        ("How much VRAM has the RTX PRO 4000?", "24 GB"),
        ("cheapest place to rent an H200?", "/h (as of"),
    ],
)
def test_what_was_asked_stands_first(text: str, said: str) -> None:
    _, records, draft = turn(text)
    first = draft.answer.split("\n")[0]
    assert said in first
    assert not ground(first, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize("text", ["can you buy me a 5090 and pay with my card", "帮我写采购 4090 服务器的招标文件"])
def test_errands_are_refused(text: str) -> None:
    _, records, draft = turn(text)
    assert draft.verdict == "out_of_scope"
    assert not records
