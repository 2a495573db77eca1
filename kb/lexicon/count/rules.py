"""Numbers as people write them: 1,200 · 1.5k · 3e5 · 25 lakh · 200万 · 3万2 · 三千 · two dozen · half a million."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from kb.base import BadInput
from kb.lexicon.text import grammar, plain
from kb.lexicon.words import any_of, meaning, vocabulary

LETTERS = "kmbtw"
"""Single letters that scale a number where they are no unit."""
_DIGITS = (
    r"(?:\d{1,3}(?:_\d{3}){1,5}|\d{1,3}(?:,\d{2,3}){0,4},\d{3}|\d{1,3}(?: 000){1,3}|\d{1,15})"
    r"(?:\.\d{1,9})?(?:e[+-]?\d{1,2}(?![a-z0-9]))?"
)
_TENTHS = r"\d{1,12},\d{1,2}(?!\d)"
"""A decimal comma: 1,5k."""
_HAN = r"[零〇一二三四五六七八九十百千万亿两俩几]{1,14}"
_START = r"(?<![a-wyz0-9._])(?<![a-z]x)"
"""What a number does not follow, so that `q4`, `ddr5` and `gpt-4o` hold none; `2x48` holds two."""
_LOOSE_START = r"(?<![0-9._])"
"""The same where units may touch the number after them: `2h30m`."""
_HAN_DIGIT = {mark: value for value, mark in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "俩": 2, "几": 3}
_PLACE = {"十": 10, "百": 100, "千": 1000}
_RANGE = grammar(r" ?(?:-|~|–|—|to|or|到|至) ?")
_THOUSANDS = grammar(r"([1-9一二三四五六七八九])(千)?(?![\d.一二三四五六七八九十百千万亿]| ?(?:个|年|月|天|张|块|台))")
"""The rest of 「3万2」 and 「3万2千」."""
_ONE_OF = grammar(r" ?(?:[张块台个年月天周卡度条套片次份颗人]|小时|钟头|季度|星期)")
"""What 「一」 counts right behind an amount, so that it is no digit of it: 「两万三一张」 is 23,000 apiece."""
_OTHER_UNIT = grammar(
    r" ?(?:%|[kmgt]i?b(?:ps|/s)?(?![a-z])|gig(?:s|abytes?)?(?![a-z])|ms(?![a-z])"
    r"|(?:usd|eur|rmb|cny|dollars?|euros?)(?![a-z])|[$€£¥元])"
)
_SIGN_BEFORE = grammar(r"[$€£¥₹₩] ?$")
_SCALING = ("letters", "hundreds", "scales")
COUNT_MOST = 1e18


class Number(NamedTuple):
    """A number in a folded text, and where it stands."""

    value: float
    start: int
    end: int


def read_count(text: str, field: str = "count") -> float:
    """How many `text` says; of a range, its upper end, which is what must be held or may be spent.

    Raises:
        BadInput: it holds no number, several, or a quantity of another kind.
    """
    words = plain(text)
    found = [one for one in numbers(words, articles=False) if not _is_other(words, one)]
    if len(found) != 1:
        reason = "holds no number" if not found else "holds several numbers"
        raise BadInput(field, f"“{text[:60]}” {reason}.", 'Give one number, e.g. "1.5k", "50,000", 「200万」.')
    if not 0 <= found[0].value <= COUNT_MOST:
        raise BadInput(field, f"“{text[:60]}” is no count of things.", "Give a number from 0 to 1e18.")
    return found[0].value


def _is_other(words: str, one: Number) -> bool:
    glued = re.match(r"[a-z]", words[one.end : one.end + 1]) and words[one.end - 1].isdigit()
    plural = re.match(r"(?:x|s|th)(?![a-z])", words[one.end :])
    return bool((glued and not plural) or _OTHER_UNIT.match(words, one.end) or _SIGN_BEFORE.search(words[: one.start]))


def numbers(words: str, *, letters: str = LETTERS, articles: bool = True, loose: bool = False) -> list[Number]:
    """The numbers of a folded text, left to right; of a range, the upper end.

    `letters` are the single letters that scale ("k"); `articles` lets "a" stand for one; `loose` reads digits that
    touch a letter before them.
    """
    found: list[Number] = []
    for one in _each(words, letters, articles, loose):
        if found and _RANGE.fullmatch(words, found[-1].end, one.start):
            found[-1] = Number(max(one.value, found[-1].value), found[-1].start, one.end)
        else:
            found.append(one)
    return found


def _each(words: str, letters: str, articles: bool, loose: bool) -> Iterator[Number]:
    place = 0
    while match := _token(loose).search(words, place):
        place = match.end()
        if match["digits"]:
            one = _scaled(words, Number(_decimal(match["digits"]), match.start(), match.end()), letters)
            place = max(place, one.end)
            yield one
        elif match["han"]:
            yield from _han(words, match.start(), match.end())
        elif (value := _spelled(match[0], articles)) is not None:
            yield Number(value, match.start(), match.end())


@lru_cache(maxsize=2)
def _token(loose: bool) -> re.Pattern[str]:
    kinds = ("words", "articles", "halves", "vague", "hundreds", "scales")
    latin = any_of(word for kind in kinds for word in vocabulary("count", kind) if word.isascii())
    joined = rf"(?:{latin})(?:(?: |-|and | of )*(?:{latin}))*"
    return grammar(
        rf"{_LOOSE_START if loose else _START}(?P<digits>{_TENTHS}|{_DIGITS})|(?P<han>{_HAN})|(?P<words>{joined})"
    )


def _decimal(digits: str) -> float:
    if re.fullmatch(_TENTHS, digits):
        return float(digits.replace(",", "."))
    return float(digits.replace(",", "").replace(" ", "").replace("_", ""))


@lru_cache(maxsize=8)
def _scale(letters: str) -> re.Pattern[str]:
    words = any_of({**vocabulary("count", "scales"), **vocabulary("count", "hundreds")})
    single = rf"|[{letters}](?![a-z0-9])" if letters else ""
    return grammar(rf" ?(?:{words}{single})")


def _scaled(words: str, one: Number, letters: str) -> Number:
    """The number with the scale that follows it: 50 万, 1.5 million, 3万2."""
    match = _scale(letters).match(words, one.end)
    if match is None:
        return one
    said = match[0].strip()
    step = next(found for kind in _SCALING if (found := meaning("count", kind, said)) is not None)
    value, end = one.value * step, match.end()
    if said in {"万", "千"} and (rest := _THOUSANDS.match(words, end)):
        value += (_digit(rest[1])) * step / 10
        end = rest.end()
    more = re.match(r" ?[多来]", words[end:])
    return Number(_whole(value), one.start, end + (more.end() if more else 0))


def _digit(mark: str) -> int:
    return int(mark) if mark.isdigit() and mark.isascii() else _HAN_DIGIT[mark]


def _whole(value: float) -> float:
    """The product of a decimal figure and a power of ten without the last binary digit: 1.2 · 10⁴."""
    return float(f"{value:.12g}")


def _spelled(said: str, articles: bool) -> float | None:
    """English number words: two dozen, twenty five, a few thousand, one and a half million."""
    total, current, article = 0.0, None, False
    scales = vocabulary("count", "scales")
    for word in re.split(r"[ -]+", said):
        if word in vocabulary("count", "articles"):
            article = True
        elif word in vocabulary("count", "halves"):
            current = 0.5 if current is None else current + 0.5
        elif (step := vocabulary("count", "hundreds").get(word)) is not None:
            current = (1.0 if current is None else current) * step
        elif word in scales:
            if current is None and not article:
                return None
            total, current = total + (1.0 if current is None else current) * scales[word], None
        else:
            value = vocabulary("count", "words").get(word, vocabulary("count", "vague").get(word))
            current = (current or 0.0) + value if value is not None else current
    if current is None and not total:
        return 1.0 if article and articles else None
    return total + (current or 0.0)


def _han(words: str, start: int, end: int) -> Iterator[Number]:
    """A run of Chinese numerals; a scale alone, as in 「万元」 or 「千卡」, is no number."""
    run = words[start:end].rstrip("零〇")
    if len(run) > 1 and run[-1] == "一" and run[-2] not in "十百千" and _ONE_OF.match(words, start + len(run)):
        run = run[:-1]
    if not run.strip("百千万亿几") and run not in {"几百", "几千", "几万", "几百万", "几千万", "几亿", "几"}:
        return
    end = start + len(run)
    more = re.match(r"[多来]([百千万亿]{1,2})?", words[end:])
    if more and more[1]:  # 十来万
        run += more[1]
    yield Number(float(han_value(run)), start, end + (more.end() if more else 0))


def han_value(run: str) -> int:
    """The value of a run of Chinese numerals: sections of ten thousand, each of thousands, hundreds and tens.

    Digits alone are read one by one (「一六八」), a last digit counts the place below the one before it (「一万二」 is
    12,000), and 「十几」 is 15, the middle of what it may mean.
    """
    run = run.replace("十几", "十五")
    if not any(mark in "十百千万亿" for mark in run):
        return int("".join(str(_HAN_DIGIT[mark]) for mark in run))
    total = section = digit = 0
    for mark in run:
        if mark in _HAN_DIGIT:
            digit = _HAN_DIGIT[mark]
        elif mark in _PLACE:
            section += (digit or 1) * _PLACE[mark]
            digit = 0
        else:
            unit = 10**4 if mark == "万" else 10**8
            total = (total + section + digit or 1) * unit if unit == 10**8 else total + (section + digit or 1) * unit
            section = digit = 0
    below = {"百": 10, "千": 100, "万": 1000, "亿": 10**7}.get(run[-2:-1], 1) if run[-1] in _HAN_DIGIT else 1
    return total + section + digit * below
