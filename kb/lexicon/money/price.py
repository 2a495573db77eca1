"""What hardware costs, as people write it: 8-card server 285k EUR · $1,999 each · 包月租6.2万 · $0.60/h spot."""

from functools import lru_cache
from re import Pattern
from typing import Literal

from kb.base import BadInput, Frozen
from kb.lexicon.money.rules import Per, read_money
from kb.lexicon.text import grammar, plain
from kb.lexicon.words import any_of, meaning, vocabulary

Bought = Literal["card", "machine", "chassis", "all"]
Let = Literal["on_demand", "spot", "reserved"]
TIMES: tuple[Per, ...] = ("hour", "day", "month", "year")

_COUNTED = grammar(r"(?<![\d.])\d{1,4} ?(?:[卡张台](?!时)|[x×] ?(?=[a-z]))(?:[a-z]{1,4} ?\d{1,4}[a-z]{0,3}(?![\d.]))?")
"""How many cards or machines, and which: 「8卡H20」, "8xH200"."""


class Price(Frozen):
    """A price of hardware."""

    amount: float
    currency: str
    of: Bought | None = None
    """card: each card; machine: each with its cards in it; chassis: each without them; all: everything; null = not
    said."""
    assumptions: tuple[str, ...] = ()


class Rent(Frozen):
    """What hardware is let for."""

    amount: float
    currency: str
    per: Per
    """hour, day, month or year."""
    of: Bought | None = None
    way: Let = "on_demand"
    assumptions: tuple[str, ...] = ()


def read_price(text: str, field: str = "price", currency: str | None = None) -> Price:
    """The price that `text` says; `currency` (ISO 4217) is taken where none is written.

    Raises:
        BadInput: there is no amount, several, no currency, or it is one of a time, of energy or of tokens.
    """
    words = plain(text)
    money = read_money(_bare(words), field, currency)
    if money.per is not None:
        raise BadInput(field, f"“{text[:60]}” is a price of a {money.per}, none of buying.", "Give it as rents.")
    return Price(
        amount=float(money.amount), currency=money.currency, of=_of(words, money.each), assumptions=money.assumptions
    )


def read_rent(text: str, field: str = "rent", currency: str | None = None) -> Rent:
    """The rent that `text` says; one without a time is by the hour, which is said.

    Raises:
        BadInput: there is no amount, several, no currency, or it is one of energy or of tokens.
    """
    words = plain(text)
    money = read_money(_bare(words), field, currency)
    if money.per is not None and money.per not in TIMES:
        raise BadInput(field, f"“{text[:60]}” is a price of a {money.per}, no rent.", 'Give e.g. "$2/gpu/h".')
    way = _word("let").search(words)
    assumed = money.assumptions if money.per else (*money.assumptions, f"“{text.strip()[:60]}” is read as by the hour.")
    return Rent(
        amount=float(money.amount), currency=money.currency, per=money.per or "hour", of=_of(words, money.each),
        way=meaning("money", "let", way[0]) if way else "on_demand", assumptions=assumed,
    )  # fmt: skip


def _of(words: str, each: str | None) -> Bought | None:
    for kind in ("chassis", "all", "machine"):
        if _word(kind).search(words):
            return "chassis" if kind == "chassis" else "all" if kind == "all" else "machine"
    return {"gpu": "card", "machine": "machine"}.get(each or "")  # type: ignore[return-value]


def _bare(words: str) -> str:
    """The text less what says what is bought, so that 「整机118万」 is an amount."""
    for kind in ("chassis", "all", "let"):
        words = _word(kind).sub(" ", words)
    return _COUNTED.sub(" ", words)


@lru_cache(maxsize=8)
def _word(kind: str) -> Pattern[str]:
    return grammar(any_of(vocabulary("money", kind)))
