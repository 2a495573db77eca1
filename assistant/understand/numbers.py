"""Numbers as people write them: 1,200 · 10 000 · 1.2M · 十万 · 50万 · two · a dozen."""

import re

from assistant.understand.text import grammar

DIGITS = r"(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,3}(?: 000){1,3}(?!\d)|\d{1,12})(?:\.\d{1,6})?"
"""Digits with thousands separators; bounded, so nothing backtracks far."""
ONE_OF = r"\s?(?:个|[年月天周日张块台卡种套片条次份颗节回趟路批组]|小时|季度|钟头|星期|机柜)"
"""What 「一」 counts right behind an amount, so that it is no digit of it: 「三万一年」 is thirty thousand a year."""
HAN = rf"(?:[零〇一二三四五六七八九十百千万亿两俩]{{1,12}}(?!(?<=[百千万亿]一){ONE_OF}))"
AMOUNT = (
    rf"(?:{DIGITS}|{HAN}|(?<![a-z])(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty"
    rf"|thirty|forty|fifty|hundred|thousand|a hundred|a thousand)(?![a-z]))"
)
"""How many, in digits or in words."""
WORDS = {
    "a": 1, "an": 1, "one": 1, "single": 1, "two": 2, "dual": 2, "both": 2, "pair": 2, "couple": 2, "double": 2,
    "three": 3, "triple": 3, "four": 4, "quad": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "octa": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "dozen": 12, "sixteen": 16, "twenty": 20, "thirty": 30, "forty": 40,
    "zwei": 2, "drei": 3, "vier": 4, "acht": 8, "deux": 2, "trois": 3, "quatre": 4, "huit": 8, "dos": 2, "tres": 3,
    "cuatro": 4, "ocho": 8, "dois": 2, "duas": 2, "três": 3, "quatro": 4, "oito": 8, "tre": 3, "quattro": 4, "otto": 8,
    "два": 2, "двух": 2, "две": 2, "три": 3, "трёх": 3, "трех": 3, "четыре": 4, "четырёх": 4, "восемь": 8,
    "한": 1, "두": 2, "세": 3, "네": 4, "여덟": 8,
    "fifty": 50, "hundred": 100, "thousand": 1000, "several": 2, "multiple": 2,
}  # fmt: skip
"""Number words of the languages people ask in; "several" and "multiple" are at least two."""
SCALES = {
    "百": 1e2, "k": 1e3, "thousand": 1e3, "grand": 1e3, "千": 1e3, "w": 1e4, "万": 1e4, "m": 1e6, "mil": 1e6,
    "mio": 1e6, "million": 1e6, "millions": 1e6, "百万": 1e6, "千万": 1e7, "亿": 1e8, "b": 1e9, "bn": 1e9,
    "billion": 1e9, "十亿": 1e9, "百亿": 1e10, "千亿": 1e11, "t": 1e12, "tn": 1e12, "trillion": 1e12, "万亿": 1e12,
    "만": 1e4, "억": 1e8,
}  # fmt: skip
_WAN_AND = rf"万\s?[一二三四五六七八九](?![一-九十百千万亿\d\s]|{ONE_OF})"
"""Ten thousands and thousands: the 「万二」 of 「3万二」."""
WAN = rf"(?:{_WAN_AND}|万|千)"
SCALE = (
    rf"(?:[만억]|{_WAN_AND}"
    r"|万\d(?:千|(?!\s?(?:年|个月)))(?![\d.万亿千])"
    r"|万\s\d千?(?=\s?(?:以内|以下|左右|上下|块|元|的?预算|[,。;!?]|$|能|够|可以|配|买|想))"
    r"|万亿|千亿|百亿|十亿|千万|百万|亿|万|千|thousand|grand|millions?|mil|mio|billion|bn|trillion|tn"
    r"|[kmbtw](?![a-z0-9]))"
)
_DIGIT = {
    "零": 0,
    "〇": 0,
    "一": 1,
    "二": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
    "两": 2,
    "俩": 2,
}
_PLACE = {"十": 10, "百": 100, "千": 1000}
_HAN = grammar(HAN)
_DIGITS = grammar(DIGITS)


def number(token: str) -> float | None:
    """The value of one number token, or None; never raises."""
    token = token.strip()
    if token in WORDS:
        return float(WORDS[token])
    if _HAN.fullmatch(token):
        return float(_han(token))
    if _DIGITS.fullmatch(token):
        return float(token.replace(",", "").replace(" ", ""))
    return None


def count(token: str) -> int | None:
    """A count of things: whole, positive and not absurd."""
    value = number(token)
    return int(value) if value is not None and 1 <= value <= 1_000_000 and value == int(value) else None


def scaled(token: str, scale: str | None) -> float | None:
    """`token` times its scale word: ("50", "万") → 500000; ("1", "万5") → 15000."""
    value, word = number(token), re.sub(r"\s", "", scale or "")
    if value is not None and word not in SCALES and word[:1] == "万" and (further := number(word[1:2])):
        return value * SCALES["万"] + further * SCALES["千"]
    return None if value is None else value * SCALES.get(word, 1.0)


def _han(token: str) -> int:
    """Chinese numerals: sections of ten thousand, each of thousands, hundreds and tens; 「一六八」 digit by digit."""
    if not any(character in "十百千万亿" for character in token):
        return int("".join(str(_DIGIT[character]) for character in token))
    total = section = digit = 0
    for character in token:
        if character in _DIGIT:
            digit = _DIGIT[character]
        elif character in _PLACE:
            section += (digit or 1) * _PLACE[character]
            digit = 0
        else:
            unit = 10**4 if character == "万" else 10**8
            total = (total + section + digit or 1) * unit if unit == 10**8 else total + (section + digit or 1) * unit
            section = digit = 0
    return total + section + digit * _last_place(token)


def _last_place(token: str) -> int:
    """What a last digit counts that follows a place at once: 「一万二」 is twelve thousand, 「三百五」 350."""
    before = token[-2:-1]
    return {"百": 10, "千": 100, "万": 1000, "亿": 10**7}.get(before, 1) if token[-1:] in _DIGIT else 1
