"""Sums that are written out: whether a figure is what the figures before its equals sign come to."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from assistant.grounding.figures import Figure
from assistant.grounding.quantities import MONEY, PERCENT, PLAIN, TIME
from assistant.grounding.statements import Statement
from kb.base import BadInput
from tools.agent_tools.calculation import CONSTANTS, evaluate

SMALL_MAX = 10
"""Whole numbers up to here count steps, options and people as words do."""
EQUALS = re.compile(r"(?P<sign>=|≈)\s*(?:about|约|~)?\s*[$¥€£]?\Z")
SIGNS = {"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "＋": "+", "（": "(", "）": ")"}
"""Signs of sums as people write them."""
WORDS = re.compile(r"/\s?[^\W\d_]+|-(?=[^\W\d_])|(?<![^\W\d_])[xX](?![^\W\d_])")
"""What looks like a sign between figures: the time of a rent, a hyphen; and the letter that is one."""
CLAUSE_END = re.compile(r"[,，;；:：|。](?!\d)")
TIMES = re.compile(r"[×*/÷]")
PERIODS_S: Mapping[str, float] = {"hour": 3600, "day": 86400, "month": 2628000, "year": 31557600}
EXACT, ROUGH = 0.005, 0.03
"""How far the result of a sum may be off, as a share of it: behind "=" and behind "≈"."""


def follows(statement: Statement, former: Sequence[tuple[Figure, bool]], result: Figure) -> bool:
    """Whether `result` ends a sum that is written out and right: "4 × 24 GB = 96 GB", "(60 + 6) / 2 = 33 min".

    The sum reaches back as far as a sign of arithmetic stands between its figures, each of which has to hold itself or
    be a small count.
    """
    text, start = statement.text, statement.start
    sign = EQUALS.search(text[: result.start - start])
    if sign is None:
        return False
    expression, operands = _expression(text, start, sign.start(), [one for one, _ in former])
    held = {figure.start for figure, good in former if good or _counts(figure) or converts(figure, statement)}
    if len(operands) < 2 or not all(one.readings and one.start in held for one in operands):
        return False
    slack = EXACT if sign["sign"] == "=" else ROUGH
    return any(
        abs(value - target) <= tolerance * 1.0001 + abs(target) * slack
        for value, targets in _values(expression, operands, result)
        for target, tolerance in targets
    )


def converts(figure: Figure, statement: Statement) -> bool:
    """Whether a number only turns one unit into another in a sum that is written out: 1000 in "1000 / 88 = 11.4"."""
    before, behind = statement.text[: figure.start - statement.start], statement.text[figure.end - statement.start :]
    if figure.readings[0].kind != PLAIN or figure.readings[0].values[0] not in CONSTANTS or "=" not in behind:
        return False
    return TIMES.search(before[-3:]) is not None or TIMES.match(behind.lstrip()) is not None


def _expression(text: str, start: int, end: int, former: Sequence[Figure]) -> tuple[str, list[Figure]]:
    """The arithmetic before an equals sign with names for its figures, and these."""
    operands: list[Figure] = []
    expression, place = "", end
    for figure in sorted((one for one in former if one.end - start <= end), key=lambda one: -one.start):
        words = text[figure.end - start : place]
        between = _signs(words)
        if operands and (not set(between) & set("+-*/") or CLAUSE_END.search(words)):
            break
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


def _values(
    expression: str, operands: Sequence[Figure], result: Figure
) -> Iterator[tuple[float, list[tuple[float, float]]]]:
    """What a sum comes to, beside what its result says with the tolerance of that: for each way of reading units."""
    main = result.readings[0]
    told = list(zip(main.values, main.tolerances, strict=True))
    scales = (1.0, 0.01) if main.kind == PERCENT else (1.0,)
    targets = [(value * scale, width * scale) for value, width in told for scale in scales]
    for kind in (None, main.kind):
        for choice in range(2):
            with suppress(BadInput):
                yield evaluate(expression, {f"v{one.start}": _value(one, choice, kind) for one in operands}), targets
    if main.kind != MONEY or not any(_kind(one) == TIME for one in operands):
        return
    by_time = {f"v{one.start}": _value(one, 0, None) / _period(one) for one in operands}
    for period in (1.0, _period(result)):
        with suppress(BadInput):
            yield evaluate(expression, by_time), [(value / period, width / period) for value, width in told]


def _value(figure: Figure, choice: int, kind: str | None) -> float:
    """Its value, with "GB" taken for either thing it means; as of a kind where it may be read so."""
    reading = next((one for one in figure.readings if one.kind == kind), figure.readings[0])
    return reading.values[min(choice, len(reading.values) - 1)]


def _kind(figure: Figure) -> str:
    return figure.readings[0].kind


def _period(figure: Figure) -> float:
    """Seconds of the time that an amount of money is said by; one where it is said by none."""
    return PERIODS_S.get(figure.roles.get("period", ""), 1.0) if _kind(figure) == MONEY else 1.0


def _counts(figure: Figure) -> bool:
    """Whether an operand is a small numeral, which needs no source."""
    main = figure.readings[0]
    return main.kind == PLAIN and main.values[0] == int(main.values[0]) and main.values[0] <= SMALL_MAX
