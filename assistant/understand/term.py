"""How long something is rented for, once: "8xH100 for a week", "4 L40S for 3 days", 「租 8 张 A100 两周」."""

from assistant.understand.numbers import DIGITS, HAN, number
from assistant.understand.text import Text, grammar
from assistant.understand.usage import find_weekend
from kb.units import HOUR_S

_WORD = "an?|one|two|three|four|five|six|seven|eight|ten|twelve"
_TERM_EN = grammar(
    rf"(?<![a-z])for (?:about |around |roughly |only |just )?(?:the )?(?P<n>{DIGITS}|{_WORD})?[ -]?"
    r"(?P<u>hour|day|week|fortnight|month|quarter|year)s?(?![a-z])"
)
_TERM_ZH = grammar(
    rf"(?<!每)(?<!限)(?P<n>{DIGITS}|{HAN}|半)\s?(?P<u>个?(?:小时|钟头)|天|个?(?:周|星期|礼拜)|个?月|年)"
    r"(?!前|后|内|以内|之内|一次|[一两三四五六七]?次|的?数据|算|期)"
)
_HIRED = grammar(r"租|包[天周月年]|(?<![a-z])(?:rent\w{0,3}|hir\w{1,4}|leas\w{1,4}|cloud|cost\w{0,2}|price)(?![a-z])")
_OFTEN = grammar(
    r"每(?:天|周|月|个月|晚|年|星期)|一天|一周[一两三四五六七几]"
    r"|(?<![a-z])(?:a|per|every|each) (?:day|week|month|night)"
)
_HOURS = {
    "hour": 1, "小时": 1, "钟头": 1, "day": 24, "天": 24, "week": 168, "周": 168, "星期": 168, "礼拜": 168,
    "fortnight": 336, "month": 730, "月": 730, "quarter": 2190, "year": 8760, "年": 8760,
}  # fmt: skip
_ONE = {"a": 1.0, "an": 1.0, "半": 0.5, None: 1.0}


def find_term(text: str) -> float | None:
    """Seconds of a single rental; None where no length was said, or one that comes back."""
    plain = Text.of(text).plain
    weekend = find_weekend(plain) if _HIRED.search(plain) else None
    if weekend is not None:
        return weekend.value * HOUR_S
    if not _HIRED.search(plain) or ("租" not in plain and not _TERM_EN.search(plain)):
        return None
    match = _TERM_EN.search(plain) or _TERM_ZH.search(plain)
    if match is None:
        return None
    rest = plain[: match.start()] + " " + plain[match.end() :]
    if _OFTEN.search(rest):
        return None
    count = _ONE[match["n"]] if match["n"] in _ONE else number(match["n"] or "")
    unit = match["u"].removeprefix("个")
    return count * _HOURS[unit] * HOUR_S if count else None
