"""Amounts in words: 「四百块」, "eleven gigabytes", 「十一个 G」, "half a terabyte"."""

import re
from collections.abc import Iterator

from assistant.grounding.wording.cues import amounts
from assistant.grounding.wording.quantities import MONEY, TIME, Quantity, quantities
from kb.lexicon.count.rules import numbers

DIGIT = re.compile(r"\d")
BEHIND = re.compile(r"\s?-?(?:个|個)?\s?")
HAN_AMOUNT, HAN_MIN = re.compile(r"[一二两三四五六七八九十]+[万千][零〇一二两三四五六七八九十百千万]*"), 1000
"""An amount in Chinese numerals, from where on it is one without its unit too: 「预算十五万」."""
COUNTS_BEHIND = re.compile(r"\s?[多来余分级之]")
CARD_KUAI_MAX = 20
"""Up to here 「块」 counts cards: from here on it is money."""
VAGUE = re.compile(r"(?:a\s)?(?:few|several|couple|pair|single|double|dual|both|twin)\b|几|[多来]\Z", re.I)
WORD_OF_NUMBER = re.compile(
    r"\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twel|\w+teen|twent|thirt|fort|fift|sixt|seventy"
    r"|eighty|ninety|hundred|thousand|dozen|half|million|billion)|[零〇一二三四五六七八九十百千万亿两俩]",
    re.I,
)


def spelt(text: str) -> Iterator[tuple[int, int, tuple[Quantity, ...]]]:
    """Where each amount in words stands, and what it may mean; one day, an hour and a few of anything are none."""
    lowered = text.lower()
    if len(lowered) != len(text) or not WORD_OF_NUMBER.search(lowered):
        return
    for one in numbers(lowered, letters="", articles=False):
        said = text[one.start : one.end]
        if DIGIT.search(said) or VAGUE.search(said):
            continue
        between = BEHIND.match(text, one.end)
        place = between.end() if between else one.end
        match = amounts().match(lowered, place)
        if match is None or match.lastgroup is None:
            if HAN_AMOUNT.fullmatch(said) and one.value >= HAN_MIN and not COUNTS_BEHIND.match(text, one.end):
                yield one.start, one.end, tuple(quantities(f"{one.value:.12g}"))
            continue
        if match[0] == "块" and one.value < CARD_KUAI_MAX:
            continue
        readings = tuple(quantities(f"{one.value:.12g} {_UNITS[match.lastgroup]}"))
        if readings and not (one.value == 1 and readings[0].kind in {TIME, MONEY}):
            yield one.start, match.end(), readings


_UNITS = {
    "gigabytes": "GB", "terabytes": "TB", "megabytes": "MB", "rate": "GB/s", "pace": "tokens/s", "watts": "W",
    "kilowatts": "kW", "dollars": "USD", "yuan": "元", "euros": "EUR", "percent": "%", "seconds": "s",
    "minutes": "min", "hours": "hours", "days": "days", "weeks": "weeks",
}  # fmt: skip
"""Group of words in `cues.yaml` → the unit as figures write it."""
