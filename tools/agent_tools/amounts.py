"""Single figures of a calculation: money and quantities in their base units, and told again in the unit asked for."""

import re
from functools import lru_cache

from kb.base import BadInput
from kb.lexicon import read_money
from kb.lexicon.count.rules import numbers
from kb.lexicon.text import plain as folded
from kb.lexicon.words import vocabulary
from kb.market.rates import rates
from tools.agent_tools.quantity import base_of
from tools.agent_tools.shown import SIGNS, plain, with_unit

AMOUNT = re.compile(
    r"\s*[~≈约]?\s*(?P<sign>[^\d\s~≈约.+-]{1,4}?)?\s*(?P<digits>\d[\d,]*(?:\.\d+)?(?:[eE]\d+)?)\s*(?P<unit>[^\s(（].*)?"
)
PER = re.compile(
    r"(?:/|\b(?:per|an?)\s|每)\s*(?:gpu|card|卡|张)?\s*[/·-]?\s*"
    r"(kwh|hours?|hr|h|days?|weeks?|months?|mo|quarters?|years?|yr|min|小时|时|天|周|月|季度|季|年)(?![a-z])",
    re.I,
)
PER_UNITS = {
    "hr": "h", "hour": "h", "hours": "h", "mo": "month", "yr": "year", "时": "h", "小时": "h", "月": "month",
    "天": "day", "周": "week", "年": "year", "days": "day", "weeks": "week", "months": "month", "years": "year",
    "quarters": "quarter", "季": "quarter", "季度": "quarter",
}  # fmt: skip
"""Words for what a price is paid by → the unit that an amount is told in."""
PER_BASES = {"hour": "h", "day": "day", "month": "month", "year": "year", "kwh": "kwh"}
ONE_LETTER = frozenset("$¥￥€£₹₩₽฿元円원")
"""Signs of money that are one mark; words that are also units of something else (块, 刀, 分) are not among them."""


def amount(field: str, said: str) -> tuple[float, str]:
    """A figure in its base unit: money a second, where it is said an hour, so that rates and times go together.

    "7B" is seven billion; "2 B", set apart as units are, two bytes; "$4.7k" and 「61만원」 are money.

    Raises:
        BadInput: it is no figure.
    """
    if _money().search(said.lower()):
        return _paid(field, said)
    match = AMOUNT.match(said)
    if match is None or (match["sign"] or "").strip():
        raise BadInput("values", f"{field} = “{said[:40]}” is no figure.", "Write a number with its unit.")
    number = float(match["digits"].replace(",", ""))
    unit = (match["unit"] or "").strip()
    if unit == "B" and match["digits"] + " " in said:
        return number, "bytes"
    base, factor = base_of(unit)
    return number * factor, base


def _paid(field: str, said: str) -> tuple[float, str]:
    """An amount of money and its currency; a price of a million tokens stays as it is written."""
    try:
        money = read_money(said, field)
    except BadInput as problem:
        raise BadInput(
            "values", f"{field} = “{said[:40]}” is no figure: {problem.reason}", "Write one amount with its currency."
        ) from None
    if money.per == "million_tokens":
        return numbers(folded(said), articles=False)[0].value, money.currency
    per = PER_BASES[money.per] if money.per else ""
    return float(money.amount) / (base_of(per)[1] if per else 1.0), money.currency


@lru_cache(maxsize=1)
def _money() -> re.Pattern[str]:
    """What only money is written with: signs, codes and names of currencies."""
    names = {one for kind in ("before", "after") for one in vocabulary("money", kind)}
    names = {
        one for one in names if len(one) > 2 or (len(one) > 1 and not one.isascii())
    }  # "rs" and "p" are others too
    words = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    return re.compile(rf"[{''.join(ONE_LETTER)}]|(?<![a-z])(?:{words})(?![a-z])")


def time_power(said: str, unit: str) -> int | None:
    """How often time is in a figure: 1 for "3 h", -1 for "$2/h", 0 for "24 GB"; None of an unknown unit."""
    if unit.partition("/")[0].upper() in rates():
        found = PER.search(said)
        return 0 if found is None or found[1].lower() == "kwh" else -1
    base = base_of(unit)[0]
    if base in {"s", "bytes", "J", "", "ratio", "flop"}:
        return int(base == "s")
    return -1 if base in {"flops", "w"} or base.endswith("/s") else None


def told(value: float, unit: str) -> str:
    """A value in the unit asked for: bases as people write them, money by the hour where that is asked for."""
    currency, _, per = unit.partition("/")
    if currency.upper() in rates():
        value *= base_of(PER_UNITS.get(per.lower(), per.lower()))[1] if per else 1.0
        sign = SIGNS.get(currency.upper(), f"{currency.upper()} ")
        digits = 4 if abs(value) < 1 else 2 if abs(value) < 1000 else 0
        return f"{sign}{value:,.{digits}f}{'/' + per if per else ''}"
    if unit == "J":
        return f"{plain(value / 3.6e6)} kWh"
    if unit != "bytes" and base_of(unit) != ("", 1.0):
        return f"{plain(value / base_of(unit)[1])} {unit}"
    return with_unit(value, unit)
