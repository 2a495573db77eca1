"""Amounts as programs print them, in base units."""

import re
from collections.abc import Callable

from kb.units import GB, GIB, KB, KIB, MB, MIB, TB, TIB

BINARY = {"": 1, "b": 1, "k": KIB, "kb": KIB, "kib": KIB, "ki": KIB, "m": MIB, "mb": MIB, "mib": MIB, "mi": MIB} | {
    "g": GIB, "gb": GIB, "gib": GIB, "gi": GIB, "t": TIB, "tb": TIB, "tib": TIB, "ti": TIB, "bytes": 1, "byte": 1,
}  # fmt: skip
"""Units of programs that mean powers of two whatever they write."""
EXACT = BINARY | {"kb": KB, "mb": MB, "gb": GB, "tb": TB}
"""Units as defined: "GB" is 10⁹."""
SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "sec": 1.0} | {
    "secs": 1.0, "second": 1.0, "seconds": 1.0, "min": 60.0, "m": 60.0, "minutes": 60.0, "h": 3600.0, "hours": 3600.0,
}  # fmt: skip
_GROUPED = re.compile(r"^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$")
_NUMBER = re.compile(r"^-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?$")
_PART = re.compile(r"(\d{1,12}(?:,\d{3}){0,3}(?:\.\d{1,9})?)\s?([a-zµμ]{1,8})", re.IGNORECASE)
_SIZE = re.compile(r"^\s*(-?[\d.,]+)\s*([A-Za-z]{0,5})\s*$")


def number(words: str) -> float | None:
    """A plain number; commas group thousands. None where it is none."""
    plain = words.strip()
    if _GROUPED.match(plain):
        plain = plain.replace(",", "")
    return float(plain) if len(plain) < 60 and _NUMBER.match(plain) else None


def count(words: str) -> int | None:
    """A whole number; None where it is none."""
    found = number(words)
    return round(found) if found is not None and abs(found) < 1e18 else None


def size_bytes(words: str, unit: str | None = None, *, units: dict[str, int] = BINARY) -> int | None:
    """Bytes of "23.70 GiB", of ("24564", "MiB"); None where it is no size."""
    match = _SIZE.match(words)
    if match is None:
        return None
    value, scale = number(match[1]), units.get((unit if unit is not None else match[2]).lower())
    return None if value is None or scale is None or abs(value) * scale > 1e18 else round(value * scale)


def seconds(words: str, unit: str) -> float | None:
    """Seconds of ("1712.75", "ms"); None where it is no time."""
    value, scale = number(words), SECONDS.get(unit.lower())
    return None if value is None or scale is None else round(value * scale, 9)


def duration(words: str) -> float | None:
    """Seconds of "1m12.5s", "245 ms", "21 secs"; None where it is none."""
    parts = [seconds(value, unit) for value, unit in _PART.findall(words)]
    return round(sum(one for one in parts if one is not None), 9) if parts and None not in parts else None


def ratio(words: str) -> float | None:
    """0.97 of "97%" or "97 %"; a bare number is taken as per cent."""
    value = number(words.strip().rstrip("%％ "))
    return None if value is None else round(value / 100, 6)


Reader = Callable[[str], str | int | float | None]
