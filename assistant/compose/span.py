"""A stated time in words: as calendar months where it is whole ones, with its hours."""

from collections.abc import Mapping
from typing import Any

from assistant.compose import numbers
from assistant.compose.material import Material
from kb.units import HOUR_S, HOURS_PER_MONTH

ALWAYS = 729
"""Hours a month from which hardware is used all the time."""

SHORT_HOURS = 10
"""Hours below which a whole number of them is no longer the time."""


def span(material: Material, rent: dict[str, Any]) -> str:
    """The time a rental is for: "6 months (4,380 hours)" where all of each month is paid, else its hours."""
    hours, months = numbers.count(rent["term_s"] / HOUR_S), rent["term_months"]
    whole = (
        months >= 1
        and abs(months - round(months)) < 0.01
        and (material.need.hours_per_month or HOURS_PER_MONTH) >= ALWAYS
    )
    if rent["term_s"] < SHORT_HOURS * HOUR_S:
        figure, unit = numbers.duration(rent["term_s"])
        return f"{figure} {material.say(f'unit.{unit}')}"
    if not whole:
        return material.say("span.hours", hours=hours)
    key = "span.month" if round(months) == 1 else "span.months"
    return material.say(key, months=numbers.count(months), hours=hours)


def lasting(material: Material, found: Mapping[str, float]) -> str:
    """How long a run takes, and the range of that."""
    texts = []
    for name in ("value", "low", "high"):
        figure, unit = numbers.duration(found[name])
        texts.append(f"{figure} {material.say(f'unit.{unit}')}")
    return material.say("run.ranged", value=texts[0], low=texts[1], high=texts[2])
