"""Two purchases weighed for the money: one is taken, by memory, speed and price, and the other's case is told."""

import pytest

from assistant.ground.check import ground
from assistant.plan import deal, particular
from assistant.understand import understand
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("used RTX 3090 at $800 vs new 5070 for $600, for local LLMs, which is the better buy?", "RTX 3090"),
        ("4060 Ti 16G 卖 2600 元，3080 10G 卖 2500 元，跑大模型买哪张", "RTX 4060 Ti"),
        ("Is one RTX PRO 6000 worth it over two 5090s?", "RTX PRO 6000"),
        ("two 3090s or one 5090 for the money?", "RTX 3090"),
        ("5080 or 5070 Ti for ComfyUI, which is better value", "RTX 5070 Ti"),
    ],
)
def test_one_of_two_purchases_is_taken(text: str, taken: str) -> None:
    understanding, records, draft = turn(text)
    assert particular.shape(understanding) == "deal"
    assert taken in draft.answer.split("**")[1].split("：" if "：" in draft.answer else ":")[0].split(" at ")[0]
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    "text", ["A100 or H100 to rent, which is cheaper?", "3090 和 4090 哪个显存大", "what is a 4090?"]
)
def test_facts_and_rents_are_no_deal(text: str) -> None:
    assert particular.shape(understand(text)) != "deal"


def test_the_prices_stated_are_the_prices_weighed() -> None:
    understanding = understand("3090 for €700 or 5080 for €1300, which deal is better?")
    assert [(one.price, one.currency, one.said) for one in deal.options(understanding)] == [
        (700, "EUR", True),
        (1300, "EUR", True),
    ]


@pytest.mark.parametrize("price", [500, 900, 1500, 3000, 6000])
def test_a_card_never_becomes_the_better_buy_by_costing_more(price: int) -> None:
    def takes_it(asked: int) -> bool:
        _, _, draft = turn(f"3090 for ${asked} or 4090 for $1600 for LLMs, which is the better buy?")
        return "RTX 3090" in draft.answer.split(":")[0]

    assert takes_it(price) or not takes_it(price * 2)
