"""The check that runs on every answer, whoever wrote it: each number is traced, or named as untraced."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from assistant.answer import Citation, Grounding, ToolCallRecord
from assistant.ground.evidence import Evidence
from assistant.grounding.wording.cards import Counted, counted_cards
from assistant.grounding.wording.quantities import PLAIN, UNITS, Quantity, quantities
from kb.naming.names import gpu_names, model_names

MARKER = re.compile(r"\[\d{1,3}\]")
DATE = re.compile(
    r"(?<!\d)(20\d\d)(?:-| ?年 ?)(0?[1-9]|1[0-2])(?:(?:-| ?月 ?)(0?[1-9]|[12]\d|3[01])(?: ?日)?| ?月)?(?!\d)"
)
ORDINAL = re.compile(r"^[ \t]*(?:#{1,6} +)?\d{1,2}[.)、](?=\s)", re.M)
LINK = re.compile(r"\]\([^)\s]{1,400}\)|https?://[^\s)]{1,400}")
BITS = re.compile(r"(?<![\d.])(?:[2-68]|16|32)(?:[ -]?bits?\b| ?位| ?比特)", re.I)
INTERVAL = re.compile(r"90 ?[%％](?= ?(?:interval|confidence|置信|区间))")
"""The level of every interval the tools give: a definition, not a finding."""
OPERATOR = re.compile(r"\s*(?:[(（][^()（）]{0,40}[)）])?\s*(?P<sign>[×x*·+/÷−]|=|≈)\s*\Z")
AMOUNT_TWICE = re.compile(r"(?<=\d) (?P<unit>GB) ?[(（]\d")
"""An amount told in both units, "215 GB (200 GiB)", which is no GB200."""
QUOTED_NAME = re.compile(r"“[A-Za-z][\w.+/-]{1,60}”")
"""A name in one word as it was written, which the answer may only repeat: “GLM-5.3-Flash”."""
TABLE_UNIT = re.compile("|".join(sorted(map(re.escape, (u for u in UNITS if len(u) > 1)), key=len, reverse=True)))


def ground(
    text: str, records: Iterable[ToolCallRecord], words: Sequence[str] = (), citations: Iterable[Citation] = ()
) -> Grounding:
    """Trace every number of `text`.

    Args:
        text: the answer, Markdown.
        records: the tool calls of this turn.
        words: what the asker wrote in this conversation.
        citations: what the answer cites; a passage counts only when cited.
    """
    found = checked_numbers(text, records, words, citations)
    loose = tuple(quantity.text for quantity, good in found if not good)
    return Grounding(numbers=len(found), grounded=len(found) - len(loose), ungrounded=loose)


def checked_numbers(
    text: str, records: Iterable[ToolCallRecord], words: Sequence[str] = (), citations: Iterable[Citation] = ()
) -> list[tuple[Quantity, bool]]:
    """Every number of `text` with whether it was traced."""
    return list(_checked(text, Evidence.of(records, words, citations)))


def without_loose_lines(
    text: str, records: Iterable[ToolCallRecord], words: Sequence[str] = (), citations: Iterable[Citation] = ()
) -> str:
    """`text` less every line that states a number nothing vouches for."""
    bad = [quantity.start for quantity, good in checked_numbers(text, records, words, citations) if not good]
    kept, position = [], 0
    for line in text.splitlines(keepends=True):
        if not any(position <= start < position + len(line) for start in bad):
            kept.append(line)
        position += len(line)
    return "".join(kept)


def _checked(text: str, evidence: Evidence) -> Iterable[tuple[Quantity, bool]]:
    masked, dates, counted = _mask(QUOTED_NAME.sub(lambda name: _unnumbered(name, evidence), text))
    known = {one.start: evidence.holds_cards(one.cards, one.count) for one in counted if evidence.knows(one.cards)}
    for start, end, variants in dates:
        whole = Quantity(text[start:end], start, end, PLAIN, (), ())
        yield whole, any(evidence.mentions(variant) for variant in variants)
    for one in counted:
        if not text[one.start].isdigit() and one.start in known:  # a numeral, which is no number below
            yield Quantity(text[one.start : one.end], one.start, one.end, PLAIN, (), ()), known[one.start]
    units = _column_units(masked)
    former: list[tuple[Quantity, bool]] = []
    for quantity in quantities(masked):
        here = _unit_here(units, quantity.start) if quantity.kind == PLAIN else None
        part = here == "GiB" and "." in quantity.text  # a cell of a table of memory that is no count
        readings = [] if part else [quantity]
        if here:
            readings.append(_with_unit(quantity, here))
        if quantity.borrowed:
            readings += quantities(quantity.text)
        if quantity.start in known:
            good = known[quantity.start]
        else:  # what takes longest comes last
            good = evidence.tells(readings) or _follows(masked, former, quantity) or evidence.tells_on_reading(readings)
        former.append((quantity, good))
        yield quantity, good


def _unnumbered(name: re.Match[str], evidence: Evidence) -> str:
    """Blanks for a name that stands so in what was asked or found; any other as it is."""
    return " " * len(name[0]) if evidence.mentions(name[0][1:-1]) else name[0]


def _mask(text: str) -> tuple[str, list[tuple[int, int, tuple[str, ...]]], list[Counted]]:
    """Blank out what is no number: links, markers, list ordinals, names, bit widths; take the dates out.

    Returns the text, the dates, and the cards that are counted.
    """
    letters = list(text)

    def blank(start: int, end: int) -> None:
        letters[start:end] = " " * (end - start)

    for pattern in (LINK, MARKER, ORDINAL, BITS, INTERVAL):
        for match in pattern.finditer(text):
            blank(match.start(), match.end())
    units = [match.span("unit") for match in AMOUNT_TWICE.finditer(text)]
    cards = [one for one in gpu_names().scan(text) if one.exact and not any(a <= one.start < b for a, b in units)]
    for mention in (*cards, *(one for one in model_names().scan(text) if one.exact)):
        blank(mention.start, mention.end)
    counted = list(counted_cards(text, cards))
    dates: list[tuple[int, int, tuple[str, ...]]] = []
    for match in DATE.finditer("".join(letters)):
        year, month, day = match[1], match[2].zfill(2), (match[3] or "").zfill(2)
        iso = f"{year}-{month}" + (f"-{day}" if match[3] else "")
        dates.append((match.start(), match.end(), (iso, match[0])))
        blank(match.start(), match.end())
    return "".join(letters), dates, counted


def _column_units(text: str) -> list[tuple[int, int, str]]:
    """(start, end, unit) of each cell whose column header or row label names a unit."""
    spans: list[tuple[int, int, str]] = []
    header: list[str] = []
    position = 0
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith("|"):
            cells = line.split("|")
            if not header:
                header = [match[0] if (match := TABLE_UNIT.search(cell)) else "" for cell in cells]
            label = TABLE_UNIT.search(cells[1]) if len(cells) > 1 else None
            offset = position
            for index, cell in enumerate(cells):
                unit = (header[index] if index < len(header) else "") or (label[0] if label else "")
                if unit:
                    spans.append((offset, offset + len(cell), unit))
                offset += len(cell) + 1
        else:
            header = []
        position += len(line)
    return spans


def _unit_here(units: list[tuple[int, int, str]], position: int) -> str | None:
    return next((unit for start, end, unit in units if start <= position < end), None)


def _with_unit(quantity: Quantity, unit: str) -> Quantity:
    kind, factors = UNITS[unit]
    value, tolerance = quantity.values[0], quantity.tolerances[0]
    return replace(
        quantity,
        kind=kind,
        values=tuple(value * factor for factor in factors),
        tolerances=tuple(tolerance * factor for factor in factors),
    )


def _follows(text: str, former: list[tuple[Quantity, bool]], result: Quantity) -> bool:
    """Whether `result` ends a correct sum or product of grounded numbers: "4 × 24 GB = 96 GB"."""
    operands: list[Quantity] = []
    signs: list[str] = []
    right = result
    for quantity, good in reversed(former):
        match = OPERATOR.search(text[quantity.end : right.start]) if right.start - quantity.end < 60 else None
        if match is None or text[quantity.end : match.start()].strip() not in {"", *"张卡块台个枚"}:
            break
        if not good:
            return False
        operands.insert(0, quantity)
        signs.insert(0, match["sign"])
        right = quantity
    if len(operands) < 2 or signs[-1] not in {"=", "≈"} or not set(signs[:-1]) <= set("×x*·+/÷−"):
        return False
    return any(
        abs(
            _evaluate([values[min(i, len(values) - 1)] for values in (q.values for q in operands)], signs[:-1]) - target
        )
        <= tolerance * (1.0001 if signs[-1] == "=" else 2)
        for i in (0, 1)
        for target, tolerance in zip(result.values, result.tolerances, strict=True)
    )


def _evaluate(values: list[float], signs: list[str]) -> float:
    terms = [values[0]]
    for sign, value in zip(signs, values[1:], strict=True):
        if sign in "×x*·":
            terms[-1] *= value
        elif sign in "/÷" and value:
            terms[-1] /= value
        else:
            terms.append(-value if sign == "−" else value)
    return sum(terms)
