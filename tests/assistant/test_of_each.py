"""One matter of cards that were compared: the price of each to buy and to rent, the power of each."""

import pytest

from assistant.ground.check import ground
from tests.assistant.planning import talk, turn


@pytest.mark.parametrize(
    ("first", "then", "cards"),
    [
        ("L40S or RTX 6000 Ada?", "which is cheaper?", ("L40S", "RTX 6000 Ada")),
        ("A100 vs H100 for Llama 70B serving", "the cheaper one?", ("A100", "H100")),
        ("4090 和 5090 对比", "哪个更便宜", ("RTX 4090", "RTX 5090")),
        ("L20 和 4090 哪个适合跑 Qwen2.5-32B", "哪张便宜些", ("L20", "RTX 4090")),
    ],
)
def test_cheaper_is_told_by_the_price_of_each_to_buy_and_to_rent(first: str, then: str, cards: tuple[str, ...]) -> None:
    _, records, draft = talk(first, then)
    line = draft.answer.split("\n")[0]
    assert all(line.count(card) >= 2 for card in cards)
    assert "/h" in line or "/小时" in line
    assert "token" not in line
    assert not ground(draft.answer, records, (first, then), draft.citations).ungrounded


def test_cheaper_to_rent_leads_with_the_rents_of_both() -> None:
    line = talk("H100 vs L40S for a 13B", "which one is cheaper to rent?")[2].answer.split("\n")[0]
    assert line.index("L40S") < line.index("To buy")
    assert line.startswith("**To rent")


def test_renting_against_buying_stays_that_question() -> None:
    assert talk("H100 vs A100", "cheaper to rent or buy?")[0].need.intent == "cloud_or_buy"


def test_the_cheaper_work_is_told_after_the_prices() -> None:
    _, _, draft = talk("H100 vs L40S for a 13B", "which is cheaper?")
    assert draft.answer.index("To buy") < draft.answer.index("a million output tokens")


@pytest.mark.parametrize(
    ("first", "then", "least", "both"),
    [
        ("4090 vs L40S for 14B", "Which uses less power?", "L40S", ("350 W", "450 W")),
        ("L40S vs 4090 vs A6000 for Qwen2.5-32B", "and power?", "RTX A6000", ("300 W", "350 W", "450 W")),
        ("3090 和 4090 对比", "哪个更省电", "RTX 3090", ("350 W", "450 W")),
        ("H100 和 A100 对比", "功耗呢", "A100 SXM4 80GB", ("400 W", "700 W")),
    ],
)
def test_power_is_told_of_each_card(first: str, then: str, least: str, both: tuple[str, ...]) -> None:
    _, records, draft = talk(first, then)
    line = draft.answer.split("\n")[0]
    assert line.removeprefix("**").startswith(least)
    assert all(draw in line for draw in both)
    assert not ground(draft.answer, records, (first, then), draft.citations).ungrounded


def test_cards_used_together_are_fed_together() -> None:
    line = turn("I have a 3090 and a 4090 in one machine, how many watts?")[2].answer.split("\n")[0]
    assert "RTX 3090 + 1×RTX 4090" in line


def test_anything_cheaper_after_a_comparison_is_another_card() -> None:
    need = talk("A100 和 L40S 哪个跑 32B 好", "有更便宜的吗")[0].need
    assert not need.gpus_asked
    assert not need.doubts


def test_a_card_without_a_price_is_said_to_have_none() -> None:
    line = talk("2080Ti 22G 改装卡和 3090 对比", "3090 贵多少")[2].answer.split("\n")[0]
    assert "RTX 3090（$" in line
    assert "没有读到 RTX 2080 Ti 22GB" in line


def test_the_supply_is_asked_of_the_machine_not_of_each_card() -> None:
    line = talk("3090 和 4090 对比", "电源要多大")[2].answer.split("\n")[0]
    assert "电源选" in line
