"""Amounts of memory that a question takes for granted."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kb.units import GB, GIB, TB, TIB

_AMOUNT = r"(?P<amount>\d{1,5}(?:\.\d{1,2})?)\s?(?P<unit>TB|T|GB|G)(?![A-Za-z/])"
ENOUGH = re.compile(
    _AMOUNT + r"[^，。？！,.?!\n]{0,12}?(?:就?够|就行|就可以|就能|足够|enough|suffic|will do|is fine|would do)"
    r"|(?:enough|sufficient)[^,.?!\n]{0,12}?" + _AMOUNT.replace("amount", "amount2").replace("unit", "unit2"),
    re.I,
)
NEEDS = re.compile(
    r"(?:只要|只需|需要|说要|说是|要求|最低|wants?|needs?|requires?|takes?|only)\s?"
    r"(?:about|around|at least|~|≈|约|大约)?\s?" + _AMOUNT,
    re.I,
)
"""Patterns of what is said to be enough, and of what is said to be needed."""


@dataclass(frozen=True, slots=True)
class Claim:
    """An amount as written; its binary and decimal readings (a "GB" on a card is binary)."""

    text: str
    decimal_bytes: float
    binary_bytes: float


def claims(text: str, *patterns: re.Pattern[str]) -> Iterator[Claim]:
    """The amounts that any of the patterns finds."""
    for pattern in patterns:
        for match in pattern.finditer(text):
            groups = match.groupdict()
            amount = groups.get("amount") or groups.get("amount2")
            unit = groups.get("unit") or groups.get("unit2")
            if amount and unit:
                decimal, binary = (TB, TIB) if unit.upper().startswith("T") else (GB, GIB)
                name = "TB" if decimal == TB else "GB"
                yield Claim(f"{amount} {name}", float(amount) * decimal, float(amount) * binary)
