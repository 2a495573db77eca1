"""Cards by what a unit costs, and memory for the least money: read, ranked, told with date and caveat."""

import re

import pytest

from assistant.ground.check import ground
from assistant.plan import market, memory_target, particular, unit_price
from assistant.understand import understand
from kb.units import GIB
from tests.assistant.planning import turn


@pytest.mark.usefixtures("fresh_prices")
@pytest.mark.parametrize(
    ("text", "sort"),
    [
        ("which gpu has the best memory bandwidth per dollar?", "price_per_tb_s"),
        ("dollars per GB of VRAM: 5060 Ti 16GB or 4060 Ti 16GB?", "price_per_gib"),
        ("A100 80GB、L40S 按单位算力的价格排一下", "price_per_tflops"),
        ("每 G 显存多少钱，3090 和 7900 XTX 比", "price_per_gib"),
        ("$/TFLOPS for 5090, 4090 and 5080", "price_per_tflops"),
        ("显存性价比最高的卡是哪张", "price_per_gib"),
    ],
)
def test_the_price_of_a_unit_ranks_cards(text: str, sort: str) -> None:
    understanding, records, draft = turn(text)
    assert particular.shape(understanding) == "unit_price"
    assert unit_price.measure(text) == sort
    field = {"price_per_gib": "usd_per_gib", "price_per_tb_s": "usd_per_tb_s", "price_per_tflops": "usd_per_tflops"}
    rows = [one for one in records[0].result["gpus"] if one[field[sort]]]
    told = [float(figure.replace(",", "")) for figure in re.findall(r"\$([\d,.]*\d) \|$", draft.answer, re.M)]
    assert told == sorted(told)
    assert all(any(abs(one[field[sort]] - figure) < 1 for one in rows) for figure in told)
    assert len(told) > 1
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    "text",
    [
        "cost per million tokens of Llama 3 8B on a 4090",
        "how much VRAM does a 70B need per GPU?",
        "what does an H100 cost per hour?",
        "3090 每小时租多少钱",
    ],
)
def test_other_prices_are_no_price_of_a_unit(text: str) -> None:
    assert particular.shape(understand(text)) != "unit_price"


@pytest.mark.usefixtures("fresh_prices")
@pytest.mark.parametrize(
    ("text", "gib"),
    [
        ("least expensive way to reach 64GB of VRAM", 64),
        ("how can I get 128 GB of GPU memory cheaply", 128),
        ("怎么最省钱凑够 80G 显存", 80),
        ("想攒一台 48G 显存的机器，买什么卡", 48),
    ],
)
def test_memory_itself_is_bought_for_the_least_money(text: str, gib: int) -> None:
    understanding, records, draft = turn(text)
    assert particular.shape(understanding) == "memory_target"
    rows = memory_target.ranked([_row(one) for one in records[0].result["gpus"]], text)
    assert all(one.memory_bytes * (one.together_count or 0) >= gib * GIB for one in rows)
    best = memory_target.lead(rows)
    ordinary = [one for one in rows if market.ordinary(one)]
    assert best.together_price == min(one.together_price or 0 for one in ordinary)
    assert f"{best.together_count}×" in draft.answer.split("\n")[0]
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


def _row(one: dict[str, object]) -> memory_target.GpuRow:
    return memory_target.GpuRow.model_validate(one)


@pytest.mark.parametrize(
    "text", ["I have 24GB of VRAM, what can I buy next?", "cheapest way to run a 70B with 48GB VRAM"]
)
def test_memory_in_hand_or_for_a_model_is_no_target(text: str) -> None:
    assert particular.shape(understand(text)) != "memory_target"


def test_one_card_is_one_card() -> None:
    _, records, _ = turn("cheapest single card with 48GB of VRAM?")
    assert {one["together_count"] for one in records[0].result["gpus"]} == {1}


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("便宜点，5080 还是 4080?", 2),
        ("3090,4090,5090 which is best", 3),
        ("有钱,5090 和 4090 选哪个", 2),
    ],
)
def test_a_comma_before_a_card_makes_no_number_of_it(text: str, cards: int) -> None:
    need = understand(text).need
    assert len(need.gpus_asked) + len(need.gpus_owned) == cards


@pytest.mark.parametrize("text", ["it costs 2,080 dollars", "数据集有 1,080 张图", "12,345 tokens and 3,090 users"])
def test_thousands_stay_numbers(text: str) -> None:
    need = understand(text).need
    assert not need.gpus_asked
    assert not need.gpus_owned


@pytest.mark.usefixtures("fresh_prices")
@pytest.mark.parametrize("text", ["best value 32GB card?", "最便宜的 48G 显卡"])
def test_a_card_is_no_whole_machine(text: str) -> None:
    understanding, records, draft = turn(text)
    assert particular.shape(understanding) == "memory_target"
    rows = memory_target.ranked([_row(one) for one in records[0].result["gpus"]], text)
    assert rows
    assert {one.market for one in rows}.isdisjoint({"apu", "laptop"})
    assert all(one.together_count == 1 for one in rows)
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded
