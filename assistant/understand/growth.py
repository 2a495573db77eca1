"""Growth that is spoken of: hardware is bought for the load it will have, "100 now, 500 next year", 「明年翻倍」."""

import re
from typing import Literal

from assistant.understand.numbers import DIGITS, HAN, number, scaled
from assistant.understand.text import Found, grammar

_LATER = (
    r"(?:以后|将来|未来|往后|后面|后期|后续|之后|明年|后年|下半年|年底|年内|今后|最终|预计|计划|慢慢|逐步|远期|二期"
    r"|(?<![a-z])(?:next year|later|soon|eventually|grow\w{0,3}|expect\w{0,3}|scal\w{1,4}|within a year|in future)"
    r"(?![a-z]))"
)
_PEOPLE = r"(?:个|名|位)?\s?(?:人|用户|员工|users?|people|employees|staff)"
_AT_ONCE = r"(?:个|路)?\s?(?:并发|路|concurrent|parallel)"
_TO = (
    r"[^。?!\n]{0,12}?(?:到|达到?|扩到|扩展到|扩大到|增(?:长|加)?到|涨到|上到|有|会有|to|up to|about|around)?\s?"
    rf"(?P<n>{DIGITS}|{HAN})\s?(?P<s>k|万|千|thousand)?\s?多?\s?"
)
_REACHED = {
    "users": grammar(rf"{_LATER}{_TO}{_PEOPLE}"),
    "concurrent": grammar(rf"{_LATER}{_TO}{_AT_ONCE}"),
}
_BARE = grammar(
    rf"{_LATER}[^。?!\n]{{0,12}}?(?:涨到|增长?到|增加到|扩到|达到|grow\w{{0,3}} to|reach|rise to|go(?:ing)? (?:up )?to)"
    r"\s?"
    rf"(?P<n>{DIGITS}|{HAN})\s?(?P<s>k|万|千|thousand)?(?![a-z0-9.%]|\s?(?:gb?|tb?|元|块|卡|张|tokens?|字|美|%|个月|年|天))"
)
"""The number reached later, of what was counted just before: 「日活 500，一年后涨到 3000」."""
_EACH = r"month|week|quarter|year|月|周|季度?|年"
_RATE = (
    grammar(
        rf"每(?:个)?(?P<each>{_EACH})[^.。?!\n]{{0,10}}?(?:增|涨|上升)[^.。?!\n]{{0,6}}?(?P<rate>\d{{1,3}}(?:\.\d)?)\s?%"
    ),
    grammar(r"(?P<each>月|年|周)(?:均|度)?增(?:长|速)?(?:率)?(?:是|为|约)?\s?(?P<rate>\d{1,3}(?:\.\d)?)\s?%"),
    grammar(
        rf"(?:grow\w{{0,3}}|increas\w{{1,3}}|rising|增长|增加|上涨|上升|涨)[^.。?!\n]{{0,16}}?(?P<rate>\d{{1,3}}(?:\.\d)?)\s?%"
        rf"[^.。?!\n\d]{{0,8}}?(?P<each>{_EACH}|monthly)"
    ),
    grammar(r"(?P<rate>\d{1,3}(?:\.\d)?)\s?%\s?(?:growth )?(?:a|per|every|each) (?P<each>month|week|quarter|year)"),
)
"""Growth by a share of itself, in a period."""
_MONTHS = {"month": 1.0, "月": 1.0, "week": 12 / 52, "周": 12 / 52, "quarter": 3.0, "季": 3.0, "year": 12.0, "年": 12.0}
_HORIZON = grammar(
    rf"(?:(?<![a-z])(?:next|over|for|in|within)(?![a-z])(?: the)?(?: next)?|未来|接下来|今后|往后)\s?"
    rf"(?P<n>{DIGITS}|{HAN}|半|an?|one|two|three|six|twelve)\s?个?(?P<unit>months?|月|quarters?|years?|年)"
)
_YEAR = 12.0
"""Months that are looked ahead where nobody says how far."""
_GREATEST = 1000.0
"""Times the load beyond which growth is taken for something else."""
"""The number reached later, of each kind of load."""
_MULTIPLIED = grammar(
    rf"(?:(?<![a-z])(?P<soon>doubl|tripl|quadrupl)\w{{1,3}} (?:next|by|within|soon|in (?:a|\d))"
    rf"|(?:{_LATER}|人数?|用户(?:量|数)?|并发(?:量)?|业务(?:量)?|规模|访问量|员工|users?|load|traffic|staff)[^。?!,\n]{{0,8}}?"
    rf"(?:翻(?P<times>{DIGITS}|[一两二三四五十])?(?P<unit>倍|番)|(?:涨|增长|增加|扩大?)(?:到|成)?(?P<more>{DIGITS}|[两二三四五十])倍"
    r"|(?P<en>doubl|twice|tripl|quadrupl)))"
)
_ONES = {"a": 1.0, "an": 1.0, "one": 1.0, "two": 2.0, "three": 3.0, "six": 6.0, "twelve": 12.0, "半": 0.5}
_FOLD = grammar(
    r"(?<![a-z0-9.])(?P<n>\d{1,2}(?:\.5)?)\s?x (?:by|next|within|in|over) (?:the )?"
    r"(?:end|next|summer|winter|spring|autumn|fall|a year|year|q[1-4]|20\d\d|\d+ months)"
    r"|(?:grow|scal|expand)\w{0,3} (?P<m>\d{1,2}(?:\.5)?)\s?x(?![a-z0-9])"
)
"""So many times as much: "3x by next summer"."""
_WORDS = {"doubl": 2, "twice": 2, "tripl": 3, "quadrupl": 4}


def compounded(found: Found[int] | None, text: str) -> Found[int] | None:
    """An amount that comes each day, as large as a rate of growth makes it."""
    times = _compounded(text) if found else None
    return Found(round(found.value * times), found.start, found.end) if found and times else found


def grown(found: Found[int] | None, text: str, kind: Literal["users", "concurrent"]) -> Found[int] | None:
    """The load that was stated, as large as words after it say that it becomes."""
    if found is None:
        return None
    if (match := _REACHED[kind].search(text, found.end)) is not None:
        value = scaled(match["n"], match["s"])
        if value and value > found.value:
            return Found(int(value), found.start, found.end)
    if times := _compounded(text):
        return Found(round(found.value * times), found.start, found.end)
    if (match := _BARE.search(text, found.end)) is not None:
        value = scaled(match["n"], match["s"])
        if value and found.value < value <= _GREATEST * found.value:
            return Found(int(value), found.start, found.end)
    if (fold := _FOLD.search(text, found.end)) is not None and (fold_times := float(fold["n"] or fold["m"])) > 1:
        return Found(round(found.value * fold_times), found.start, found.end)
    match = _MULTIPLIED.search(text, found.end)
    return Found(round(found.value * _times(match)), found.start, found.end) if match else found


def _compounded(text: str) -> float | None:
    """How many times as much a rate of growth makes it by the time that is looked ahead to."""
    match = next((found for rule in _RATE if (found := rule.search(text))), None)
    if match is None:
        return None
    each = _MONTHS.get(match["each"].removesuffix("ly").removesuffix("度"), 1.0)
    ahead = _HORIZON.search(text)
    months = _YEAR
    if ahead is not None:
        unit = ahead["unit"].rstrip("s")
        months = (_ONES.get(ahead["n"]) or number(ahead["n"]) or 1.0) * _MONTHS[unit]
    times = (1 + float(match["rate"]) / 100) ** (months / each)
    return times if 1 < times <= _GREATEST else None


def _times(match: re.Match[str]) -> float:
    """How many times as much: 「翻倍」 and 「翻一倍」 are twice, 「翻两番」 four times."""
    if word := match["en"] or match["soon"]:
        return _WORDS[word]
    said = number(match["more"] or match["times"] or "") or 0
    if match["unit"] == "番":
        return float(2 ** max(said, 1))
    return max(said, 2)
