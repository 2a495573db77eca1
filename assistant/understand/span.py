"""The calendar time that a bill is asked for: "for a quarter", "a year of 4×L40S", 「半年」, 「三个月下来」.

What comes back ("five hours a day", 「一周训两天」) is how hardware is used, and is read as that.
"""

import re

from assistant.understand.numbers import DIGITS, HAN, number
from assistant.understand.text import Found, Text, grammar
from assistant.understand.usage import find_night, find_usage, find_weekend
from kb.units import HOUR_S

_WORD = "an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|eighteen"
_HOURS = {
    "hour": 1, "小时": 1, "钟头": 1, "day": 24, "天": 24, "week": 168, "周": 168, "星期": 168, "礼拜": 168,
    "fortnight": 336, "month": 730, "月": 730, "quarter": 2190, "季度": 2190, "year": 8760, "年": 8760,
}  # fmt: skip
_UNIT = r"(?P<u>hour|day|week|fortnight|month|quarter|year)s?(?![a-z])"
_EN = grammar(
    rf"(?<![a-z])(?:for|over|during|across|all|whole|full|entire|next) (?:about |around |roughly |only |just |next"
    rf" |the (?:next |whole |full )?)?(?P<n>{DIGITS}|half an?|{_WORD})?[ -]?(?:whole |full |entire |solid )?{_UNIT}"
)
_EN_LOOSE = grammar(rf"(?<![a-z$€£¥\d.])(?P<n>{DIGITS}|half an?|{_WORD})[ -](?:whole |full )?{_UNIT}")
_ZH = grammar(
    rf"(?<![每第去今明这])(?<![A-Za-z\d.])(?P<n>{DIGITS}|{HAN}|半)\s?(?P<u>个?(?:小时|钟头)|天"
    r"|个?(?:周|星期|礼拜)|个?半?月|个?季度|年半?)"
    r"(?!前|以前|后|之后|质保|保修|回本|一次|[一两三四五六七]次|的?数据|期|级|代|折旧|摊)"
)
_EACH = grammar(
    r"(?<![a-z])(?:per|each|every|a) (?P<u>year|quarter|annum|month|week|day)(?![a-z])"
    r"|(?<![a-z])(?:yearly|annual(?:ly)?|(?P<m>monthly)|(?P<w>weekly))(?![a-z])"
)
_PACKED = grammar(
    r"(?:包|年)?(?:包|按)(?P<u>年|月|季|周|天)(?![前后])|(?<![一两几每\d])(?P<v>年|月|周|日)租(?!金|房|价|预算)"
)
_NOT_A_TERM = grammar(r"\s?(?:old|warranty|ago|of warranty|support|deadline|lead)")
_PRICED = grammar(
    r"\d(?:[\d.,]*\d)?\s?k?\s?(?:us)?(?:\$|€|£|usd|dollars?|eur|euros?|bucks|cents?|gbp|pounds?)?\s?(?:/|for )?$"
)
"""What ends in a price: the unit behind it is what is paid for, "$0.80 an hour"."""
_HIRED = grammar(r"租|(?<![a-z])(?:rent\w{0,3}|hir(?:e|ing))(?![a-z])")
"""Words of who pays for the time; otherwise a night is what the work may take."""
_LONGEST_YEARS = 100
"""Years from which a number of them is a date, not a time that anything is paid for."""
_WORDS = {"half a": 0.5, "half an": 0.5, "半": 0.5, "eighteen": 18.0, None: 1.0}


def hires(text: str) -> bool:
    """Whether the words, in lower case, speak of renting."""
    return _HIRED.search(text) is not None


def find_span(text: str) -> Found[float] | None:
    """Seconds of calendar time that a bill is asked for; None where none is told apart from how hardware is used."""
    plain = Text.of(text).plain
    used = find_usage(plain)
    for rule in (_EN, _ZH, _EN_LOOSE):
        for match in rule.finditer(plain):
            if used and match.start() < used.end and used.start < match.end():
                continue
            hours = _hours(match)
            if hours and hours > _LONGEST_YEARS * _HOURS["year"]:
                continue  # the year that it is: 「2026 年还值得买吗」
            if match.groupdict().get("n") in ("a", "an") and _PRICED.search(plain[: match.start()]):
                continue
            if hours and not _NOT_A_TERM.match(plain, match.end()):
                return Found(hours * HOUR_S, match.start(), match.end())
    weekend = find_weekend(plain) or (find_night(plain) if _HIRED.search(plain) else None)
    if weekend is not None:
        return Found(weekend.value * HOUR_S, weekend.start, weekend.end)
    packed = _PACKED.search(plain)
    if packed is not None:
        unit = (packed["u"] or packed["v"]).replace("季", "季度").replace("日", "天")
        return Found(
            _HOURS[unit] * HOUR_S,
            packed.start(),
            packed.end(),
        )
    each = _EACH.search(plain)
    if (
        each is None
        or _PRICED.search(plain[: each.start()])
        or (used and each.start() < used.end and used.start < each.end())
    ):
        return None
    unit = each["u"] or ("month" if each["m"] else "week" if each["w"] else "year")
    return Found(_HOURS.get(unit, _HOURS["year"]) * HOUR_S, each.start(), each.end())


def _hours(match: re.Match[str]) -> float | None:
    """Hours of what was matched; half of a unit behind the number counts: 「一年半」, 「两个半月」."""
    said, unit = match["n"], match["u"].removeprefix("个")
    count = _WORDS[said] if said in _WORDS else number(said)
    if count is None:
        return None
    return (count + (0.5 if "半" in unit else 0.0)) * _HOURS[unit.replace("半", "")]
