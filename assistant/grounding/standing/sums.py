"""Sums that are written out: whether a figure is what the figures before its equals sign come to."""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product

from assistant.grounding.wording.cues import parts_named
from assistant.grounding.wording.figures import Figure
from assistant.grounding.wording.quantities import BYTES, MONEY, PERCENT, PLAIN, TIME
from assistant.grounding.wording.statements import Statement
from kb.base import BadInput
from tools.agent_tools.calculation import CONSTANTS, evaluate

WIDTHS = frozenset({0.5, 1.0, 2.0, 4.0, 8.0, 12.0, 16.0, 18.0, 20.0})
"""Bytes of a number, or of all that is kept of a parameter in training."""
SMALL_MAX = 10
"""Whole numbers up to here count steps, options and people as words do."""
EQUALS = re.compile(r"(?P<sign>=|＝|≈)\s*(?:about|约|~)?\s*[$¥€£]?\Z")
SIGN_OF_EQUALITY = re.compile(r"[=＝≈]")
SIGNS = {"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "＋": "+", "（": "(", "）": ")"}
"""Signs of sums as people write them."""
WORDS = re.compile(r"/\s?[^\W\d_]+|-(?=[^\W\d_])|(?<![^\W\d_])[xX](?![^\W\d_])")
"""What looks like a sign between figures: the time of a rent, a hyphen; and the letter that is one."""
ADDS = re.compile(r"(?:[+＋−]|\s-)\s?\Z")
OPENED = re.compile(r"\s?[(（]\s?")
OPEN = "+?+"
"""Between figures of a sum that has a term without a figure: it comes to nothing that could be checked."""
DIGITS = re.compile(r"\d+(?:\.\d+)?")
NOTE = re.compile(
    r"(?<=[A-Za-z%\u4e00-\u9fff])\s?[(（][^()（）=≈]*[)）](?=\s?[=＝≈])"
    r"|(?<=[A-Za-z%\u4e00-\u9fff])\s?[(（](?:(?=[A-Za-z\u4e00-\u9fff])[^()（）=≈]*|(?=[^()（）]*[A-Za-z\u4e00-\u9fff–—~～])[^()（）=≈×*/÷]*)[)）]"
    r"(?=\s?[+＋−]|\s-\s)"
)
"""A bracket right behind the unit of a term, without a sign: a note on it, and no factor."""
CLAUSE_END = re.compile(r"[,，;；:：|。](?!\d)")
PLUS = re.compile(r"[,，]?\s?(?:\bplus\b(?: up to)?|再加上?|加上?)")
"""A sign in words."""
LAST_WORDS = re.compile(r"[\d+＋−=＝≈:：(（]")
TIMES = re.compile(r"[×*/÷]")
PERIODS_S: Mapping[str, float] = {"hour": 3600, "day": 86400, "month": 2628000, "year": 31557600}
WHOLE_TIMES_S = frozenset({60.0, 3600.0, 86400.0, 604800.0, 720 * 3600.0, 730 * 3600.0, 8760 * 3600.0, 365 * 86400.0})
"""A minute, an hour, a day, a week, a month of 30 days and the mean one, a year: rates become amounts by them."""
Rates = Callable[[Figure, Sequence[str]], bool]
LISTED_MAX = 2
"""Terms before a sum that may belong to it."""
EXACT, ROUGH = 0.005, 0.03
"""How far the result of a sum may be off, as a share of it: behind "=" and behind "≈"."""


def follows(statement: Statement, former: Sequence[tuple[Figure, bool]], result: Figure) -> bool:
    """Whether `result` ends a sum that is written out and right: "4 × 24 GB = 96 GB", "(60 + 6) / 2 = 33 min".

    The sum reaches back as far as a sign of arithmetic stands between its figures, each of which has to hold itself or
    be a small count.
    """
    sum_ = _sum(statement, [one for one, _ in former], result)
    held = {figure.start for figure, good in former if good or _needless(figure, statement)}
    if sum_ is None or not all(one.start in held for one in sum_.operands):
        return False
    bare = all(_kind(one) == PLAIN for one in sum_.operands)  # their unit stands with the result alone
    return sum_.comes_to(EXACT if sum_.exact else ROUGH, typed=bare)


def ends_sum(statement: Statement, result: Figure) -> bool:
    """Whether an equals sign stands right before a figure."""
    return EQUALS.search(statement.text[: result.start - statement.start]) is not None


def leads(statement: Statement, looked: Sequence[tuple[Figure, bool]], result: Figure) -> bool:
    """Whether `result` is what the bracket right behind it comes to: "1.3 s (30 s × 0.00548 × 8)".

    The bracket holds nothing but arithmetic over figures that hold themselves, or need no source.
    """
    text, start = statement.text, statement.start
    opened = OPENED.match(text, result.end - start)
    closed = _closing(text, opened.end()) if opened else -1
    if closed < 0 or not result.readings:
        return False
    inside = [(one, good) for one, good in looked if opened and opened.end() <= one.start - start < closed]
    if not all(one.readings and (good or _needless(one, statement)) for one, good in inside):
        return False
    expression, operands = _expression(text, start, closed, [one for one, _ in inside])
    whole = len(operands) == len(inside) >= 2
    return whole and Sum(expression, operands, result, exact=False).comes_to(EXACT, rounded=True)


def _closing(text: str, start: int) -> int:
    """Where the bracket closes that was opened before `start`; -1 where it does not."""
    depth = 1
    for place in range(start, len(text)):
        depth += (text[place] in "(（") - (text[place] in ")）")
        if not depth:
            return place
    return -1


def balanced(statement: Statement, looked: Sequence[tuple[Figure, bool]], term: Figure) -> bool:
    """Whether a term is what a sum that is written out leaves for it: the rest of "33.8 + 12.5 + 4.9 rest = 51.2".

    Everything else of the sum has to hold, its result too.
    """
    if term.roles.get("memory") and len(_parts(statement, term)) < 2:  # a part is told as results hold it
        return False
    held = {figure.start for figure, good in looked if good or _needless(figure, statement)}
    every = [one for one, _ in looked]
    for result in (one for one in every if one.start > term.start and one.start in held):
        sum_ = _sum(statement, every, result)
        if sum_ is not None and {one.start for one in sum_.operands} - held == {term.start}:
            return sum_.comes_to(0.0, rounded=True)
    return False


def _parts(statement: Statement, term: Figure) -> frozenset[str]:
    """The parts of memory that a term of a sum is said to be of: "buffers and framework 1.2"."""
    return parts_named(LAST_WORDS.split(statement.text[: term.start - statement.start])[-1])


def miscounted(statement: Statement, looked: Sequence[Figure], rates: Rates) -> Iterator[Figure]:
    """Results of sums that are written out and do not come to them, however their units are read.

    Args:
        rates: whether a bare number is an exchange rate into a currency.
    """
    for result in looked:
        sum_ = _sum(statement, looked, result)
        if sum_ is None or (set(sum_.expression) & set("+-") and any(_kind(one) == PERCENT for one in sum_.operands)):
            continue
        if not sum_.agrees(rates):
            yield result
            continue
        slack = 2 * (EXACT if sum_.exact else ROUGH)
        if not sum_.counted or sum_.comes_to(slack, rounded=True, typed=True):
            continue
        if not any(one.comes_to(slack, rounded=True) for one in _with_listed(sum_, looked)):
            yield result


def _with_listed(sum_: "Sum", looked: Sequence[Figure]) -> Iterator["Sum"]:
    """The same with terms before it in the list: "weights 17.1 GiB, cache 1.7 GiB + rest 3.9 GiB = 22.7 GiB"."""
    if set(sum_.expression) & set("-*/"):
        return
    before = [one for one in looked if one.start < sum_.operands[0].start and one.readings]
    alike = [one for one in before if _kind(one) == _kind(sum_.operands[0]) != PLAIN][-LISTED_MAX:]
    for many in range(1, len(alike) + 1):
        chosen = alike[-many:]
        expression = "+".join([f"v{one.start}" for one in chosen] + [sum_.expression])
        yield replace(sum_, expression=expression, operands=[*chosen, *sum_.operands])


def parts_of_factor(statement: Statement, looked: Sequence[Figure], part: Figure) -> bool:
    """Whether a number stands in a bracket whose numbers come to a factor before it: "16 B × 70B … (2 + 2 + 12)"."""
    text, at = statement.text, part.start - statement.start
    opened = max(text.rfind(one, 0, at) for one in "(（")
    closed = _closing(text, opened + 1) if opened >= 0 else -1
    if closed < at:
        return False
    inside = [one for one in looked if opened < one.start - statement.start < closed]
    before = {_digits(one) for one in looked if one.end - statement.start <= opened and one.term}
    whole = sum(float(_digits(one) or 0) for one in inside)
    return len(inside) > 1 and f"{whole:g}" in before


@dataclass(frozen=True, slots=True)
class Sum:
    """Arithmetic that is written out before an equals sign, and the figure behind it."""

    expression: str
    operands: Sequence[Figure]
    result: Figure
    exact: bool
    """Whether the sign is "=" and not "≈"."""

    @property
    def counted(self) -> bool:
        """Whether it is arithmetic over its figures alone: a term in words leaves it open."""
        return any(True for _ in self._values())

    def agrees(self, rates: Rates) -> bool:
        """Whether its members are of one currency, and what is added up is of one kind."""
        paid = [one for one in (*self.operands, self.result) if _kind(one) == MONEY]
        told = [frozenset(one.readings[0].currencies) for one in paid]
        if len(paid) > 1 and not frozenset.intersection(*told):
            bare = [one for one in self.operands if _kind(one) in {PLAIN, MONEY} and set(self.expression) & set("*/")]
            return any(rates(one, self.result.readings[0].currencies) for one in bare)
        if set(self.expression) & set("*/"):
            return True
        kinds = {_kind(one) for one in (*self.operands, self.result)} - {PLAIN, PERCENT}
        return len(kinds) < 2

    def comes_to(self, slack: float, *, rounded: bool = False, typed: bool = False) -> bool:
        """Whether it comes to its result: within a share of that, and as its terms may be rounded.

        Args:
            typed: whether the digits alone may come out, whatever their units.
        """
        exact = [(_kind(one) == PLAIN and "." not in one.text) or is_width(one) for one in self.operands]
        readings = [
            (one.readings[0].values[0], 0.0 if counted else one.readings[0].tolerances[0])
            for one, counted in zip(self.operands, exact, strict=True)
        ]
        found = [(value, targets, self._rounding(readings)) for value, targets in self._values()]
        if typed:
            digits = [
                (float(_digits(one) or 0), 0.0 if counted else _last(_digits(one)))
                for one, counted in zip(self.operands, exact, strict=True)
            ]
            found += [(value, targets, self._rounding(digits)) for value, targets in self._typed()]
        return any(
            abs(value - target) <= tolerance * 1.0001 + abs(target) * slack + (width(target) if rounded else 0.0)
            for value, targets, width in found
            for target, tolerance in targets
        )

    def _rounding(self, terms: Sequence[tuple[float, float]]) -> Callable[[float], float]:
        """How far its terms, as finely as they are told, may bring it from a value: their errors go either way."""
        if set(self.expression) & set("*/"):
            ratio = 1.5 * math.hypot(*(width / (abs(value) or 1.0) for value, width in terms))
            return lambda target: abs(target) * ratio
        absolute = 1.5 * math.hypot(*(width for _, width in terms))
        return lambda target: absolute

    def _values(self) -> Iterator[tuple[float, list[tuple[float, float]]]]:
        """What it comes to, beside what its result says with the tolerance of that: for each way of reading units."""
        main = self.result.readings[0]
        told = list(zip(main.values, main.tolerances, strict=True))
        scales = (1.0, 0.01) if main.kind == PERCENT else (1.0,)
        targets = [(value * scale, width * scale) for value, width in told for scale in scales]
        for kind in (None, main.kind):
            for choice in range(2):
                with suppress(BadInput):
                    yield self._evaluated({one.start: _value(one, choice, kind) for one in self.operands}), targets
        if main.kind in {PLAIN, MONEY} and any(_kind(one) == TIME for one in self.operands):
            with suppress(BadInput):  # times that only count: "2,000 a day × 30 days = 60,000"
                for choice in range(2):
                    by_digits = {one.start: _counted_time(one, choice) for one in self.operands}
                    yield self._evaluated(by_digits), targets
        if main.kind != MONEY or not any(_kind(one) == TIME for one in self.operands):
            return
        for period, choice in product((1.0, _period(self.result)), range(2)):
            with suppress(BadInput):
                by_time = self._evaluated(
                    {one.start: _value(one, choice, None) / _period(one) for one in self.operands}
                )
                yield by_time, [(value / period, width / period) for value, width in told]

    def _typed(self) -> Iterator[tuple[float, list[tuple[float, float]]]]:
        """What its digits come to, whatever their units."""
        digits = _digits(self.result)
        with suppress(BadInput):
            value = self._evaluated({one.start: float(_digits(one) or 0) for one in self.operands})
            yield value, [(float(digits or 0), _last(digits))]

    def _evaluated(self, values: Mapping[int, float]) -> float:
        return evaluate(self.expression, {f"v{start}": value for start, value in values.items()})


def _sum(statement: Statement, former: Sequence[Figure], result: Figure) -> Sum | None:
    """The sum that a figure ends, if it ends one of two figures or more."""
    text, start = statement.text, statement.start
    sign = EQUALS.search(text[: result.start - start])
    if sign is None or not result.readings:
        return None
    expression, operands = _expression(text, start, sign.start(), former)
    if len(operands) < 2 or not all(one.readings for one in operands):
        return None
    return Sum(expression, operands, result, sign["sign"] != "≈")


def converts(figure: Figure, statement: Statement) -> bool:
    """Whether a number only turns one unit into another in a sum that is written out: 1000 in "1000 / 88 = 11.4"."""
    before, behind = statement.text[: figure.start - statement.start], statement.text[figure.end - statement.start :]
    main = figure.readings[0]
    held = main.values[0] in (WHOLE_TIMES_S if main.kind == TIME else CONSTANTS if main.kind == PLAIN else ())
    if not held or ("=" not in behind and not behind.lstrip().startswith((")", "）"))):
        return False
    return TIMES.search(before[-3:]) is not None or TIMES.match(behind.lstrip()) is not None


def _expression(text: str, start: int, end: int, former: Sequence[Figure]) -> tuple[str, list[Figure]]:
    """The arithmetic before an equals sign with names for its figures, and these."""
    operands: list[Figure] = []
    expression, place = "", end
    notes = [match.span() for match in NOTE.finditer(text, 0, end)]
    told = [one for one in former if not any(a < one.start - start < b for a, b in notes) and one.end - start <= end]
    text = NOTE.sub(lambda note: " " * len(note[0]), text)
    for figure in sorted(told, key=lambda one: -one.start):
        words = text[figure.end - start : place]
        if operands and figure.readings and _kind(figure) == _kind(operands[0]):
            words = PLUS.sub(" + ", words)
        between = _signs(words)
        if operands and (not set(between) & set("+-*/") or CLAUSE_END.search(words) or SIGN_OF_EQUALITY.search(words)):
            if not between and figure.readings and _kind(figure) == PLAIN and ADDS.search(text[: figure.start - start]):
                continue  # it tells of what its term is: "+ 32k cache 3.0 GiB"
            break
        if operands and sum(one in "+-*/" for one in between) > 1:
            between = OPEN  # a term in words, or an unknown: "20.2 + c + 0.6"
        operands.insert(0, figure)
        expression = f"v{figure.start}{between}{expression}"
        place = figure.start - start
    opened = expression.count(")") - expression.count("(")
    return "(" * max(0, opened) + expression, operands


def _signs(between: str) -> str:
    """What of the words between two figures belongs to a sum."""
    told = WORDS.sub(lambda word: "*" if word[0] in "xX" else " ", between)
    signs = "".join(SIGNS.get(one, one) for one in told if one in "()+-*/" or one in SIGNS)
    return signs.replace("()", "")


def _value(figure: Figure, choice: int, kind: str | None) -> float:
    """Its value, with "GB" taken for either thing it means; as of a kind where it may be read so."""
    reading = next((one for one in figure.readings if one.kind == kind), figure.readings[0])
    return reading.values[min(choice, len(reading.values) - 1)]


def _counted_time(figure: Figure, choice: int) -> float:
    """Its value; of a time the number of its units, as one writes it where it is a factor."""
    return float(_digits(figure) or 0) if _kind(figure) == TIME else _value(figure, choice, None)


def _kind(figure: Figure) -> str:
    return figure.readings[0].kind


def _period(figure: Figure) -> float:
    """Seconds of the time that an amount of money is said by; one where it is said by none."""
    return PERIODS_S.get(figure.roles.get("period", ""), 1.0) if _kind(figure) == MONEY else 1.0


def _digits(figure: Figure) -> str:
    """As it is written, without its unit."""
    match = DIGITS.search(figure.text.replace(",", ""))
    return match[0] if match else ""


def _last(digits: str) -> float:
    """Half of the last digit."""
    return float(0.5 * 10.0 ** -len(digits.partition(".")[2]))


def _needless(figure: Figure, statement: Statement) -> bool:
    """Whether an operand needs no source."""
    return bool(figure.readings) and (_counts(figure) or converts(figure, statement))


def _counts(figure: Figure) -> bool:
    """Whether an operand is a small numeral, which needs no source."""
    main = figure.readings[0]
    if main.kind == BYTES:
        return is_width(figure)
    return main.kind == PLAIN and main.values[0] == int(main.values[0]) and main.values[0] <= SMALL_MAX


def is_width(figure: Figure) -> bool:
    """Whether a figure is the width of a number in bytes, which is arithmetic and no size of anything: 2 B, 4 bytes."""
    main = figure.readings[0]
    return main.kind == BYTES and main.values[0] in WIDTHS
