"""Numbers for a person: rounded to what the estimate supports, with the unit."""

import math
from decimal import Decimal

from kb.units import GB, GIB

EXACT_BELOW_BYTES = 10 * GIB
"""Below this a tenth of a GiB decides whether something fits; above, whole ones do."""


SMALL = 10
"""Below so many units a decimal is written whatever the interval: it decides between cards."""


def gib(value_bytes: float, *, digits: int | None = None) -> str:
    """Bytes as a plain GiB figure: one decimal while small, none once large."""
    if digits is None:
        digits = 1 if abs(value_bytes) < EXACT_BELOW_BYTES else 0
    return f"{value_bytes / GIB:,.{digits}f}"


def gb(value_bytes: float) -> str:
    """Bytes as a plain decimal GB figure."""
    return f"{value_bytes / GB:,.{1 if abs(value_bytes) < 10 * GB else 0}f}"


def interval_digits(low: float, high: float, unit: float = GIB) -> int:
    """Decimals worth writing for a value known to lie in low..high."""
    return 1 if high - low < 2 * unit or low < SMALL * unit else 0


def both_units(value_bytes: float) -> str:
    """Bytes in decimal GB, as model sizes are quoted, and GiB, as cards and nvidia-smi count: "141 GB (131 GiB)"."""
    return f"{gb(value_bytes)} GB ({gib(value_bytes)} GiB)"


def count(value: float) -> str:
    """A count of tokens, requests …: "32,768"."""
    return f"{value:,.0f}"


def tokens(value: float) -> str:
    """A number of tokens: from five digits on to half a per cent, never rounded up; a power of two stays what it is."""
    if value < 10_000 or value % 1024 == 0:
        return f"{value:,.0f}"
    step = 5 * 10 ** (math.floor(math.log10(value)) - 3)
    return f"{value // step * step:,.0f}"


def figure(value: float) -> str:
    """A measured figure to what it supports: two digits below one, a decimal below ten, three digits from a hundred."""
    if 0 < value < 1:
        return f"{value:.2g}" if value >= 1e-4 else f"{value:.1e}"
    if value < 10:
        return f"{value:.1f}"
    if value < 1000:
        return f"{value:,.0f}"
    return f"{round(value, 2 - math.floor(math.log10(value))):,.0f}"


def rough(value: float) -> str:
    """A figure to two digits: 1234 → "1,200"."""
    if value <= 0:
        return "0"
    digits = 1 - math.floor(math.log10(value))
    return f"{round(value, digits):,.{max(0, min(digits, 2))}f}"


def usd(amount: Decimal | float, *, hourly: bool = False) -> str:
    """An amount of dollars: cents for an hour, three figures for a purchase."""
    value = float(amount)
    return f"${value:,.2f}" if hourly or value < 100 else f"${value:,.0f}"


def money(amount: Decimal | float, currency: str, *, hourly: bool = False) -> str:
    """An amount in its currency."""
    if currency == "USD":
        return usd(amount, hourly=hourly)
    value = float(amount)
    sign = {"CNY": "¥", "EUR": "€", "GBP": "£", "JPY": "JP¥"}.get(currency, f"{currency} ")
    return f"{sign}{value:,.2f}" if hourly or value < 100 else f"{sign}{value:,.0f}"


def params(value: int) -> str:
    """A parameter count as people say it: 72706203648 → "72.7B"."""
    billions = value / 1e9
    if billions >= 1:
        return f"{billions:.0f}B" if billions >= 100 else f"{billions:.1f}B".replace(".0B", "B")
    return f"{value / 1e6:.0f}M"


def rate(value_per_s: float, unit: str) -> str:
    """A bandwidth or compute rate in decimal units: 936000000000, "B/s" → "936 GB/s"."""
    for prefix, size in (("P", 1e15), ("T", 1e12), ("G", 1e9), ("M", 1e6)):
        if abs(value_per_s) >= size:
            scaled = value_per_s / size
            if prefix == "P" and scaled < 10:
                prefix, scaled = "T", scaled * 1000
            return f"{scaled:,.3g} {prefix}{unit}" if scaled < 1000 else f"{scaled:,.0f} {prefix}{unit}"
    return f"{value_per_s:g} {unit}"


def duration(seconds: float) -> tuple[str, str]:
    """A duration as a figure and the key of its unit: ("3.5", "hour")."""
    for unit, size in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= 2 * size or (unit == "minute" and seconds >= size):
            value = seconds / size
            return (f"{value:.1f}" if value < 10 else f"{value:,.0f}"), unit
    if seconds < 1:
        return (f"{seconds * 1000:.1f}" if seconds < 0.01 else f"{seconds * 1000:,.0f}"), "millisecond"
    return f"{seconds:.2g}", "second"
