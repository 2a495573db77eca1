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
"""The number reached later, of each kind of load."""
_MULTIPLIED = grammar(
    rf"(?:(?<![a-z])(?P<soon>doubl|tripl|quadrupl)\w{{1,3}} (?:next|by|within|soon|in (?:a|\d))"
    rf"|(?:{_LATER}|人数?|用户(?:量|数)?|并发(?:量)?|业务(?:量)?|规模|访问量|员工|users?|load|traffic|staff)[^。?!,\n]{{0,8}}?"
    rf"(?:翻(?P<times>{DIGITS}|[一两二三四五十])?(?P<unit>倍|番)|(?:涨|增长|增加|扩大?)(?:到|成)?(?P<more>{DIGITS}|[两二三四五十])倍"
    r"|(?P<en>doubl|twice|tripl|quadrupl)))"
)
_WORDS = {"doubl": 2, "twice": 2, "tripl": 3, "quadrupl": 4}


def grown(found: Found[int] | None, text: str, kind: Literal["users", "concurrent"]) -> Found[int] | None:
    """The load that was stated, as large as words after it say that it becomes."""
    if found is None:
        return None
    if (match := _REACHED[kind].search(text, found.end)) is not None:
        value = scaled(match["n"], match["s"])
        if value and value > found.value:
            return Found(int(value), found.start, found.end)
    match = _MULTIPLIED.search(text, found.end)
    return Found(round(found.value * _times(match)), found.start, found.end) if match else found


def _times(match: re.Match[str]) -> float:
    """How many times as much: 「翻倍」 and 「翻一倍」 are twice, 「翻两番」 four times."""
    if word := match["en"] or match["soon"]:
        return _WORDS[word]
    said = number(match["more"] or match["times"] or "") or 0
    if match["unit"] == "番":
        return float(2 ** max(said, 1))
    return max(said, 2)
