"""Numbers as people read them in an answer: value, kind of unit, how finely they were rounded."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from assistant.grounding.wording.cues import currency_words

BYTES, RATE, FLOPS, MONEY, TIME, POWER, ENERGY, PERCENT, PACE, PLAIN = (
    "bytes", "bytes_per_s", "flops", "money", "s", "w", "wh", "percent", "tokens_per_s", "plain",
)  # fmt: skip

UNITS: dict[str, tuple[str, tuple[float, ...]]] = {
    "TiB": (BYTES, (2**40,)), "GiB": (BYTES, (2**30,)), "MiB": (BYTES, (2**20,)), "KiB": (BYTES, (2**10,)),
    "TB": (BYTES, (1e12, 2**40)), "GB": (BYTES, (1e9, 2**30)), "MB": (BYTES, (1e6, 2**20)), "KB": (BYTES, (1e3, 2**10)),
    "TB/s": (RATE, (1e12,)), "GB/s": (RATE, (1e9,)), "MB/s": (RATE, (1e6,)), "Gb/s": (RATE, (1.25e8,)),
    "GiB/s": (RATE, (2**30,)), "MiB/s": (RATE, (2**20,)), "TiB/s": (RATE, (2**40,)), "KB/s": (RATE, (1e3,)),
    "T/s": (RATE, (1e12,)), "G/s": (RATE, (1e9,)), "M/s": (RATE, (1e6,)), "Gbps": (RATE, (1.25e8,)),
    "Gbit/s": (RATE, (1.25e8,)), "Mbps": (RATE, (1.25e5,)), "Mb/s": (RATE, (1.25e5,)), "Mbit/s": (RATE, (1.25e5,)),
    "gb/s": (RATE, (1e9,)), "mb/s": (RATE, (1e6,)),
    "PFLOPS": (FLOPS, (1e15,)), "TFLOPS": (FLOPS, (1e12,)), "TOPS": (FLOPS, (1e12,)), "POPS": (FLOPS, (1e15,)),
    "PFLOP/s": (FLOPS, (1e15,)), "TFLOP/s": (FLOPS, (1e12,)),
    "kWh": (ENERGY, (1e3,)), "MWh": (ENERGY, (1e6,)), "Wh": (ENERGY, (1.0,)),
    "kW": (POWER, (1e3,)), "W": (POWER, (1.0,)), "千瓦": (POWER, (1e3,)), "瓦": (POWER, (1.0,)),
    "ms": (TIME, (1e-3,)), "毫秒": (TIME, (1e-3,)), "µs": (TIME, (1e-6,)),
    "秒": (TIME, (1.0,)), "seconds": (TIME, (1.0,)), "s": (TIME, (1.0,)),
    "分钟": (TIME, (60.0,)), "minutes": (TIME, (60.0,)), "min": (TIME, (60.0,)),
    **dict.fromkeys(("GPU-h", "GPU-hours", "GPU hours", "card hours", "卡时", "卡小时"), (TIME, (3600.0,))),
    "小时": (TIME, (3600.0,)), "hours": (TIME, (3600.0,)), "hour": (TIME, (3600.0,)), "h": (TIME, (3600.0,)),
    "分鐘": (TIME, (60.0,)), "小時": (TIME, (3600.0,)), "分": (TIME, (60.0,)), "週": (TIME, (604800.0,)),
    "萬": (PLAIN, (1e4,)), "億": (PLAIN, (1e8,)),
    "天": (TIME, (86400.0,)), "days": (TIME, (86400.0,)), "day": (TIME, (86400.0,)),
    "s/it": (TIME, (1.0,)), "秒/步": (TIME, (1.0,)), "s/step": (TIME, (1.0,)), "周": (TIME, (604800.0,)),
    "weeks": (TIME, (604800.0,)), "week": (TIME, (604800.0,)),
    **dict.fromkeys(
        (
            "tokens/s", "token/s", "tok/s", "t/s", "tokens/sec", "tok/sec", "tokens per second", "tokens a second",
            "token/秒", "tokens/秒",
        ),
        (PACE, (1.0,)),
    ),
    "%": (PERCENT, (1.0, 0.01)), "％": (PERCENT, (1.0, 0.01)),
    "万亿": (PLAIN, (1e12,)), "亿": (PLAIN, (1e8,)), "万": (PLAIN, (1e4,)), "千": (PLAIN, (1e3,)),
    "gb": (BYTES, (1e9, 2**30)), "tb": (BYTES, (1e12, 2**40)), "mb": (BYTES, (1e6, 2**20)), "g": (BYTES, (1e9, 2**30)),
    **dict.fromkeys(("bytes", "byte", "字节", "字節"), (BYTES, (1.0,))),
    "gib": (BYTES, (2**30,)), "gigs": (BYTES, (1e9, 2**30)), "gig": (BYTES, (1e9, 2**30)),
    "w": (POWER, (1.0,)), "kw": (POWER, (1e3,)), "b": (PLAIN, (1e9,)),
    "billion": (PLAIN, (1e9,)), "million": (PLAIN, (1e6,)),
    "k": (PLAIN, (1e3, 1024.0)), "K": (PLAIN, (1e3, 1024.0)), "M": (PLAIN, (1e6,)), "B": (PLAIN, (1e9,)),
    "T": (PLAIN, (1e12,)), "G": (BYTES, (1e9, 2**30)),
}  # fmt: skip
"""Unit as written → kind and the factors it may stand for ("GB" on a GPU's box is binary)."""
UNITS |= {unit[0].upper() + unit[1:]: UNITS[unit] for unit in UNITS if len(unit) > 2 and UNITS[unit][0] in {PACE, TIME}}
CODES = (
    "USD", "CNY", "RMB", "EUR", "GBP", "JPY", "HKD", "TWD", "SGD", "KRW", "INR", "CAD", "AUD", "BRL", "CHF", "RUB",
    "MYR", "THB", "MXN",
)  # fmt: skip
"""Written before an amount where a currency has no sign of its own here."""
TYPED = {code.lower(): ("CNY",) if code == "RMB" else (code,) for code in CODES[:8]}
"""Codes as people type them behind an amount: "500 eur"."""
_SIGNS: dict[str, tuple[str, ...]] = {
    "$": ("USD",), "¥": ("CNY", "JPY"), "￥": ("CNY", "JPY"), "€": ("EUR",), "£": ("GBP",), "HK$": ("HKD",),
    "RMB": ("CNY",), **TYPED, **{word: (code,) for code, words in currency_words().items() for word in words},
}  # fmt: skip
"""Currencies that a sign or word may stand for; a code stands for itself."""
CURRENCY_WORDS = (*CODES, *TYPED, "€", "£", *(word for words in currency_words().values() for word in words))
PIECES, PIECES_MAX = frozenset({"块", "塊"}), 20
"""Words that count things as well as money, and up to how many they count: "8 块" are cards, "3000 块" is money."""
_UNIT = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))
_MONEY_WORD = "|".join(
    re.escape(word) + (r"(?![A-Za-z])" if word.isascii() else r"(?!\s?的?[A-Za-z卡显顯])" if word in PIECES else "")
    for word in sorted(CURRENCY_WORDS, key=len, reverse=True)
)
_KIND = (
    r"(?:output|input|prompt|generated|decode|prefill)\s(?=tok|t/s)"
    r"|(?:office|working|business|billed|paid|wall-clock)\s(?=hours)"
)
"""Words between a number and its unit: "1,515 output tokens/s", "220 office hours"."""
FIVES_FROM = 10_000
"""From here on what is told roughly may be told in steps of five: 93,250."""
NUMBER = re.compile(
    rf"(?P<sign>[$¥￥€£]\s?|(?:{'|'.join(CODES)}|HK\$)\s)?"
    r"(?P<digits>\d{1,3}(?:,\d{3}){1,5}(?!\d)|\d{1,18})(?P<fraction>\.\d{1,12})?(?P<power>[eE][+-]?\d{1,2}(?![A-Za-z\d]))?"
    rf"(?:\+?\s?(?:{_KIND})?(?P<unit>{_UNIT})(?![A-Za-z]))?"
    rf"(?:\s?(?P<word>{_MONEY_WORD}))?"
)
BRACKET = re.compile(r"(?:(?!/\s?[(（])[^\d.;。；|\n(（×*÷=≈+−]){0,30}[(（][^\d()（）|\n]{0,14}")
INTERVAL = re.compile(
    rf"\s?[(（]\d[\d.,]*\s?(?:–|—|-|~|～|到|至|to)\s?\d[\d.,]*\s?[)）]\s?(?P<unit>{_UNIT})(?![A-Za-z])"
)
"""The unit of a figure behind the interval around it: "98 (76–128) tokens/s"."""
WORD_BEHIND = re.compile(
    r"(?!\s(?:of\s[\d.,]+\s(?:usable|available)|to\s[\d.,]+\s?[)）]))\s?[^\W\d_]|\s?[/÷×*]\s?\d|、\s?[^\W\d_]"
)
"""What a number counts itself, or a sum of its own: neither "(8,192 tokens)" nor "(1/31 − 1/72)" is an interval of the
figure before the bracket."""
RANGE = re.compile(r"\s?(?:–|—|-|~|～|到|至|和|to|and)\s?\Z")
APPROXIMATE = re.compile(r"(?:≈|~|～|约|大约|about|around|roughly|approximately|some)\s?[$¥￥€£]?\s?\Z", re.I)


PER_SECOND = re.compile(r"每秒钟?\s?(?:约|大约|大概|生成|输出|可达|能到|能|可|有){0,2}\s?\Z")
"""Before a number of tokens that is a rate: 「每秒约 43.9 tokens」."""
TOKENS_BEHIND = re.compile(r"\s?(?:[(（][\d.,\s–—~～-]{3,24}[)）]\s?)?(?:个\s?)?(?:tokens?|词元|詞元)", re.I)
WITH_UNIT = re.compile(r"\d\s?(?:[KMGT]i?B|[GWh%]|kW|ms|s)/\Z")
"""Before the second of two figures that a stroke parts: "72W/450W", "45312MiB/49140MiB"."""
YEAR = re.compile(r"20[012]\d")
"""What is a year where it has no unit of its own."""
_DIGIT = re.compile(r"\d")
ROUGH_RATIO = 0.05
"""Speeds are rounded to two digits: 520,000 tokens/s stand for 515,300."""
REMEMBERED, REMEMBERED_LENGTH = 4096, 600
"""How many texts, and how long each may be: some 5 MB at most."""
ABOUT_RATIO = 0.1
"""How far off at most what is told as "about" may be: "about 100 GiB" are no 60."""
NEAREST = 0.5
"""Share of the last digit by which what is rounded to the nearest may be off; thousands are also rounded down."""
DIGITS_SAID = 2
"""Amounts are told in so many digits: 610 GiB stand for 609.4, $1,200 for $1,207."""
ROUNDED_RATIO = 0.005
"""Thousands that end in zeros are rounded to three digits: 23,700 stands for 23,671."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a text."""

    text: str
    start: int
    end: int
    kind: str
    values: tuple[float, ...]
    """What it may mean in SI units."""
    tolerances: tuple[float, ...]
    """How far the exact value may lie from each, by the digits shown."""
    currencies: tuple[str, ...] = ()
    """ISO 4217 codes that the sign or word of money may stand for."""
    borrowed: bool = False
    """Whether the unit is taken from the other end of a range; it may as well be a bare number."""


def quantities(text: str) -> Iterable[Quantity]:
    """The numbers of `text`, left to right; digits glued to a name (`H100`, `Q4_K_M`) are not numbers.

    A range takes its unit from its end: both numbers of "40–46 GB" are bytes. Linear in the length of the text. Short
    texts are remembered: formulas, notes and titles of sources recur in every result.
    """
    if not _DIGIT.search(text):
        return ()
    return _remembered(text) if len(text) <= REMEMBERED_LENGTH else tuple(_quantities(text))


def _quantities(text: str) -> Iterator[Quantity]:
    found = [match for match in NUMBER.finditer(text) if not _glued(text, match)]
    held: str | None = None  # the unit before a bracket that opens an interval: "98 tokens/s (76–128)"
    last: str | None = None
    for index, match in enumerate(found):
        unit, word, sign = match["unit"], match["word"], match["sign"]
        between = text[found[index - 1].end() : match.start()] if index else ""
        held = last if BRACKET.fullmatch(between) else held if RANGE.fullmatch(between) else None
        after = found[index + 1] if unit is None and sign is None and index + 1 < len(found) else None
        if after and after.start() - match.end() <= 5 and RANGE.search(text[match.end() : after.start()]):
            unit, word = after["unit"], after["word"]
        elif sign is None and index and unit is None and RANGE.search(between):
            sign = found[index - 1]["sign"]
        behind = INTERVAL.match(text, match.end())
        last = match["unit"] or (behind["unit"] if behind else _pace(text, match))
        if unit is None and sign is None and word is None and not YEAR.fullmatch(match[0].strip()):
            unit = last or (held if not WORD_BEHIND.match(text, match.end()) else None)
        borrowed = unit != match["unit"] or sign != match["sign"] or word != match["word"]
        yield _quantity(text, match, unit, (sign or word or "").strip(), borrowed=borrowed)


def _pace(text: str, match: re.Match[str]) -> str | None:
    """The unit of a rate whose time stands before its number: 「每秒约 43.9 tokens」."""
    said = PER_SECOND.search(text[max(0, match.start() - 12) : match.start()])
    return "tokens/s" if said and TOKENS_BEHIND.match(text, match.end()) else None


_remembered = lru_cache(maxsize=REMEMBERED)(lambda text: tuple(_quantities(text)))


def _quantity(text: str, match: re.Match[str], unit: str | None, money: str, *, borrowed: bool) -> Quantity:
    kind, factors = UNITS.get(unit or "", (PLAIN, (1.0,)))
    if unit == "B" and match["unit"] and text[match.start("unit") - 1].isspace():
        kind, factors = BYTES, (1.0,)  # "4 B", set apart as units are, are bytes; "7B" is seven billion
    if match["power"]:
        factors = tuple(factor * 10.0 ** int(match["power"][1:]) for factor in factors)
    end = match.end()
    if money in PIECES and float(match["digits"].replace(",", "")) * factors[0] < PIECES_MAX:
        money, end = "", match.start("word")
    if money:
        kind = MONEY
    value = float(match["digits"].replace(",", "") + (match["fraction"] or ""))
    ulp = NEAREST * (10.0 ** -(len(match["fraction"]) - 1) if match["fraction"] else 1.0)
    digits = match["digits"].replace(",", "")
    zeros = len(digits) - len(digits.rstrip("0"))
    if not match["fraction"] and kind == PACE:
        ulp = max(ulp, min(NEAREST * 10.0**zeros, value * ROUGH_RATIO))
    if not match["fraction"] and kind != PLAIN and zeros == len(digits) - DIGITS_SAID > 0:
        ulp = NEAREST * 10.0**zeros
    if not match["fraction"] and len(digits) >= 4 and unit is None:
        ulp = max(ulp, min(10.0**zeros, value * ROUNDED_RATIO))
    if not match["fraction"] and APPROXIMATE.search(text[max(0, match.start() - 14) : match.start()]):
        halves = 5.0 if value >= FIVES_FROM and digits.rstrip("0").endswith("5") else 1.0
        step = halves * 10.0 ** min(zeros, 3)
        near = step if value >= 1000 else NEAREST * step  # thousands are rounded down, too
        ulp = max(ulp, min(near, value * ABOUT_RATIO))
    elif match["fraction"] and kind == PLAIN and factors[0] >= 1000 and APPROXIMATE.search(text[: match.start()][-14:]):
        ulp *= 2  # 「约 5.1 万」 for 51,968
    return Quantity(
        text[match.start() : end].strip(),
        match.start(),
        end,
        kind,
        tuple(value * factor for factor in factors),
        tuple(ulp * factor for factor in factors),
        _SIGNS.get(money, (money,)) if money else (),
        borrowed,
    )


def _glued(text: str, match: re.Match[str]) -> bool:
    """Whether the digits belong to a name: `H100`, `ZeRO-3`, `v0.19`, `4090s` (but not `24GB`, `8卡`, `2×24`)."""
    start, end = match.start("digits"), match.end()
    before, two_before = text[start - 1 : start], text[max(0, start - 2) : start]
    if before == "/" and WITH_UNIT.search(text[max(0, start - 8) : start]):
        return False
    if before == "/" and two_before[0].isdigit():
        return False
    if before.isascii() and (before.isalpha() or before in "_/\\"):
        return not (before in "xX*" and (len(two_before) < 2 or not two_before[0].isalpha()))
    if before in {"-", "."} and len(two_before) == 2 and two_before[0].isascii() and two_before[0].isalnum():
        return two_before[0].isalpha() or before == "."
    after = text[end : end + 1]
    if after in {"x", "X"} and not text[end + 1 : end + 2].isalpha():
        return False
    return after == "_" or (after.isascii() and after.isalpha())
