"""A sum that pays for cards and no computer, and old cards of servers that stand in a tower."""

import pytest

from assistant.ground.check import ground
from tests.assistant.planning import turn


@pytest.mark.usefixtures("fresh_prices")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("I have $700, want to run a 32B", ["2×RTX 3060 12GB", "the cards alone", "GGUF Q4_K_M"]),
        ("I have $600 and a spare PC, want to run Qwen2.5 32B", ["2×RTX 3060 12GB", "the cards alone", "GGUF Q4_K_M"]),
        ("预算 5000 元，想跑 32B", ["2×RTX 3060 12GB", "只含显卡", "一台新主机"]),
    ],
)
def test_little_money_buys_cards_for_a_computer_that_is_there(text: str, said: list[str]) -> None:
    _, records, draft = turn(text)
    for one in said:
        assert one in draft.answer
    assert "Apple" not in draft.answer
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.usefixtures("fresh_prices")
def test_the_machine_around_is_told_beside_the_cards() -> None:
    _, _, draft = turn("I have $700, want to run a 32B")
    assert "with a new machine around it" in draft.answer


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("2×P40 for Llama 3.3 70B, what will it cost", "2×Tesla P40"),
        ("I want to buy used P40s to run Llama 3.3 70B, what do I need?", "Tesla P40"),
        ("想买两张二手 P40 跑 Qwen2.5 32B 要多少钱", "2×Tesla P40"),
    ],
)
def test_old_cards_of_servers_go_into_a_tower(text: str, cards: str) -> None:
    _, records, _ = turn(text)
    bought = [
        row for one in records if one.tool == "configure" for row in one.result["configurations"]
        if row["gpu"] == "p40-24gb" and row["acquisition"] == "buy"
    ]  # fmt: skip
    assert bought
    assert all(float(row["price"]["amount"]) < 6_000 for row in bought)
    assert all("blower" in {reason["code"] for reason in row["reasons"]} for row in bought)


def test_newer_cards_of_servers_keep_a_server() -> None:
    _, records, _ = turn("how much does a machine with one L40S cost for Llama 3.1 8B")
    rows = [row for one in records if one.tool == "configure" for row in one.result["configurations"]]
    assert rows
    assert not any(reason["code"] == "blower" for row in rows for reason in row["reasons"])


def test_parameters_are_no_memory_in_what_one_needs() -> None:
    need = turn("What do I need for full-parameter GRPO of Qwen2.5 7B?")[0].need
    assert (need.intent, need.method) == ("which_to_buy", "grpo")
