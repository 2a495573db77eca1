"""A search for hardware of so many requests, made for as many at once as their prompts take."""

import math
from typing import Any

from tools.agent_tools.desk import Desk
from tools.agent_tools.trained import retold
from tools.configure.load.arrivals import Arrivals, times_needed

KEPT_UP = 1.05
"""Times what an order does at which it still keeps up: estimates are off by more."""
SIZED_MAX = 3
"""Searches for as many at once as their prompts take: what is found for more may read them slower than what was."""


def sized(asked: dict[str, Any], come: Arrivals | None, desk: Desk) -> tuple[dict[str, Any], str | None]:
    """The result, and the arithmetic of its load: of requests with prompts, for as many as read them in time."""
    found = retold(desk.call("configure", asked), asked, desk)
    if come is None or not come.prompt_tokens or not found["configurations"]:
        return found, come.said if come else None
    grown = 1.0
    for _ in range(SIZED_MAX):
        times = times_needed(found["configurations"][0], found["model"], come, desk.tried) or 1.0
        if times <= KEPT_UP:
            break
        before = asked["concurrent_sequences"]
        asked["concurrent_sequences"] = math.ceil((before or come.at_once) * times)
        larger = desk.tried("configure", asked)
        if larger is None or not larger["configurations"]:
            asked["concurrent_sequences"] = before
            break
        found, grown = retold(larger, asked, desk), grown * times
    if grown == 1.0:
        return found, come.said
    return found, (
        f"{come.said} That takes {grown:.2g} times what answers alone do: sized for {asked['concurrent_sequences']:,} "
        "at once."
    )


def as_many_first(orders: list[dict[str, Any]], named: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Orders with the cards before others that hold as many of a card as were named: that is what was asked about."""
    as_many = {(one["gpu"], one["count"]) for one in named}
    first = [one for one in orders if (one["gpu"], one["gpu_count"]) in as_many]
    if not first or first[0] is orders[0]:
        return orders
    rest = [{**one, "tier": "also"} if one["tier"] == "recommended" else one for one in orders if one not in first]
    return [{**first[0], "tier": "recommended"}, *first[1:], *rest]
