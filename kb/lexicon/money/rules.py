"""Money as people write it: $25k · 132万 · ¥0.8/kWh · 3 万元/月 · 30 cents per kWh · 25 lakh INR · 1.80 €/gpu/h."""

import re
from decimal import Decimal
from functools import lru_cache
from typing import Literal, NamedTuple

from kb.base import BadInput, Frozen
from kb.base import Money as Amount
from kb.lexicon.count.rules import Number, numbers
from kb.lexicon.text import grammar, plain
from kb.lexicon.words import any_of, meaning, vocabulary

Per = Literal["hour", "day", "month", "year", "kwh", "million_tokens"]
Each = Literal["gpu", "machine", "user", "image"]
MOST = Decimal(10) ** 15
_IN_UNITS: dict[str, tuple[Per, Decimal]] = {
    "second": ("hour", Decimal(3600)),
    "minute": ("hour", Decimal(60)),
    "week": ("day", Decimal(1) / 7),
    "quarter": ("month", Decimal(1) / 3),
    "mwh": ("kwh", Decimal("0.001")),
}
"""Units that are told in another: a price a second is 3,600 of them an hour."""
_TOKENS = grammar(
    r"(?:1 ?)?(?P<s>mm?|million|百万|k|thousand|千|b|billion|十亿|万)?"
    r" ?(?:input |output )?-?(?:tokens?|toks?|token)(?![a-z])"
)
_TOKEN_SCALES = {None: 1, "k": 1e3, "thousand": 1e3, "千": 1e3, "万": 1e4, "b": 1e9, "billion": 1e9, "十亿": 1e9}
_LINK = r"(?:\(| |-|·|\*|,|of |for |electricity |rent )*(?:/|per |an? |every |each |每|一|1 ?)?(?:individual )?个? ?"
_THOUSANDS_BY_POINT = grammar(r"(?<![\d.,])(\d{1,3}(?:\.\d{3})+)(?:,(\d{2}))?(?![\d.])")
"""German thousands: 25.000 €, 1.250,50 €."""
_TENTH = grammar(r"([一二两三四五六七八九1-9])(?![\d十百千万])")
_ONE_OF_IT = grammar(r" ?(?:[张块片台个套月年天度]|小时|季度)")
"""What a 「一」 counts that says what the amount is for: 「八百多一张」."""
_KOREAN_SCALE = grammar(r"[만억]")
_CHINESE_SCALE = grammar(r"[百千万亿]|(?<=\d)w(?![a-z])|预算|块|毛|每|一")


class Money(Frozen):
    """An amount of money, and what it is for."""

    amount: Amount
    """Units of the currency; of a range, the upper end."""
    currency: str
    """ISO 4217 code."""
    per: Per | None = None
    """The time, energy or tokens it pays for; null = once. A price a second, week or quarter is told in these."""
    each: Each | None = None
    """The thing of which every one costs so much; null = not said."""
    assumptions: tuple[str, ...] = ()
    """What was taken for granted in reading it."""


class _Sign(NamedTuple):
    currency: str
    factor: Decimal
    end: int


def read_money(text: str, field: str = "money", currency: str | None = None) -> Money:
    """The money that `text` says; `currency` (ISO 4217) is taken where none is written.

    Amounts in 万 without a currency are yuan, which is said in the assumptions.

    Raises:
        BadInput: there is no amount, or several, or no currency.
    """
    words = _by_point(plain(text))
    every = numbers(words, articles=False)
    # 「三千多一块」: what stands right behind an amount is the card that costs so much, not a yuan.
    counted = [one for one in every if one.value == 1 and any(before.end == one.start for before in every)]
    found = [(one, sign) for one in every if one not in counted and (sign := _sign(words, one)) is not None]
    if len(found) > 1:
        raise BadInput(field, f"“{text[:60]}” holds several amounts of money.", 'Give one, e.g. "$25k", "¥0.8/kWh".')
    if found:
        one, sign = found[0]
        return _money(text, words, one, sign, field, ())
    return _without_sign(text, words, field, currency)


def _without_sign(text: str, words: str, field: str, currency: str | None) -> Money:
    found = [one for one in numbers(words, articles=False) if not _is_glued(words, one)]
    bare = [one for one in found if not (one.value == 1 and _ONE_OF_IT.match(words, one.end))] or found
    if len(bare) != 1:
        reason = "is no amount of money" if not bare else "holds several numbers and no currency"
        raise BadInput(field, f"“{text[:60]}” {reason}.", 'Give an amount and a currency, e.g. "$25k", "¥50000".')
    end = bare[0].end
    if currency is not None:
        return _money(text, words, bare[0], _Sign(currency, Decimal(1), end), field, ())
    if re.search(r"(?<![a-z])kr(?![a-z])", words):
        raise BadInput(field, f"“{text[:60]}”: kr is the krona of several countries.", "Write SEK, NOK or DKK.")
    if _KOREAN_SCALE.search(words):
        assumed = (f"“{text.strip()[:60]}” is read as won (KRW), as no currency is written.",)
        return _money(text, words, bare[0], _Sign("KRW", Decimal(1), end), field, assumed)
    if _CHINESE_SCALE.search(words):
        assumed = (f"“{text.strip()[:60]}” is read as yuan (CNY), as no currency is written.",)
        return _money(text, words, bare[0], _Sign("CNY", Decimal(1), end), field, assumed)
    raise BadInput(field, f"“{text[:60]}” names no currency.", 'Write it with the amount, e.g. "$25k", "1.80 EUR".')


def _money(text: str, words: str, one: Number, sign: _Sign, field: str, assumed: tuple[str, ...]) -> Money:
    amount = Decimal(format(one.value, ".15g"))
    if sign.factor == 1 and sign.currency == "CNY" and words[sign.end - 1 : sign.end] in {"块", "元"}:
        tenth = _TENTH.match(words, sign.end)
        if tenth:  # 一块二
            amount += Decimal(int(numbers(tenth[1])[0].value)) / 10
            sign = sign._replace(end=tenth.end())
    per, factor, each = _for(words, one.start, max(one.end, sign.end))
    amount = amount * sign.factor * factor
    if not 0 <= amount <= MOST:
        raise BadInput(field, f"“{text[:60]}” is no amount of money.", "Give one from 0 to 10^15.")
    return Money(amount=_rounded(amount), currency=sign.currency, per=per, each=each, assumptions=assumed)


def _rounded(amount: Decimal) -> Decimal:
    """Twelve digits, without an exponent."""
    return Decimal(format(amount, ".12g")) if amount else Decimal(0)


def _by_point(words: str) -> str:
    """German thousands in English, where euros are written and no sentence would read them as a decimal."""
    if not re.search(r"€|(?<![a-z])eur", words):
        return words
    return (
        _THOUSANDS_BY_POINT.sub(lambda match: match[1].replace(".", "") + (f".{match[2]}" if match[2] else ""), words)
        if not re.search(r"(?<!\d)0\.\d{3}(?!\d)", words)
        else words
    )


def _is_glued(words: str, one: Number) -> bool:
    """Whether the number is part of a word or a quantity of something else: 24gb, 3090s, 500 w."""
    return re.match(r"[a-z%]| ?(?:gi?b|mi?b|w|kw|ms|tokens?|users?)(?![a-z])", words[one.end :]) is not None


def _sign(words: str, one: Number) -> _Sign | None:
    """The currency before or behind the number; hundredths and tenths count as such."""
    if before := _before().search(words[: one.start]):
        return _Sign(meaning("money", "before", before["sign"]), Decimal(1), one.end)
    after = _after().match(words, one.end)
    if after is None:
        return None
    said = after["sign"]
    for kind, factor in (("after", "1"), ("tenths", "0.1"), ("hundredths", "0.01")):
        if (currency := meaning("money", kind, said)) is not None:
            return _Sign(currency, Decimal(factor), after.end())
    return None


@lru_cache(maxsize=1)
def _before() -> re.Pattern[str]:
    return grammar(rf"(?P<sign>{any_of(vocabulary('money', 'before'))}) ?[:~≈]? ?$")


@lru_cache(maxsize=1)
def _after() -> re.Pattern[str]:
    every = [*vocabulary("money", "after"), *vocabulary("money", "tenths"), *vocabulary("money", "hundredths")]
    return grammar(rf" ?多? ?(?P<sign>{any_of(every)})(?!素|组|件|洲|片|(?<=块)(?:[a-z]|显卡|卡| ?\d{{4}}))")


def _for(words: str, start: int, end: int) -> tuple[Per | None, Decimal, Each | None]:
    """What the amount at [start, end) pays for: behind it ("/gpu/h"), else before it (「每月」, "monthly")."""
    per, factor, each = _behind(words, end)
    if per is None and (before := _ahead().search(words[:start])):
        per, factor = _told(meaning("money", "per", before["unit"]))
    return per, factor, each


def _behind(words: str, place: int) -> tuple[Per | None, Decimal, Each | None]:
    per: Per | None = None
    each: Each | None = None
    factor = Decimal(1)
    while True:
        if per is None and (tokens := _tokens().match(words, place)):
            scale = tokens["s"]
            million = 1e6 if scale in ("m", "mm", "million", "百万") else _TOKEN_SCALES[scale]
            per, factor, place = "million_tokens", Decimal(10**6) / Decimal(int(million)), tokens.end()
        elif per is None and (unit := _per().match(words, place)):
            per, factor = _told(meaning("money", "per", unit["unit"]))
            each = each or meaning("money", "of_gpu_hour", unit["unit"])
            place = unit.end()
        elif each is None and (thing := _each().match(words, place) or _apiece().match(words, place)):
            said = thing["thing"]
            each = meaning("money", "each", said) or meaning("money", "apiece", said)
            place = thing.end()
        else:
            return per, factor, each


def _told(unit: str) -> tuple[Per, Decimal]:
    known: dict[str, Per] = {"hour": "hour", "day": "day", "month": "month", "year": "year", "kwh": "kwh"}
    return _IN_UNITS[unit] if unit in _IN_UNITS else (known[unit], Decimal(1))


@lru_cache(maxsize=1)
def _tokens() -> re.Pattern[str]:
    return re.compile(_LINK + _TOKENS.pattern, re.ASCII)


@lru_cache(maxsize=1)
def _per() -> re.Pattern[str]:
    return grammar(_LINK + rf"(?P<unit>{any_of(vocabulary('money', 'per'))})")


@lru_cache(maxsize=1)
def _each() -> re.Pattern[str]:
    return grammar(_LINK + rf"(?P<thing>{any_of(vocabulary('money', 'each'))})")


@lru_cache(maxsize=1)
def _apiece() -> re.Pattern[str]:
    return grammar(rf" ?(?P<thing>{any_of(vocabulary('money', 'apiece'))})")


@lru_cache(maxsize=1)
def _ahead() -> re.Pattern[str]:
    units = any_of(vocabulary("money", "per"))
    return grammar(rf"(?:每个?|一个?|per |an? |every |/)?(?<!\d)(?P<unit>{units})(?:[^\d]{{0,16}})$")
