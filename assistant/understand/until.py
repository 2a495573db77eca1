"""Times for work that are said without a figure: "overnight", "by Monday", 「明早之前」, 「周末两天」.

What comes back ("every night", 「每个周末」) is how hardware is used, and is read as that.
"""

from assistant.understand.text import Found, grammar
from assistant.understand.usage import NIGHT_H, OFFICE_H, WEEKEND_H
from kb.units import HOUR_S

MORNING_H = 12.0
"""From an evening to the next morning."""
TOMORROW_H = 24.0
MONDAY_H = 60.0
"""From a Friday evening to Monday morning."""
WEEKDAY_H = 72.0
"""Until another day of the week: half of one, as today's is not known."""
_BY = r"(?:by|before|until|till)"
_BEFORE = r"(?:之前|以前|前)?"
_DUE = r"(?:要交|要用|要出|交|就要|得|必须|上班|得给|要给|给)"
_ONCE = r"(?<!每)(?<!每个)(?<!每天)(?<!每周)(?<!every )(?<!each )"
_RULES = (
    (
        grammar(
            rf"(?<![a-z])(?:{_BY}|(?:ready|done) (?:for|in)) (?:tomorrow|the (?:next )?|next ) ?morning(?![a-z])"
            rf"|{_ONCE}(?:明早|明天早上|明天上午|明早上|第二天早上|天亮|明天上班){_BEFORE}"
        ),
        MORNING_H,
    ),
    (
        grammar(
            rf"{_ONCE}(?<![a-z])(?:over ?night|through the night|(?:in|for|within) (?:a|one|a single) (?:single )?night"
            r"|while i(?: am|'m)? (?:sleep(?:ing)?|asleep)|tonight)(?![a-z])"
            rf"|{_ONCE}(?:(?:一|整)个?(?:晚上?|通宵|夜)(?!\s?的?(?:电|租|多少钱))|通宵|今晚上?|今夜|睡一觉)"
        ),
        NIGHT_H,
    ),
    (
        grammar(
            rf"(?<![a-z]){_BY} (?:the )?(?:end of (?:the )?(?:day|today)|eod|close of business|tonight)(?![a-z])"
            rf"|(?:今天|今日)(?:之?内|以内|下班{_BEFORE}|{_DUE})|下班前"
        ),
        OFFICE_H,
    ),
    (grammar(rf"(?<![a-z]){_BY} tomorrow(?![a-z])(?! morning)|明天(?:之前|以前|前|{_DUE})"), TOMORROW_H),
    (
        grammar(
            rf"(?<![a-z]){_BY} (?:next |this )?monday(?![a-z])"
            rf"|下?(?:周|星期|礼拜)一(?:早上|上午)?(?:之前|以前|前|{_DUE}|上线|上班)"
        ),
        MONDAY_H,
    ),
    (
        grammar(
            rf"{_ONCE}(?<![a-z])(?:over|during|in|within|on|by the end of|for) (?:the|an?|one|this|next|the coming) "
            r"(?:single |whole )?weekend(?![a-z])|(?<![a-z])this weekend(?![a-z])"
            rf"|{_ONCE}(?:[这下本一]个|[趁用花就])?周末(?:[两2二]天(?:时间)?|之?内|里|期间|能|可以|来得及|跑得?完)"
            rf"|{_ONCE}(?:[这下本]个?|一个)周末"
        ),
        WEEKEND_H,
    ),
    (
        grammar(
            rf"(?<![a-z]){_BY} (?:next |this )?(?:tues|wednes|thurs|fri|satur|sun)day(?![a-z])"
            rf"|(?:周|星期|礼拜)[二三四五六日天](?:之前|以前|前|{_DUE})"
        ),
        WEEKDAY_H,
    ),
)
"""Words, and the hours taken for them."""


def find_until(text: str) -> Found[float] | None:
    """Seconds until work is to be done by the words; None where none set such a time."""
    for rule, hours in _RULES:
        if match := rule.search(text):
            return Found(hours * HOUR_S, match.start(), match.end())
    return None
