"""The money an answer is wanted in: "in euros", "price in £", 「换成人民币」, 「按港币算」."""

import re
from functools import lru_cache

from assistant.understand.text import grammar
from kb.market.rates import rates

_PLAIN = {"real", "won", "块", "元", "刀", "franc", "rs"}
"""Words that mean other things too."""


@lru_cache(maxsize=1)
def _names() -> dict[str, str]:
    """What people call a currency, lower case, and its code."""
    found: dict[str, str] = {}
    for row in rates().values():
        found |= {name.lower(): row.currency for name in (row.currency, *row.aliases) if name.lower() not in _PLAIN}
    return found


@lru_cache(maxsize=1)
def _rule() -> re.Pattern[str]:
    listed = "|".join(re.escape(name) for name in sorted(_names(), key=len, reverse=True))
    return grammar(
        rf"(?<![a-z])(?:in|into|as)\s(?:terms of\s|local\s)?(?P<en>{listed})(?![a-z\d]|\s?\d)"
        rf"|(?:换成?|折(?:合|算)?(?:成|为)?|按|用|以|算成|报)\s?(?P<zh>{listed})(?!\s?\d)"
    )


def find_currency(plain: str) -> str | None:
    """ISO 4217 code of the money that the answer is to be told in; None where none is named without an amount."""
    match = _rule().search(plain)
    return _names()[match["en"] or match["zh"]] if match else None
