"""Owning against renting over the time that was stated, in totals: three years, or the three months of a project."""

import re
from typing import Any

from assistant.compose import amounts, names, numbers
from assistant.compose.material import Material
from assistant.compose.span import span
from assistant.plan.money import YEAR_S

RESALE_KNOWN_FROM = 1
"""Years from which it is known what used cards fetch."""
_RESERVED = re.compile(r"reserv|预留|包年|commit", re.I)
CLEARLY = 1.1
"""Totals closer than this are the same."""


def over_term(material: Material, result: dict[str, Any], leased: str) -> str:
    """Both totals and which is less, by how much; empty where one of them is not known."""
    own, rent = result["own"], _rent(material, result)
    if not own or rent is None:
        return ""
    say, money = material.say, result["currency"]
    years = (material.need.term_s or result["years"] * YEAR_S) / YEAR_S
    if years < RESALE_KNOWN_FROM:
        return _short(material, result, rent, leased)
    total, paid = own["total_cost"]["value"], rent["total_cost"]
    lacking = "" if own["complete"] else say("cost.incomplete")
    values = {
        "cards": names.cards(result["gpu"], result["gpu_count"]), "leased": leased, "years": f"{years:g}",
        "own": amounts.amount(own["total_cost"], money) + lacking, "rent": _money(paid["value"], money),
        "least": _money(paid["low"], money), "purchase": amounts.amount(own["purchase_cost"], money),
        "way": say(f"over.{rent['purchase']}"), "hours": numbers.count(result["hours_per_month"]),
    }  # fmt: skip
    key = "buy" if total * CLEARLY < paid["low"] else "rent" if paid["value"] * CLEARLY < total else "turns"
    return say(f"over.{key}", **values)


def _rent(material: Material, result: dict[str, Any]) -> dict[str, Any] | None:
    """The way to rent that was spoken of, else on demand."""
    reserved = [one for one in result["rent"] if one["purchase"].startswith("reserved")]
    asked: list[dict[str, Any]] = reserved if _RESERVED.search(material.text) else []
    return next((one for one in (*asked, *result["rent"])), None)


def _short(material: Material, result: dict[str, Any], rent: dict[str, Any], leased: str) -> str:
    """Less than a year: the rent of that time against a purchase that is sold again at a price nobody has read."""
    if not rent["term_cost"]:
        return ""
    own, say, money = result["own"], material.say, result["currency"]
    paid, purchase = rent["term_cost"]["value"], own["purchase_cost"]["value"]
    values = {
        "leased": leased, "time": span(material, rent), "rent": _money(paid, money),
        "cards": names.cards(result["gpu"], result["gpu_count"]), "purchase": _money(purchase, money),
    }  # fmt: skip
    return say("over.short_rent" if paid < purchase else "over.short_buy", **values)


def _money(value: float, currency: str) -> str:
    return numbers.money(amounts.rounded(value), currency)
