"""Figures that are told as a range without a middle, "7.1–22 min", as terms of a calculation."""

import re
from math import sqrt

RANGE = re.compile(
    r"\s*[~≈约]?\s*(?P<sign>[$¥￥€£]\s?)?(?P<low>\d[\d,]*(?:\.\d+)?)\s*(?P<unit>(?![eE]-)[^\d–—~-]*?)\s*(?:–|—|~|-|\bto\b|到)\s*"
    r"(?P=sign)?(?P<high>\d[\d,]*(?:\.\d+)?)(?P<rest>\s*[^\d–—].*)?"
)
Ends = tuple[str, str]


def parted(said: str) -> Ends | None:
    """Both ends of a range, each with the unit that stands once: "7.1–22 min" is "7.1 min" and "22 min".

    None of what is no range, or one from high to low.
    """
    match = RANGE.fullmatch(said)
    if match is None:
        return None
    sign, unit = match["sign"] or "", (match["rest"] or "").strip()
    low, high = (float(match[name].replace(",", "")) for name in ("low", "high"))
    own = match["unit"].strip() or unit
    if not 0 < low <= high and own == unit:
        return None
    return f"{sign}{match['low']} {own}".strip(), f"{sign}{match['high']} {unit}".strip()


def middle(low: float, high: float) -> float:
    """What a range is reckoned with: as many times above its low end as below its high one."""
    return sqrt(low * high)
