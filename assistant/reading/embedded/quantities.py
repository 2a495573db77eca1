"""Numbers with what makes a quantity of them, found in a message: a hint for the network, never a value."""

import re
from functools import lru_cache
from pathlib import Path

from kb.snapshot import load_yaml

UNITS = Path(__file__).with_name("units")
LANGUAGES = ("en", "zh")
HAN = "〇零一二两三四五六七八九十百千万亿几半俩"
NUMBER = rf"(?:\d+(?:[.,]\d+)*|[{HAN}]+)(?:\s?(?:[kw](?![a-z])|[千万亿]|million|thousand))?"
SIGNED = re.compile(rf"[$€£¥]\s?{NUMBER}(?:/[a-z]+)?")
MONEY, COUNT = "money", "number"


def quantities(folded: str) -> list[tuple[str, int, int]]:
    """What each number of a message is, and where it stands with its unit.

    Args:
        folded: the message in small letters, one for one.
    """
    pattern, kinds = _units()
    found = [(MONEY, *one.span()) for one in SIGNED.finditer(folded)]
    for one in pattern.finditer(folded):
        if not any(one.start() < end and start < one.end() for _, start, end in found):
            unit = one["unit"]
            found.append((kinds[unit] if unit else COUNT, *one.span()))
    return sorted(found, key=lambda one: one[1])


@lru_cache(maxsize=1)
def _units() -> tuple[re.Pattern[str], dict[str, str]]:
    kinds: dict[str, str] = {}
    for language in LANGUAGES:
        for kind, units in load_yaml(UNITS / f"{language}.yaml").items():
            for unit in units:
                kinds.setdefault(unit, kind)
    units = "|".join(
        re.escape(unit) + (r"(?![a-z])" if unit[-1].isascii() and unit[-1].isalpha() else "")
        for unit in sorted(kinds, key=lambda unit: (-len(unit), unit))
    )
    return re.compile(rf"{NUMBER}(?:\s?(?P<unit>{units}))?"), kinds
