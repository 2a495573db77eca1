"""A price that somebody was quoted, held against what the same is usually sold for."""

from collections.abc import Mapping
from typing import Any

from kb.catalog import gpus
from tools.configure.bills.bill import condition

GIVEN = "as you gave it"
"""What is said of a line that the person priced."""
NEAR = 0.1
"""Share beyond either end of the usual prices within which a quote is called usual: shops differ by as much."""
USED_NEAR = 0.25
"""The same of second-hand cards, which have no list price: one RTX 3090 was asked 700 to 1,000 dollars in May 2026."""


def held_against_usual(found: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, Any] | None:
    """The usual price of what was quoted, with its lines and days, and whether the quote is within it.

    A quote for each card is held against the card, one of a machine or of everything against all of it. Null where
    nothing was quoted, or nobody was read to sell it.
    """
    own, other = found.get("own"), usual.get("own")
    if not own or not other:
        return None
    line = next((one for one in own["prices"] if GIVEN in one["what"]), None)
    if line is None or line["unit_cost"] is None:
        return None
    of_card = not line["what"].startswith(("machine", "everything"))
    lines = other["prices"][:1] if of_card else other["prices"]
    if any(one["unit_cost"] is None for one in lines):
        return None
    most = lines[0]["unit_cost"] if of_card else other["purchase_cost"]
    priced = [{name: one[name] for name in ("what", "count", "unit_cost", "as_of")} for one in lines]
    paid = line["unit_cost"]["value"] * (1 if of_card else line["count"])
    card = gpus().get(str(found.get("gpu")))
    near = USED_NEAR if of_card and card is not None and condition(card) == "used" else NEAR
    return {"verdict": _verdict(paid, most, near), "purchase_cost": None if of_card else most, "prices": priced}


def _verdict(paid: float, usual: Mapping[str, float], near: float) -> str:
    """Where a quote stands, with what to ask where it is far off."""
    off = f"{abs(paid / usual['value'] - 1):.0%}"
    if paid > usual["high"] * (1 + near):
        return f"the quote is {off} above what is usual: ask what it holds besides, or elsewhere"
    if paid < usual["low"] * (1 - near):
        said = "ask for the edition and the state of the cards, and what is left out"
        return f"the quote is {off} below what is usual: {said}"
    return "the quote is within what is usual"
