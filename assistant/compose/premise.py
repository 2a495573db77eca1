"""Amounts of memory that the question takes for granted, held against the estimate."""

import re
from collections.abc import Iterator

from assistant.compose import numbers
from assistant.compose.arithmetic import cite
from assistant.compose.fit import workload
from assistant.compose.material import Estimate, Material
from kb.units import GB, GIB, TB, TIB

_AMOUNT = r"(?P<amount>\d{1,5}(?:\.\d{1,2})?)\s?(?P<unit>TB|T|GB|G)(?![A-Za-z])"
_ENOUGH = re.compile(
    _AMOUNT + r"[^，。？！,.?!\n]{0,12}?(?:就?够|就行|就可以|就能|足够|enough|suffic|will do|is fine|would do)"
    r"|(?:enough|sufficient)[^,.?!\n]{0,12}?" + _AMOUNT.replace("amount", "amount2").replace("unit", "unit2"),
    re.I,
)
_NEEDS = re.compile(
    r"(?:只要|只需|需要|说要|说是|要求|最低|wants?|needs?|requires?|takes?|only)\s?"
    r"(?:about|around|at least|~|≈|约|大约)?\s?" + _AMOUNT,
    re.I,
)
FAR_ABOVE = 1.5
"""A claimed requirement this many times the estimate is worth correcting downwards."""


def premises(material: Material) -> list[str]:
    """One sentence for each amount in the question that the estimate contradicts."""
    if not material.estimates:
        return []
    main = material.estimates[0]
    found = [*_too_small(material, main), *_too_large(material, main)]
    return list(dict.fromkeys(found))


def _too_small(material: Material, main: Estimate) -> Iterator[str]:
    low = main.result.per_gpu.low_bytes * main.gpus
    for text, _, binary in _amounts(material.understanding.text, _ENOUGH, _NEEDS):
        if binary < low:
            yield _sentence(material, main, "premise.too_small", text)


def _too_large(material: Material, main: Estimate) -> Iterator[str]:
    high = main.result.per_gpu.high_bytes * main.gpus
    for text, decimal, _ in _amounts(material.understanding.text, _NEEDS):
        if decimal > FAR_ABOVE * high:
            yield _sentence(material, main, "premise.too_large", text)


def _sentence(material: Material, main: Estimate, key: str, claimed: str) -> str:
    total = main.result.per_gpu.total_bytes * main.gpus
    return material.say(
        key,
        claimed=claimed,
        what=workload(material, main),
        weights=numbers.both_units(main.part("weights") * main.gpus),
        total=numbers.both_units(total),
    ) + cite(material, main)


def _amounts(text: str, *patterns: re.Pattern[str]) -> Iterator[tuple[str, float, float]]:
    """Amounts claimed: as written, in decimal and in binary bytes (a "GB" on a card is binary)."""
    for pattern in patterns:
        for match in pattern.finditer(text):
            groups = match.groupdict()
            amount = groups.get("amount") or groups.get("amount2")
            unit = groups.get("unit") or groups.get("unit2")
            if not amount or not unit:
                continue
            decimal, binary = (TB, TIB) if unit.upper().startswith("T") else (GB, GIB)
            written = f"{amount} {'TB' if decimal == TB else 'GB'}"
            yield written, float(amount) * decimal, float(amount) * binary
