"""How often hardware is used, in hours a month: "a few hours a day", 「一周训两三天」, "two weeks a quarter".

A length of work ("3 hours", 「两三天」) goes with the period it comes back in ("a day", 「每周」), and that with the
days it comes back on ("on weekdays", 「周末休息」). A day, a week or a month of work is that long around the clock.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from assistant.understand.numbers import DIGITS, HAN, number
from assistant.understand.text import Found, grammar

DAY_H, WEEK_H, YEAR_H = 24.0, 168.0, 8760.0
MONTH_H = YEAR_H / 12
NIGHT_H = 8.0
"""A night of work of which the hours are not said."""
OFFICE_H = 8.0
"""A working day of which the hours are not said."""
WEEKEND_H = 48.0
FEW, SOME_DAYS = 3.0, 2.5
HORIZON_MONTHS = 36
"""What work that is done once is spread over: as long as hardware is reckoned with."""
APART_MAX = 34
"""Characters between a length and its period; more, and they speak of different things."""
_HOURS = {"hour": 1.0, "night": NIGHT_H, "day": DAY_H, "weekend": WEEKEND_H, "week": WEEK_H, "month": MONTH_H,
          "quarter": YEAR_H / 4, "half": YEAR_H / 2, "year": YEAR_H}  # fmt: skip
_PERIODS = {"night": DAY_H, "weekend": WEEK_H}
"""How often what is named comes back, where that is not its own length."""
_WORD = (
    r"(?<![a-z])(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|sixteen|twenty|thirty|forty|fifty)"
    r"(?![a-z])"
)
_UNIT = (
    r"(?P<hour>个?(?:小时|钟头)|(?:卡|机)时|(?:(?:gpu|card|machine)[- ]?)?hours?(?![a-z])|hrs?(?![a-z])"
    r"|h(?![a-z0-9]))"
    r"|(?P<weekend>(?:个)?(?:周末|双休日?)|weekends?(?![a-z]))"
    r"|(?P<night>(?:个)?(?:晚上|晚|夜里|夜)|nights?(?![a-z])|overnight|evenings?(?![a-z]))"
    r"|(?P<day>天|日(?![常志])|(?:week|work(?:ing)? ?)?days?(?![a-z])|d(?![a-z0-9]))"
    r"|(?P<week>个?(?:周|星期|礼拜)(?![一二三四五六日天末](?!天))|weeks?(?![a-z])|wk(?![a-z])|fortnights?(?![a-z]))"
    r"|(?P<quarter>个?季度|quarters?(?![a-z]))|(?P<half>半年)"
    r"|(?P<month>个?月|months?(?![a-z])|mo(?![a-z]))|(?P<year>年(?!算|内|前|后|代)|years?(?![a-z])|yr(?![a-z]))"
)
_DURATION = grammar(
    rf"(?P<every>每隔?|隔|(?<![a-z])(?:every other|every|each|per|an?|/)(?![a-z])|/)?\s?"
    rf"(?:(?P<digits>[两三四五六七八九][三四五六七八九]|{DIGITS}|{HAN}|{_WORD})[来多]?(?:\s?(?:-|–|~|到|至|to|or)\s?"
    rf"(?P<high>{DIGITS}|{HAN}|{_WORD}))?|(?P<few>几|(?<![a-z])(?:a few|few|several|some|a couple(?: of)?)(?![a-z]))"
    r"|(?P<half_of>半|half an?))?"
    rf"(?:\s?-\s?|\s?)(?:{_UNIT})"
)
_ADVERB = grammar(
    r"(?<![a-z])(?:(?P<day>daily)|(?P<week>weekly)|(?P<month>monthly)|(?P<quarter>quarterly)|(?P<year>yearly|annually)"
    r"|(?P<night>nightly))(?![a-z])|(?P<day2>天天)|(?P<weekend2>(?:on|at|only) (?:the )?weekends?"
    r"(?![a-z])|周末(?:才|跑|用|训|的时候|有空))"
)
_ONCE_A = grammar(r"^[^,.。;?!]{0,6}?(?:一次|一回|一轮|训一|跑一)|^(?:里|里面|里头|当中|之中)")
"""What makes a length of several units a period: 「两周训一次」, 「三个月里」."""
_CLOCK = grammar(
    r"(?P<morn>晚上?|夜里|下午)?\s?(?P<from>\d{1,2}|[一二两三四五六七八九十]{1,3})\s?(?P<u>点|:00|时)?\s?(?P<fm>am|pm)?\s?"
    r"(?:到|至|-|–|~|to|till|until)\s?(?P<eve>晚上?|夜里|下午|次日|第二天|凌晨)?\s?"
    r"(?P<to>\d{1,2}|[一二两三四五六七八九十]{1,3}|midnight|noon)\s?(?P<unit>点|:00|时)?\s?(?P<tm>am|pm)?(?!\d|\.\d|[a-z%万小])"
)
_OFFICE = grammar(
    r"(?:office|business|working) hours|nine[- ]to[- ]five|9[- ]to[- ]5"
    r"|(?:on |every )?(?:week|work(?:ing)? ?)days? (?:during the day|(?:in )?(?:the )?day ?time)"
    r"|day ?time (?:on|of) (?:week|work)"
    r"|(?:工作日|周一(?:到|至)周?五)(?:的)?(?:白天|日间|上班)|白天(?:上班|工作)"
    r"|上班时间|工作时间|办公时间|朝九晚[五六]|上班(?:的)?时候"
)
_WEEKDAYS = grammar(
    r"week ?days|work(?:ing)? ?days|(?:mon\w{0,3})\s?(?:-|–|to|through)\s?fri\w{0,3}|工作日|周一(?:到|至)周?五"
    r"|周末(?:都)?(?:休息|不用|不跑|不训|停机?|关机)|双休|not (?:on|at) weekends?|except (?:on )?weekends?"
    r"|(?:5|五|five) days a week"
)
_DAY_NAMES = grammar(
    r"(?<![a-z])(?:mon|tues?|wednes|thurs?|fri|satur|sun)days?(?![a-z])|(?:周|星期|礼拜)[一二三四五六日天](?!天|个)"
)
_WEEKENDS = grammar(
    r"(?:只|仅|就)?[在是有]?周末|周六(?:和|、|跟)?周日|双休日"
    r"|(?<![a-z])(?:on|at|only|just)? ?(?:the )?weekends?(?![a-z])"
)
_TIMES = grammar(
    rf"(?P<n>{DIGITS}|{HAN}|{_WORD}|(?<![a-z])(?:once|twice)(?![a-z]))\s?(?:次|回|趟|轮|times|runs?|jobs?|experiments?)"
    r"|(?P<adverb>(?<![a-z])(?:once|twice)(?![a-z]))"
)
_ONCE = grammar(
    r"(?:只|就|仅)(?:需要?|用|跑|训|要|租|这)|一次性|用完就|(?<![a-z])(?:just|only|one-?off|single run|once)(?![a-z])"
)
_NAMED_HOURS = {"midnight": 24.0, "noon": 12.0}
_NOW_AND_THEN = grammar(r"偶尔|有时|时不时|now and then|occasional\w{0,2}|once in a while|from time to time|sporadic")
_ALWAYS = grammar(
    r"all the time|around the clock|non-?stop|24\s?[/x×*]\s?7|7\s?[/x×*]\s?24"
    r"|全天候|不停机|常年|24\s?小时(?:不停|运行|开机|不关)"
    r"|all day(?:,| and) (?:all|every) (?:night|day)|(?:always|permanently) on"
    r"|(?:一直|不间断|连轴)地?(?:跑|开着|运行|转)"
    r"|天天跑|长期(?:在线|开机)|全年无休|一年到头"
    r"|(?:每天|天天|一直|长期)都?在?(?:跑(?!\D{0,8}(?:小时|钟头))|有任务|满载)"
    r"|continuous(?:ly)?(?![a-z])|(?<![a-z])constant(?:ly)?(?= (?:train|infer|serv|runn|use))"
)
_NON_STOP = grammar(
    r"24\s?(?:小时|h)(?:都?不(?:停|关|间断)|连续|一直|全天|开着|运行|在线|开机)|24\s?[/x×*]\s?7|7\s?[/x×*]\s?24|7\s?天\s?24\s?小时"
    r"|24\s?hours? a day(?!,? (?:[1-6]|one|two|three|four|five|six) days)|around the clock|全天候|不(?:停|关)机"
)
"""Words of use at all times that nothing beside them limits, though they hold a number of hours."""
_NIGHTS = grammar(
    r"(?<![a-z])(?:nights?|evenings?) only(?![a-z])|only (?:at night|nights|overnight|in the evenings?)(?![a-z])"
    r"|(?:只|仅|就)(?:在)?(?:晚上|夜里|夜间)|(?:晚上|夜里|夜间)才|夜间(?:跑|用|训)"
)
_UNRELATED = grammar(
    r"保修|质保|warranty|ago|以前|之前|前$|交货|到货|deliver|deadline|期限|之内|以内|内完成|within|回本|算$|摊|折旧|over$|amorti"
)
_ONE_WEEKEND = grammar(
    r"(?<![a-z])(?:for|over|this|next|during|coming)\s(?:just |only |about )?(?:the |an? |one |this |next |coming )?"
    r"(?:single |long |whole |entire )?weekend(?![a-z])(?!,? (?:a|per|every|each) (?:month|week|quarter|year))"
    r"|(?<!每)(?:[这下本]个?|[一租用跑训借]个)(?:周末|双休日?)(?!才|都|休|的?时候)"
)
"""A weekend that is a single one."""
_EVERY_MONTH = grammar(r"每(?:个)?(?:月|季度|周|年)[^,。;?!]{0,6}$")
_OR_TWO = grammar(r"(?<![a-z])an? (hour|day|week|night) or (?:two|so)(?![a-z])")


@dataclass(frozen=True, slots=True)
class _Duration:
    """A length or a period as written."""

    start: int
    end: int
    unit: str
    count: float
    article: bool
    """Whether it may say how often: "a day", 「每周」, 「一周」, "weekly"."""
    every: bool
    """Whether it only says how often."""

    @property
    def hours(self) -> float:
        return self.count * _HOURS[self.unit]

    @property
    def period(self) -> float:
        return self.count * _PERIODS.get(self.unit, _HOURS[self.unit])


def find_usage(plain: str) -> Found[float] | None:
    """Hours a month that hardware is used, as stated; None when nothing is."""
    plain = _OR_TWO.sub(
        lambda said: f"{'1-2' if said[0][-1] == 'o' and 'two' in said[0] else 1} {said[1]}s".ljust(len(said[0])), plain
    )
    found = (
        _matched(_NON_STOP, plain, MONTH_H) or _daily(plain) or _recurring(plain) or _on_named_days(plain)
        or _matched(_NIGHTS, plain, NIGHT_H * MONTH_H / DAY_H) or _matched(_ALWAYS, plain, MONTH_H) or _alone(plain)
    )  # fmt: skip
    if found is None or not 0 < found.value <= MONTH_H * 1.02:
        return None
    return Found(min(MONTH_H, found.value), found.start, found.end)


def find_weekend(plain: str) -> Found[float] | None:
    """Hours of a single weekend that is spoken of; None where none is, or they come back: "one weekend a month"."""
    match = _ONE_WEEKEND.search(plain)
    if match is None or _EVERY_MONTH.search(plain[: match.start()]):
        return None
    return Found(WEEKEND_H, match.start(), match.end())


_ONE_NIGHT = grammar(
    r"(?<!每)(?<!每天)(?:一|整)(?:个)?(?:晚上?|夜|通宵)|通宵"
    r"|(?<![a-z])(?:overnight|for (?:one|a|the|tonight) ?(?:whole |single )?night)(?![a-z])"
)


def find_night(plain: str) -> Found[float] | None:
    """Hours of a single night that is spoken of; None where none is, or every one."""
    match = _ONE_NIGHT.search(plain)
    if match is None or _EVERY_MONTH.search(plain[: match.start()]):
        return None
    return Found(NIGHT_H, match.start(), match.end())


def _daily(plain: str) -> Found[float] | None:
    """From one hour of the day to another, or in office hours; on weekdays or every day."""
    office = _OFFICE.search(plain)
    if office:
        return Found(OFFICE_H * 5 * YEAR_H / 12 / WEEK_H, office.start(), office.end())
    for match in _CLOCK.finditer(plain):
        said = match["unit"] or match["u"] or match["fm"] or match["tm"] or match["eve"] or match["to"] in _NAMED_HOURS
        working = _WEEKDAYS.search(plain[max(0, match.start() - 14) : match.start()])
        said = said or working
        start, end = number(match["from"]), _NAMED_HOURS.get(match["to"]) or number(match["to"])
        if not said or start is None or end is None or start > DAY_H or end > DAY_H:
            continue
        start += 12 if (match["fm"] == "pm" or match["morn"]) and start < 12 else 0
        late = match["tm"] == "pm" or (match["eve"] or "")[:1] in ("晚", "下", "夜")
        late = late or (working is not None and not match["tm"] and end <= start)
        end += 12 if (late or (match["morn"] and end > start - 12)) and end <= 12 else 0
        hours = (end - start) % DAY_H or DAY_H
        return Found(hours * _days_a_week(plain) * MONTH_H / WEEK_H, match.start(), match.end())
    return None


def _recurring(plain: str) -> Found[float] | None:
    """A length of work and the period it comes back in, both said."""
    said = _durations(plain)
    pairs = [
        (length, period)
        for length in said for period in said
        if length is not period and period.article and not length.every and length.hours <= period.period
        and _distance(length, period) <= APART_MAX
        and _rank(length.unit) < _rank(period.unit) + (period.count > length.count)
    ]  # fmt: skip
    taken = [period for length, period in pairs if length.unit in {"hour", "night"} and not length.article]
    pairs = [pair for pair in pairs if pair[0] not in taken or pair[0].count > 1] or pairs
    if pairs:
        length, period = min(pairs, key=lambda pair: (pair[1].period != DAY_H, not pair[1].every, _distance(*pair)))
        hours = length.hours * _times(plain, period) * MONTH_H / period.period
        if period.period == DAY_H:
            hours *= _days_in(said, length, period, plain) / 7
        return Found(hours, min(length.start, period.start), max(length.end, period.end))
    alone = [one for one in said if one.every and one.unit in {"night", "weekend"}]
    if alone:
        first = alone[0]
        return Found(first.hours * MONTH_H / first.period, first.start, first.end)
    return None


def _on_named_days(plain: str) -> Found[float] | None:
    """Hours on days of the week that are named, without a word of every week."""
    hours = next((one for one in _durations(plain) if one.unit == "hour" and not one.every), None)
    if hours is None or not _DAY_NAMES.search(plain):
        return None
    return Found(hours.hours * _days_a_week(plain) * MONTH_H / WEEK_H, hours.start, hours.end)


def _days_in(said: Sequence[_Duration], length: _Duration, period: _Duration, plain: str) -> float:
    """Days of the week that it comes back on: "three days a week", "22 days a month", "on weekdays", else all."""
    for days in said:
        if days in (length, period) or days.unit != "day" or days.every:
            continue
        if any(month.unit == "month" and month.article and month is not days
               and _distance(days, month) <= APART_MAX // 3 for month in said):  # fmt: skip
            return min(7.0, days.count * 7 * DAY_H / MONTH_H)
        if any(week.unit == "week" and week.article and week is not days and _distance(days, week) <= APART_MAX // 3
               for week in said):  # fmt: skip
            return min(7.0, days.count)
    return _days_a_week(plain)


def _days_a_week(plain: str) -> float:
    if _WEEKDAYS.search(plain):
        return 5.0
    named = {match[0][:3] if match[0].isascii() else match[0][-1] for match in _DAY_NAMES.finditer(plain)}
    if 0 < len(named) < 7 and not _WEEKENDS.search(plain):
        return float(len(named))
    return 2.0 if _WEEKENDS.search(plain) else 7.0


def _times(plain: str, period: _Duration) -> float:
    """How many times in the period: "two runs a month", 「一个月训两次」; once where it is not said."""
    match = _TIMES.search(plain[period.end : period.end + 10]) or _TIMES.search(
        plain[max(0, period.start - 14) : period.start]
    )
    if match is None:
        return 1.0
    word = match["n"] or match["adverb"]
    count = {"once": 1.0, "twice": 2.0}.get(word) or number(word)
    return count if count and 1 <= count <= 60 else 1.0


def _matched(rule: re.Pattern[str], plain: str, hours: float) -> Found[float] | None:
    """So many hours a month where the words say it."""
    match = rule.search(plain)
    return Found(hours, match.start(), match.end()) if match else None


def _alone(plain: str) -> Found[float] | None:
    """A length without a period: what is done now and then is taken as monthly, what is done once as spread out."""
    lengths = [one for one in _durations(plain) if not one.every and one.unit in {"hour", "day", "week", "month"}]
    if not lengths:
        return None
    seldom, once = _NOW_AND_THEN.search(plain), _ONCE.search(plain)
    first = lengths[0]
    if seldom and first.unit in {"hour", "day"}:
        return Found(first.hours, first.start, first.end)
    if once and abs(once.end() - first.start) <= APART_MAX // 2:
        return Found(first.hours / HORIZON_MONTHS, first.start, first.end)
    return None


@lru_cache(maxsize=64)
def _durations(plain: str) -> tuple[_Duration, ...]:
    """Every length and period of the text, in order; each reading of how long something runs looks at them."""
    found = [one for match in _DURATION.finditer(plain) if (one := _duration(match, plain)) is not None]
    single = find_weekend(plain)
    found += [
        _adverb(match) for match in _ADVERB.finditer(plain)
        if single is None or not single.start < match.end() <= single.end + 1
    ]  # fmt: skip
    kept: list[_Duration] = []
    for one in sorted(found, key=lambda each: (each.start, -each.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return tuple(kept)


def _duration(match: re.Match[str], plain: str) -> _Duration | None:
    unit = next(name for name in _HOURS if match[name])
    every = match["every"] or ""
    after = plain[match.end() : match.end() + 8]
    if _UNRELATED.search(plain[max(0, match.start() - 5) : match.start()]) or _UNRELATED.match(after.strip()):
        return None
    single = find_weekend(plain) if unit == "weekend" else None
    if single is not None and single.start <= match.end() <= single.end:
        return None
    count = _count(match)
    if count is None:
        bare = unit in {"weekend", "half"} or (unit == "night" and (bool(every) or match["night"] == "overnight"))
        if not every and not bare:
            return None
        count = 1.0
    if match.group().strip().startswith("fortnight"):
        count *= 2
    alternate = every in {"隔", "every other", "每隔"}
    counted = match["digits"] is not None or match["few"] is not None
    named_half = unit == "half" or (unit == "year" and match["half_of"] is not None)
    often = _ONCE_A.match(plain[match.end() :]) is not None and count > 1
    return _Duration(
        start=match.start(), end=match.end(), unit=unit, count=count * (2 if alternate else 1),
        article=bool(every) or match["digits"] in {"一", "1", "one"} or named_half or often,
        every=(bool(every) and (every not in {"a", "an"} or not counted)) or (not counted and unit == "weekend"),
    )  # fmt: skip


def _count(match: re.Match[str]) -> float | None:
    digits, high = match["digits"], match["high"]
    if match["half_of"]:
        return 0.5
    if match["few"]:
        return 2.0 if "couple" in match["few"] else FEW
    if not digits:
        return None
    if len(digits) == 2 and digits[1] in "三四五六七八九" and digits[0] in "两三四五六七八九":
        return ((number(digits[0]) or 0) + (number(digits[1]) or 0)) / 2
    low, top = number(digits), number(high) if high else None
    return (low + top) / 2 if low is not None and top is not None and top >= low else low


def _adverb(match: re.Match[str]) -> _Duration:
    unit = next(name for name, text in match.groupdict().items() if text).rstrip("2")
    return _Duration(match.start(), match.end(), unit, 1.0, True, True)


def _distance(one: _Duration, other: _Duration) -> int:
    return max(0, max(one.start, other.start) - min(one.end, other.end))


def _rank(unit: str) -> int:
    return list(_HOURS).index(unit)
