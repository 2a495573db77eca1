"""Watts, money and shares with their ranges, as answers about power and cost write them."""

import math
from collections.abc import Mapping
from typing import Any

from assistant.compose import numbers

IN_KILOWATTS_FROM = 3000
EXACT_BELOW = 1000
"""Amounts of money from which three figures say all that prices read here and there support."""


def watts(value: float) -> str:
    """Watts for a person: kilowatts once there are several."""
    return f"{value / 1000:,.1f} kW" if value >= IN_KILOWATTS_FROM else f"{value:,.0f} W"


def watt_range(found: Mapping[str, float]) -> str:
    """A draw with its bounds: "8.4 kW (7.8 kW–10.2 kW)"."""
    return _ranged(*(watts(found[name]) for name in ("value", "low", "high")))


def amount(found: Mapping[str, float], currency: str, *, hourly: bool = False) -> str:
    """An amount with its bounds; to three figures where it has any or was converted, else as it stands."""
    known = found["low"] == found["high"] and currency == "USD"
    shown = (found[name] if known or hourly else rounded(found[name]) for name in ("value", "low", "high"))
    return _ranged(*(numbers.money(value, currency, hourly=hourly) for value in shown))


def rounded(value: float) -> float:
    """To three figures, from a thousand on."""
    return round(value, 2 - math.floor(math.log10(value))) if value >= EXACT_BELOW else value


def count_range(found: Mapping[str, float]) -> str:
    """A count with its bounds."""
    return _ranged(*(numbers.count(found[name]) for name in ("value", "low", "high")))


def figure_range(found: Mapping[str, float]) -> str:
    """A measured figure with its bounds, decimals where it is small."""
    return _ranged(*(numbers.figure(found[name]) for name in ("value", "low", "high")))


def percent(ratio: float) -> str:
    """A share as whole percent."""
    return f"{ratio * 100:.0f} %"


def percent_range(found: Mapping[str, float]) -> str:
    """A share, or the range of it where there is one."""
    low, high = percent(found["low"]), percent(found["high"])
    return low if low == high else f"{low[:-2]}–{high}"


def open_count(found: Mapping[str, Any], never: str) -> str:
    """A count whose bounds may be never."""
    value, low, high = (
        never if found[name] is None else numbers.count(found[name]) for name in ("value", "low", "high")
    )
    return _ranged(value, low, high)


def _ranged(value: str, low: str, high: str) -> str:
    return value if low == high else f"{value} ({low}–{high})"
