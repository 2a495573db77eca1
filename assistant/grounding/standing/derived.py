"""Figures that a writer worked out from others beside them: a difference, a sum, a ratio, a share, a cost by time."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, permutations

from assistant.grounding.standing.sums import PERIODS_S
from assistant.grounding.wording.cues import says
from assistant.grounding.wording.figures import Figure
from assistant.grounding.wording.quantities import BYTES, MONEY, PERCENT, PLAIN, TIME
from assistant.grounding.wording.statements import Statement
from assistant.understand.numbers import number

RATIO = re.compile(r"\s?(?:×|x\b|times\b|倍|成)")
FACTORS = re.compile(r"(?<![\d.,])(\d{2,6})\s?[×x*]\s?(\d{2,6})(?![\d.,])")
EACH = re.compile(r"(?:各|每[卡张张块]|\b(?:each|per card))\s?(?:有|约|只|about\s)?\Z", re.I)
MANY = re.compile(r"(\d{1,2}|[两二三四六八]|two|four|eight)(?=\s?(?:张|块|卡|cards?|GPUs?)(?!时))", re.I)
POOL_MAX = 8
"""The figures nearest before a result, among which those it is worked out from are looked for."""
BEFORE, AFTER = 24, 18
"""Characters around a result in which a word tells that it is a sum or a difference."""
SUMMANDS_MAX = 3
WIDTHS = (
    (re.compile(r"(?<![A-Za-z])(?:BF|FP)16|16[ -]?bits?\b|16 ?位|(?<![\d.])2 (?:bytes|字节)", re.I), 2.0),
    (re.compile(r"(?<![A-Za-z])FP32|32[ -]?bits?\b|32 ?位|(?<![\d.])4 (?:bytes|字节)", re.I), 4.0),
    (
        re.compile(
            r"(?<![A-Za-z])(?:FP|INT)8|(?<!\d)8[ -]?bits?\b|(?<!\d)8 ?位|(?:\b(?:one|1) byte|(?:一|1) ?个?字节)", re.I
        ),
        1.0,
    ),
)
"""Formats and the bytes of a parameter in them."""
PARAMETERS_MIN = 1e8
ROUGHLY = 0.3
"""How rough what terms come to may be, as a share of a result: the 0.01 ± 0.5 s between "2 s" and "1.99 s" is none."""
OWN_DIGITS = 1.0001
Term = tuple[float, float]
"""A value and how far the exact one may lie from it."""


def derived(statement: Statement, pool: Sequence[Figure], result: Figure) -> bool:
    """Whether `result` is what two or three figures of the pool, all of which hold, come to.

    A ratio or a share says so by its sign; sums and differences need a word that tells one. The result may be as rough
    as it is told, and as its terms are.
    """
    if result.readings[0].kind == PLAIN and len(result.readings) > 1 and says("rests", _beside(statement, result)):
        result = replace(result, readings=result.readings[1:])
    main = result.readings[0]
    near = [one for one in pool if one.readings and one.start != result.start][-POOL_MAX:]
    behind = statement.text[result.end - statement.start :]
    if main.kind == PERCENT:
        return _comes(_shares(near), (main.values[-1], main.tolerances[-1]))
    if main.kind == PLAIN and _multiplied(statement, main.values[0], main.tolerances[0]):
        return True
    if main.kind == PLAIN:
        return RATIO.match(behind) is not None and _comes(_ratios(near), (main.values[0], main.tolerances[0]))
    alike = [
        _term(one, main.kind)
        for one in near
        if main.kind in {reading.kind for reading in one.readings} and _currency(one) & _currency(result)
    ]
    found: list[Term] = []
    said = _beside(statement, result)
    if says("rests", said):
        found += _rests(alike)
    if says("differences", said):
        found += _differences(alike)
    if EACH.search(statement.text[: result.start - statement.start]):
        found += _shared(alike, statement.text)
    if says("sums", said):
        found += _sums(alike)
        found += _products(alike, [_term(one) for one in near if one.readings[0].kind == PLAIN])
    if main.kind == BYTES:
        found += _by_width(statement.text, pool)
    if main.kind == MONEY:
        found += _by_time([one for one in near if _kind(one) == TIME or _currency(one) & _currency(result)])
    return any(_comes(found, (value, slack)) for value, slack in zip(main.values, main.tolerances, strict=True))


def _multiplied(statement: Statement, value: float, tolerance: float) -> bool:
    """Whether a number is what two before it come to that a sign multiplies: "4000×3000, 12 million pixels"."""
    for match in FACTORS.finditer(statement.text):
        one, other = float(match[1]), float(match[2])
        if min(one, other) > 1 and abs(one * other - value) <= max(tolerance, 0.0) * OWN_DIGITS:
            return True
    return False


def _beside(statement: Statement, result: Figure) -> str:
    start, end = result.start - statement.start, result.end - statement.start
    return statement.text[max(0, start - BEFORE) : start] + " " + statement.text[end : end + AFTER]


def _comes(found: Sequence[Term] | Iterator[Term], told: Term) -> bool:
    return any(
        abs(value - told[0]) <= told[1] * OWN_DIGITS + width
        for value, width in found
        if width <= max(told[1], abs(told[0]) * ROUGHLY)
    )


def _shares(pool: Sequence[Figure]) -> Iterator[Term]:
    for value, width in _ratios(pool):
        yield value, width
        yield abs(1 - value), width


def _ratios(pool: Sequence[Figure]) -> Iterator[Term]:
    for one, other in permutations(pool, 2):
        if one.readings[0].kind == other.readings[0].kind and _currency(one) & _currency(other):
            (mine, near), (theirs, far) = _term(one), _term(other)
            if theirs and mine:
                yield mine / theirs, abs(mine / theirs) * math.hypot(near / mine, far / theirs)


def _differences(terms: Sequence[Term]) -> Iterator[Term]:
    for (mine, near), (theirs, far) in combinations(terms, 2):
        yield abs(mine - theirs), math.hypot(near, far)


def _sums(terms: Sequence[Term]) -> Iterator[Term]:
    for many in range(2, SUMMANDS_MAX + 1):
        for chosen in combinations(terms, many):
            yield sum(value for value, _ in chosen), math.hypot(*(width for _, width in chosen))
    if len(terms) > SUMMANDS_MAX:
        yield sum(value for value, _ in terms), math.hypot(*(width for _, width in terms))


def _rests(terms: Sequence[Term]) -> Iterator[Term]:
    """What parts leave of a whole."""
    for place, (whole, wide) in enumerate(terms):
        others = [one for other, one in enumerate(terms) if other != place and one[0] < whole]
        for many in range(2, SUMMANDS_MAX + 2):
            for parts in combinations(others, many):
                left = whole - sum(value for value, _ in parts)
                if left > 0:
                    yield left, math.hypot(wide, *(width for _, width in parts))


def _shared(terms: Sequence[Term], text: str) -> Iterator[Term]:
    """What each of as many cards as the text counts has of an amount: 「10 GiB，两卡各 5 GiB」."""
    for count in MANY.findall(text):
        for value, width in terms:
            if (many := number(count)) and many > 1:
                yield value / many, width / many


def _products(terms: Sequence[Term], counts: Sequence[Term]) -> Iterator[Term]:
    for value, width in terms:
        for count, _ in counts:
            if count == int(count) and count > 1:
                yield value * count, width * count


def _by_time(pool: Sequence[Figure]) -> Iterator[Term]:
    """What an amount that is told by the hour, day or month comes to over the times beside it."""
    times = [_term(one) for one in pool if one.readings[0].kind == TIME]
    for one in pool:
        period = PERIODS_S.get(one.roles.get("by", one.roles.get("period", "")))
        if one.readings[0].kind == MONEY and period:
            amount, near = _term(one)
            for seconds, far in times:
                yield amount * seconds / period, (near * seconds + amount * far) / period


def _by_width(text: str, pool: Sequence[Figure]) -> Iterator[Term]:
    """What so many parameters take at the width of a format that the statement names: 671 billion in BF16."""
    widths = {width for pattern, width in WIDTHS if pattern.search(text)}
    for one in pool:
        value, near = _term(one) if one.readings else (0.0, 0.0)
        if one.readings and _kind(one) == PLAIN and value >= PARAMETERS_MIN:
            yield from ((value * width, near * width) for width in widths)


def _term(figure: Figure, kind: str | None = None) -> Term:
    """Its value, as of a kind where it may be read so."""
    main = next((one for one in figure.readings if one.kind == kind), figure.readings[0])
    exact = main.kind == PLAIN and "." not in main.text
    return main.values[-1], 0.0 if exact else main.tolerances[-1]


def _kind(figure: Figure) -> str:
    return figure.readings[0].kind


def _currency(figure: Figure) -> frozenset[str]:
    """The currencies that it may be in; one for all that is no money."""
    return frozenset(figure.readings[0].currencies or ("",))
