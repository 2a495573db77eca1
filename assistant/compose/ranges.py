"""A value with its interval, in the unit a person uses."""

from typing import Any

from assistant.compose import numbers
from assistant.compose.material import Material


def told_of(material: Material, phrase: str, key: str, result: dict[str, Any], cards: str = "") -> str:
    """A figure with its interval in a phrase, and the cards it is of where they are given."""
    on = material.say("pace.of_cards", cards=cards) if cards else ""
    return material.say(phrase, what=material.say(f"pace.{key}"), value=ranged(material, key, result[key]) + on)


def figures(material: Material, measured: dict[str, Any]) -> dict[str, str]:
    """A value and its range for a phrase."""
    low, high = numbers.figure(measured["low"]), numbers.figure(measured["high"])
    return {"value": numbers.figure(measured["value"]), "range": material.say("pace.range", low=low, high=high)}


def ranged(material: Material, key: str, measured: dict[str, Any]) -> str:
    """A value with its interval, in the unit a person uses."""
    value, low, high = (measured.get(name) for name in ("value", "low", "high"))
    if value is None:
        return "–"
    if key.endswith("_s") and not key.endswith("per_s"):
        figure, unit = numbers.duration(value)
        text = f"{figure} {material.say(f'unit.{unit}')}"
        if low is not None and high is not None:
            text += f" ({numbers.duration(low)[0]} {material.say(f'unit.{numbers.duration(low)[1]}')} – "
            text += f"{numbers.duration(high)[0]} {material.say(f'unit.{numbers.duration(high)[1]}')})"
        return text
    text = numbers.figure(value)
    return f"{text} ({numbers.figure(low)}–{numbers.figure(high)})" if low is not None and high is not None else text
