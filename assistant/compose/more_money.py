"""What the rest of a budget buys, where the first proposal leaves most of it: faster machines for the same work."""

from typing import Any

from assistant.compose import names, numbers
from assistant.compose.material import Material
from tools.configuration import Configuration

LEFT_RATIO = 0.5
"""Share of a budget below which a proposal leaves a buyer asking what the rest would bring."""
SHOWN_MAX = 3
FASTER = 1.1
"""Times the speed of the proposal from which more money buys something."""
COUNTED = {"images_per_s": "images", "tokens_per_s_total": "tokens", "tokens_per_s_per_user": "user_tokens",
           "samples_per_s_total": "samples", "documents_per_s": "documents"}  # fmt: skip
"""Measures of speed that are told here, and how."""


def more_money(material: Material, best: Configuration) -> str:
    """A few points of price against speed between the proposal and the budget; empty where it is mostly spent."""
    beyond = _points(material, best)
    if not beyond:
        return ""
    lines = ["- " + _line(material, one) for one in _spread(beyond)]
    return "\n".join([f"**{material.say('more_money.title')}**", "", *lines])


def all_of_it(material: Material, best: Configuration) -> str:
    """The fastest that the whole budget buys, in a clause; empty where the proposal takes most of it."""
    beyond = _points(material, best)
    return _line(material, max(beyond, key=lambda one: float(one["price"]))) if beyond else ""


def fastest_within(material: Material, best: Configuration) -> str:
    """The fastest that the whole budget buys, in a clause, whatever the proposal leaves of it; empty for none."""
    beyond = _points(material, best, 1.0)
    return _line(material, max(beyond, key=lambda one: float(one["speed"]))) if beyond else ""


def _points(material: Material, best: Configuration, most: float = LEFT_RATIO) -> list[dict[str, Any]]:
    """Price against speed between the proposal and the budget, where the proposal takes at most that share of it."""
    amount = best.price.amount
    for result in material.results("configure"):
        limit, points = result.get("budget_usd"), result.get("frontier") or ()
        if not limit or amount is None or best.acquisition != "buy" or float(amount) > most * float(limit):
            continue
        if beyond := [one for one in points if _beyond(one, best, float(limit))]:
            return beyond
    return []


def _beyond(point: dict[str, Any], best: Configuration, limit: float) -> bool:
    """Whether it costs more than the proposal and no more than the budget, and is faster as far as that is known."""
    paid = point["acquisition"] == "buy" and point["measure"] in COUNTED
    now = (best.speed or {}).get(point["measure"])
    faster = not isinstance(now, int | float) or point["speed"] >= FASTER * now
    return paid and faster and float(best.price.amount or 0) < point["price"] <= limit


def _spread(points: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The first, the middle and the last by price."""
    ordered = sorted(points, key=lambda one: one["price"])
    places = {round(index * (len(ordered) - 1) / (SHOWN_MAX - 1)) for index in range(SHOWN_MAX)}
    return [ordered[place] for place in sorted(places)]


def paid(point: dict[str, Any]) -> str:
    """What it costs, in the money of the budget."""
    asked = point.get("asked_price")
    return numbers.money(asked["amount"], asked["currency"]) if asked else numbers.usd(point["price"])


def miss_price(row: dict[str, Any]) -> str:
    """What a near miss costs, in the money of the budget."""
    told = row.get("asked_price") or {"amount": row["price_usd"], "currency": "USD"}
    return numbers.money(told["amount"], told["currency"])


def _line(material: Material, point: dict[str, Any]) -> str:
    return material.say(
        f"more_money.{COUNTED[point['measure']]}", cards=names.cards(point["gpu"], point["gpu_count"]),
        price=paid(point), value=numbers.figure(point["speed"]),
    )  # fmt: skip
