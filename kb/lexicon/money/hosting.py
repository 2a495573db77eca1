"""What a place in a data centre costs, as people write it: $150/kW/month · 800元/U/月 · 2,400 EUR/mo incl. power."""

import re
from functools import lru_cache
from typing import Literal

from kb.base import BadInput, Frozen
from kb.lexicon.money.rules import Money, read_money
from kb.lexicon.text import grammar, plain
from kb.lexicon.words import any_of, meaning, vocabulary

Place = Literal["kw", "unit", "rack", "all"]
_HOURS = {"hour": 730.0, "day": 365 / 12, "month": 1.0, "year": 1 / 12}


class Hosting(Frozen):
    """What a place costs a month."""

    per_month: float
    """Units of the currency, for each of `of`."""
    currency: str
    of: Place = "all"
    """What is paid for: a kilowatt, a unit of height, a rack; all: the whole machine's place."""
    with_energy: bool | None = None
    """Whether the electricity is in it; null = not said."""
    assumptions: tuple[str, ...] = ()


def read_hosting(text: str, field: str = "hosting", currency: str | None = None) -> Hosting:
    """The price of a place that `text` says; `currency` (ISO 4217) is taken where none is written.

    Raises:
        BadInput: there is no amount, no currency, or it is one of energy or tokens.
    """
    words = plain(text)
    place = _of("place").search(words)
    # "/kW/month": what is paid for is taken out, as the reader of money knows cards and machines.
    rest = words[: place.start()] + " " + words[place.end() :] if place else words
    included, apart = _of("with_power").search(rest), _of("without_power").search(rest)
    for told in (apart, included):
        rest = rest.replace(told[0], " ") if told else rest
    try:
        money = read_money(rest, field, currency)
    except BadInput:
        remedy = 'Give it with its currency, e.g. "$150/kW/month", 「3000元/月」.'
        raise BadInput(field, f"“{text[:60]}” holds no single amount of money.", remedy) from None
    months, assumed = _months(money, text, field)
    return Hosting(
        per_month=float(money.amount) * months, currency=money.currency,
        of=meaning("money", "place", place["of"]) if place else "all",
        with_energy=False if apart else True if included else None, assumptions=(*money.assumptions, *assumed),
    )  # fmt: skip


def _months(money: Money, text: str, field: str) -> tuple[float, tuple[str, ...]]:
    if money.per is None:
        return 1.0, (f"“{text.strip()[:60]}” is read as by the month.",)
    if money.per not in _HOURS:
        kind = "electricity" if money.per == "kwh" else "tokens"
        remedy = "Give it as tariff." if money.per == "kwh" else "Give what the place costs a month."
        raise BadInput(field, f"“{text[:60]}” is a price of {kind}, none of a place.", remedy)
    return _HOURS[money.per], ()


@lru_cache(maxsize=4)
def _of(kind: str) -> re.Pattern[str]:
    spellings = any_of(vocabulary("money", kind))
    return grammar(rf"(?:/|per |an? |each |every |每|一)? ?(?P<of>{spellings})" if kind == "place" else spellings)
