"""What things are sold for: machines by their cards, quotes held against the usual, ranges in the asker's money."""

import re
from typing import Any

import pytest

from kb.catalog import gpus
from tools.agent_tools.ledger import Ledger
from tools.agent_tools.quoted import held_against_usual
from tools.agent_tools.sold import priced
from tools.agent_tools.toolset import agent_tool


def called(tool: str, **asked: Any) -> dict[str, Any]:
    return dict(agent_tool(tool).look_up(asked, Ledger()).shown)


@pytest.mark.parametrize("cards", ["8x H20 141GB", "8x H100 SXM", "4x 4090", "8x L40S"])
def test_a_machine_is_looked_up_by_the_cards_in_it(cards: str) -> None:
    (row,) = called("look_up", kind="server", names=[cards], country="CN")["servers"]
    assert row["purchase_cost"].startswith("¥")
    assert row["lines"]


def test_what_is_neither_a_server_nor_cards_is_unknown() -> None:
    assert called("look_up", kind="server", names=["frobnicator 9"])["error"]["code"] == "unknown_name"


def costs(
    what: str, unit: float, low: float | None = None, high: float | None = None, count: int = 1
) -> dict[str, Any]:
    ends = {"value": unit, "low": low or unit, "high": high or unit}
    line = {"what": what, "count": count, "unit_cost": ends, "as_of": "2026-09"}
    return {"gpu": "h100-pcie-80gb", "own": {"prices": [line], "purchase_cost": ends}}


@pytest.mark.parametrize(
    ("paid", "verdict"), [(100_000, "within"), (108_000, "within"), (150_000, "above"), (60_000, "below")]
)
def test_a_quote_is_held_against_what_is_usual(paid: float, verdict: str) -> None:
    given = costs("machine with its cards, as you gave it", paid)
    found = held_against_usual(given, costs("Server", 95_000, 90_000, 100_000))
    assert found is not None
    assert verdict in found["verdict"]


def test_a_second_hand_card_is_usual_within_a_quarter() -> None:
    used = {**costs("GeForce RTX 3090, as you gave it", 950), "gpu": "rtx-3090-24gb"}
    found = held_against_usual(used, costs("GeForce RTX 3090", 1200))
    assert found is not None
    assert "within" in found["verdict"]
    assert found["purchase_cost"] is None  # of a card, whatever stands around it


def test_nothing_is_held_against_a_price_that_nobody_read() -> None:
    unread = {"own": {"prices": [{"what": "machine", "count": 1, "unit_cost": None, "as_of": None}]}}
    assert held_against_usual(costs("machine with its cards, as you gave it", 1), unread) is None


def test_a_price_is_a_range_with_its_day_and_whether_it_is_second_hand() -> None:
    price = {"amount_usd": "1000", "kind": "street", "as_of": "2026-09"}
    row = {"price": price, "price_high_usd": "1300", "status": "discontinued"}
    told = priced(row, "CN")["price"]
    assert (told["high_usd"], told["kind"], told["as_of"]) == (1300, "street, second-hand", "2026-09")
    assert told["amount_cny"] > 5_000
    assert "amount_cny" not in priced({**row, "price_cny": "7000"}, "CN")["price"]


@pytest.mark.parametrize("gpu", ["rtx-4090-24gb", "rtx-5090-32gb"])
def test_a_quote_for_a_whole_machine_is_not_held_against_cards_alone(gpu: str) -> None:
    own = called("cost", cards=f"8x {gpus()[gpu].name}", purchase_price="server $40000", years="3")["own"]
    whole = float(re.sub(r"[^\d.]", "", own["usual"]["purchase_cost"].split(" ")[0]))
    cards = float(re.sub(r"[^\d.]", "", own["usual"]["prices"][0]["unit_cost"].split(" ")[0]))
    assert whole > 8 * cards
