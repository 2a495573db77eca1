"""Shares and multiples as people write them: 55 % · 七成 · 0.7 · half · 翻倍 · 24/7 · 20 hours a day · 3x."""

from functools import lru_cache
from re import Pattern

from kb.base import BadInput
from kb.lexicon.count.rules import numbers
from kb.lexicon.text import grammar, plain
from kb.lexicon.words import any_of, meaning, vocabulary

HOURS_A_DAY, DAYS_A_WEEK, HOURS_A_WEEK, DAYS_A_MONTH = 24.0, 7.0, 168.0, 30.4
_SPANS = {
    ("h", "day"): HOURS_A_DAY, ("h", "week"): HOURS_A_WEEK, ("day", "week"): DAYS_A_WEEK,
    ("day", "month"): DAYS_A_MONTH,
}  # fmt: skip
_PER_CENT = grammar(r"(\d+(?:\.\d+)?) ?(?:%|percent|per cent|pct)|百分之 ?(\d+(?:\.\d+)?)")
_TENTHS = grammar(r"([一二三四五六七八九十]|\d(?:\.\d)?) ?成(?:([一二三四五六七八九])(?!\w))?")
_OF_A_SPAN = grammar(
    r"(?P<n>\d+(?:\.\d+)?) ?(?P<unit>h|hrs?|hours?|小时|个小时|days?|天) ?(?:/|a |an |per |each |every |每)? ?"
    r"(?P<span>day|week|month|d|天|日|周|月)|"
    r"每?(?P<span2>天|日|周|月) ?(?P<n2>\d+(?:\.\d+)?) ?(?:个)?(?P<unit2>小时|天)"
)
_DIGITS = "零一二三四五六七八九十"
_UNITS = {"天": "day", "日": "day", "周": "week", "月": "month", "d": "day", "小时": "h", "个小时": "h"}


def read_ratio(text: str, field: str = "ratio") -> float:
    """The share or multiple that `text` says: 0.55 for "55 %", 3 for "3x"; hours a day are their share of the day.

    Raises:
        BadInput: neither a number nor a word for one.
    """
    words = plain(text)
    if said := _PER_CENT.search(words):
        return float(said[1] or said[2]) / 100
    if said := _TENTHS.search(words):
        return _tenths(said[1]) / 10 + (_DIGITS.index(said[2]) / 100 if said[2] else 0)
    if said := _words().search(words):
        return float(meaning("ratio", "words", said[0]))
    if said := _OF_A_SPAN.search(words):
        share = _share(said["n"] or said["n2"], said["unit"] or said["unit2"], said["span"] or said["span2"])
        if share is not None:
            return share
    found = numbers(words, articles=False)
    if not found:
        raise BadInput(field, f"“{text[:60]}” holds no share.", "Write for instance “55 %” or “0.55”.")
    return found[-1].value


def _tenths(said: str) -> float:
    return float(said) if said[0].isdigit() else float(_DIGITS.index(said))


def _share(number: str, unit: str, span: str) -> float | None:
    """So many hours of a day, days of a week."""
    short = _UNITS.get(unit) or ("day" if unit.startswith("day") else "h")
    whole = _SPANS.get((short, _UNITS.get(span, span)))
    return None if whole is None or float(number) > whole else float(number) / whole


@lru_cache(maxsize=1)
def _words() -> Pattern[str]:
    return grammar(any_of(vocabulary("ratio", "words")))
