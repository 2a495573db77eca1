"""How many requests come, from what is said of people, days and busy hours."""

from typing import NamedTuple

from assistant.writing.setups import THOUGHT_OF, Setup

HOUR_S, DAY_H = 3600, 24
PEAK = 3
"""Requests at a peak over the mean of the busy hours."""


class Arrivals(NamedTuple):
    """Requests an hour at a peak, as tools take them, and how they are told."""

    per_hour: float
    asked: str
    told: dict[str, str]


def arrivals(setup: Setup) -> Arrivals | None:
    """What comes at a peak; None where no number a day or in a time is said.

    A number a day that is far below that of the people is one of each.
    """
    rate = setup.one("rate", *THOUGHT_OF)
    if rate is not None and isinstance(rate.value, dict) and rate.value.get("per_s"):
        each = float(rate.value["per_s"]) * HOUR_S
        return Arrivals(each, f"{each:.0f}/hour", {"rate": f"{each:,.0f}/h", "basis": rate.quote})
    day, people = setup.one("per_day", *THOUGHT_OF), setup.one("users", *THOUGHT_OF)
    if day is None or not isinstance(day.value, (int, float)):
        return None
    total = float(day.value)
    several = people is not None and isinstance(people.value, (int, float)) and total < people.value
    total *= float(people.value) if several and people is not None else 1.0
    busy = setup.one("busy_hours", *THOUGHT_OF)
    hours = float(busy.value) / HOUR_S if busy is not None and isinstance(busy.value, (int, float)) else 8.0
    peak = total / max(hours, 1.0) * PEAK
    basis = f"{people.quote} × {day.quote}" if several and people is not None else day.quote
    shown = f"{peak:,.0f}/h"
    return Arrivals(peak, f"{peak:.0f}/hour", {"rate": shown, "basis": f"{basis}; {busy.quote}" if busy else basis})
