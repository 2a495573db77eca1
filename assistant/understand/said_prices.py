"""What each of several cards is said to cost: "a 3090 at $700 or a 5070 Ti at $800", 「4090 1.5 万，5090 2.8 万」."""

from collections.abc import Sequence

from assistant.understand.budget import SYMBOLS
from assistant.understand.named import NamedGpu
from assistant.understand.text import grammar
from assistant.understanding import SaidPrice

_SCALES = {"万": 10_000, "w": 10_000, "千": 1_000, "k": 1_000}
_SUM = grammar(
    r"\s?(?:的?\s?\d{1,3}\s?gb?(?![a-z0-9])\s?)?"
    r"(?:的|for|at|is|costs?|goes for|used|new|second[- ]hand|refurbished|(?:the )?price|priced|around|about|~|=|:|\("
    r"|二手|全新|魔改|要|卖|价格?|报价|只要|大概|现在|是|到手|\s)*"
    r"(?P<before>\$|¥|€|£)?\s?(?P<n>\d{1,3}(?:,\d{3})+|\d{1,6}(?:\.\d{1,2})?)(?![\d.]*\d)\s?(?P<s>万|千|[wk](?![a-z]))?"
    r"\s?(?P<after>(?:usd|eur|gbp|cny|rmb|dollars?|bucks|euros?|pounds|yuan)(?![a-z])|元|块|美元|欧元|[$¥€£])?"
    r"(?!\s?(?:/|per|a|an|每|一)\s?(?:h(?![a-z])|hr|hour|month|mo(?![a-z])|小时|时|月|天))"
)
"""A sum right behind a card's name, that is no rent."""


def find_said_prices(plain: str, named: Sequence[NamedGpu], *, chinese: bool) -> tuple[SaidPrice, ...]:
    """The price of each card named; nothing where not every one of several kinds has one."""
    found: dict[str, SaidPrice] = {}
    for one in named:
        match = _SUM.match(plain, one.end)
        if match is None or not (match["before"] or match["s"] or match["after"]):
            continue
        sign = match["before"] or match["after"] or ("元" if chinese else "$")
        amount = float(match["n"].replace(",", "")) * _SCALES.get(match["s"] or "", 1)
        bare = None if match["before"] or match["after"] else plain[match.start("n") : match.end("s")]
        found.setdefault(one.gpu, SaidPrice(gpu=one.gpu, amount=amount, currency=SYMBOLS[sign], text=bare))
    kinds = {one.gpu for one in named}
    return tuple(found.values()) if len(kinds) > 1 and kinds == set(found) else ()
