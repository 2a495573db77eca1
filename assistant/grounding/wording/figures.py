"""Figures of a text with what they are of: which card, which model, per user or in total, an hour or a month."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from assistant.grounding.wording.bounds import bounded, is_plan
from assistant.grounding.wording.cards import Counted, counted_cards
from assistant.grounding.wording.conditions import conditions
from assistant.grounding.wording.cues import (
    COUNTED,
    counts_of_head,
    period_at,
    roles_in_clause,
    roles_near,
    roles_of_head,
    says,
    says_role,
)
from assistant.grounding.wording.linked import in_factor, in_head, in_list, in_sum, in_unit_before, in_unit_of
from assistant.grounding.wording.mentions import BY_NUMBER, FORMATS, Product, ids_of, mentions_of, products
from assistant.grounding.wording.owners import around_of, owner, run_of
from assistant.grounding.wording.quantities import (
    BYTES,
    FLOPS,
    MONEY,
    PACE,
    PERCENT,
    PLAIN,
    POWER,
    RATE,
    UNITS,
    Quantity,
    quantities,
)  # fmt: skip
from assistant.grounding.wording.spelt import spelt
from assistant.grounding.wording.statements import Statement
from assistant.grounding.wording.ways import by_dimension, ways

MARKER = re.compile(r"\[\[?(?:R?\d{1,3}(?:\.\d{1,2})?|own)\]?\]", re.I)
LINK = re.compile(r"\]\([^)\s]{1,400}\)|https?://[^\s)]{1,400}")
INLINE_CODE = re.compile(r"`[^`\n]{1,300}`")
FLAG = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*(?:[= ]\d[\w.:]*)?|\b[A-Za-z_]{2,40}=\S{1,60}")
"""A setting as it is typed: `--max-model-len 32768`, `num_gpu=1`."""
SIZE = re.compile(r"(?<![\w.])\d{1,4}(?:\.\d+)?B(?![A-Za-z])")
"""A model by its size alone: "the 70B"."""
NUMBERED = re.compile(r"(?:batch|rank|seed|stage|step|level|epochs?)\s?\Z", re.I)
"""Before a number that is no amount, whatever stands before it: "micro-batch 1"."""
DIVISOR = re.compile(r"[/÷]\s?\Z")
SHARES_UNIT = re.compile(r"\s?(?:of|out of|/|=|≈|中的?|之)\s?(?:the\s)?[~≈]?")
"""Between two figures that share the unit of the second: "29.4 of 31.4 GiB", "2 × 368 = 736 tokens/s"."""
OUT_OF = re.compile(
    r"[)）]?(?:\s(?:a|per|each|every)\s(?:card|GPU))?(?:\s(?:at (?:worst|most)|needed|used),?)?"
    r"\s?(?:of|out of|against|/|中的?)\s?(?:the |its |a )?(?:usable |available )?[~≈]?"
)
"""Between a part and the whole that it is taken of: "21.4 GiB of 23.6 GiB"."""
VERSION = re.compile(
    r"(?:\b(?:CUDA|ROCm|driver|PyTorch|torch|vLLM|SGLang|Python|Ubuntu|CANN|Linux|transformers|PCIe|PCI-e|NVLink|DDR"
    r"|GDDR|HBM|WiFi|USB|HDMI|ATX|Windows|macOS|Vulkan|OpenCL"
    r"|sm|compute capability|Gen|gen|Version|version|v)(?: version)?(?: at least| of at least)?"
    r"|(?:驱动|版本|计算能力)(?:版本|得|要|需要?|至少|最低)*)[ _-]?v?"
    r"(\d{1,4}(?:\.\d{1,4}){0,3})[a-z+]*(?![\d.,]*\s?(?:%|to\s\d|[–~～至到-]\s?\d|[GMT]i?B\b))"
)
"""A release or generation: no amount of anything."""
DATE = re.compile(
    r"(?<!\d)(?:20\d\d)(?:[-/]| ?年 ?)(?:0?[1-9]|1[0-2])"
    r"(?:(?:[-/]| ?月 ?)(?:0?[1-9]|[12]\d|3[01])(?: ?日)?| ?月)?(?!\d)"
)
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH_NAMED = re.compile(
    rf"(?:\b(?P<before>\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?)?\b(?P<month>(?:{'|'.join(MONTHS)})[a-z]{{0,6}})\.?,?\s"
    r"(?:(?P<day>\d{1,2})(?:st|nd|rd|th)?,?\s)?(?P<year>20\d\d)\b",
    re.I,
)
"""A month or day in English: "June 2026", "25 September 2026"."""
ENDS = re.compile(r"\s?(?:–|—|-|~|～|到|至|to)\s?[$¥€£]?|[^\d()（）|]{0,8}[(（][^\d()（）|]{0,8}")
"""Before the upper end of a range, or the interval behind a figure."""
SIGN_BEHIND, SIGN_BEFORE = (
    re.compile(r"\s?(?:[×/÷+−=≈]|(?<!\*)\*(?!\*))|\s-\s"),
    re.compile(r"(?:(?:[×/÷+−=≈]|(?<!\*)\*(?!\*))\s?|\s-\s)[(（]?\Z"),
)
ADDED_BEHIND, ADDED_BEFORE = re.compile(r"\s?[+−]|\s-\s"), re.compile(r"(?:[+−]\s?|\s-\s)\Z")
"""Around a term that is added or taken away: it may be of either card that its sentence compares."""
REMEMBERED, REMEMBERED_LENGTH = 4096, 600
"""Texts of results recur: how many are kept, and how long each may be."""
SAID = "said"
"""Role of what only the words of the whole statement say."""
BARE = re.compile(r"[\s*~≈约]*\d[\d.,]*\s*[kK]?[\s*]*(?:[(（\[][^)）\]]*[)）\]]+[\s*]*)*")
"""A cell that is one bare number; the head of its column says what it counts."""
DASH = re.compile(r"\s?(?:–|—|~|～|到|至|to)\s?[$¥€£]?|-[$¥€£]?")
"""Behind the lower end of a range."""
TABLE_UNIT = re.compile("|".join(sorted(map(re.escape, (u for u in UNITS if len(u) > 1)), key=len, reverse=True)))
UNMISTAKABLE = frozenset({BYTES, RATE, FLOPS, MONEY, POWER, PACE})
"""Kinds that a number at the other end of a range is of too: in "100–1,056 W" both are watts."""
CLASS = re.compile(r"[\s*]*\d{1,3}\s?GB?[\s*]*")
CARDS_BEHIND = re.compile(
    r"\s?-?(?:的)?(?:显存)?(?:的)?\s?(?:N\s?|A\s?|独立?|英伟达)?(?:显?卡|cards?\b|GPUs?\b|class\b|version\b|版)", re.I
)
"""What makes an amount of memory the name of a class of cards: "80GB cards"."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with what it is of."""

    text: str
    start: int
    """Where it stands in the answer."""
    end: int
    readings: tuple[Quantity, ...]
    """What it may mean: with its own unit, or that of its column."""
    cards: frozenset[str] = frozenset()
    """Catalog ids of the card it is of; empty where none is named."""
    models: frozenset[str] = frozenset()
    roles: dict[str, str] = field(default_factory=dict)
    clause: frozenset[str] = frozenset()
    """Every role of memory or power that the words of its clause say."""
    counts: bool = False
    """Whether it is a number of cards."""
    beside: tuple[int, ...] = ()
    """Numbers of cards that the same statement counts."""
    cards_beside: frozenset[str] = frozenset()
    """Every card that the same statement names."""
    ways: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The format, engine, layout … that it is of, where one is named."""
    lengths: frozenset[float] = frozenset()
    """Tokens that its statement, or the heads of its cell, tell as lengths."""
    loads: frozenset[float] = frozenset()
    """Requests at once that they tell."""
    term: bool = False
    """Whether it stands beside a sign of arithmetic, where a unit may be left out."""
    of_cards: bool = False
    """Whether cards are called by it: "80GB cards"."""
    version: bool = False
    date: bool = False


def figures(statement: Statement) -> tuple[Figure, ...]:
    """The figures of one statement, left to right; code and settings hold none."""
    if statement.kind == "code":
        return ()
    return tuple(_figures(statement))


def figures_of_text(text: str) -> tuple[Figure, ...]:
    """The figures of a text that is one sentence: a leaf of a result, a line of a passage."""
    return _remembered(text) if len(text) <= REMEMBERED_LENGTH else figures(Statement("sentence", text, 0))


_remembered = lru_cache(maxsize=REMEMBERED)(lambda text: figures(Statement("sentence", text, 0)))


def _figures(statement: Statement) -> Iterator[Figure]:
    text = statement.text
    named = products(text)
    around = around_of(statement, products)
    masked, versions, dates = _masked(text, named)
    counted = {one.start: frozenset(one.cards) for one in counted_cards(text, mentions_of(named))}
    beside = tuple(dict.fromkeys(one.count for one in counted_cards(text, mentions_of(named)) if one.count > 1))
    unit = _column_unit(statement)
    for start, end in dates:
        yield Figure(text[start:end], statement.start + start, statement.start + end, (), date=True)
    for start, end in versions:
        yield Figure(text[start:end], statement.start + start, statement.start + end, (), version=True)
    for figure in _spelt(masked, statement.start):
        near = roles_near(text, figure.start - statement.start, figure.end - statement.start)
        figure = replace(
            figure,
            readings=bounded(text, figure.start - statement.start, figure.end - statement.start, figure.readings),
        )
        yield replace(figure, cards=ids_of(named, "card"), models=ids_of(named, "model"), roles=near)
    for one in counted_cards(text, mentions_of(named)):
        if not text[one.start : one.end].isdigit():
            yield _in_words(one, text, statement.start, named)
    found: Sequence[Quantity] = tuple(quantities(masked))
    if not found:
        return
    sized = SIZE.search(masked) is not None
    several = len({one.ids for one in named if one.dimension == "model"}) > 1  # a sum may be over them
    cards = {one.ids for one in named if one.dimension == "card"}
    several_cards = ids_of(named, "card") if len(cards) > 1 else frozenset()
    runs, runs_around = ways(text), around_of(statement, ways)
    lengths, loads = conditions(f"{text} | {statement.row} | {statement.column}")
    said = _said(statement)
    every = by_dimension((*runs, *runs_around))
    for place, quantity in enumerate(found):
        readings = _readings(statement, masked, found, place, unit)
        at = quantity.start
        roles = _roles(statement, masked, found, place, said)
        adds = len(several_cards) > 0 and (ADDED_BEHIND.match(masked, quantity.end) or ADDED_BEFORE.search(masked[:at]))
        term = SIGN_BEHIND.match(masked, quantity.end) is not None or SIGN_BEFORE.search(masked[:at]) is not None
        yield Figure(
            quantity.text,
            statement.start + quantity.start,
            statement.start + quantity.end,
            bounded(masked, at, quantity.end, readings),
            counted.get(at) or (several_cards if adds else owner("card", text, quantity, named, around)),
            frozenset() if sized or (term and several) else owner("model", text, quantity, named, around),
            roles,
            roles_in_clause(text, quantity.start, quantity.end) if quantity.kind in {BYTES, POWER} else frozenset(),
            counts=at in counted,
            beside=beside,
            cards_beside=ids_of(named, "card"),
            ways=every if term else run_of(text, quantity, runs, runs_around),  # terms are of whatever is compared
            lengths=lengths,
            loads=loads,
            term=term,
            of_cards=CARDS_BEHIND.match(text, quantity.end) is not None or _classes(statement),
        )


def _readings(
    statement: Statement, masked: str, found: Sequence[Quantity], place: int, unit: str | None
) -> list[Quantity]:
    """What a number may mean: with its own unit, that of its column, or that of a figure it stands with."""
    quantity = found[place]
    readings = [quantity]
    if quantity.kind == PLAIN and unit:
        readings.append(_with_unit(quantity, unit))
        if readings[-1].kind in UNMISTAKABLE and _heads(statement.column, unit):
            readings = readings[1:]
    if quantity.borrowed and quantity.kind not in UNMISTAKABLE:
        readings += quantities(quantity.text)
    if readings[0].kind != PLAIN or DIVISOR.search(masked[: quantity.start]):
        return readings
    whole = found[place + 1] if place + 1 < len(found) else None
    term = in_sum(masked, found, place)
    if not term and (head := in_head(masked, found, place)):
        return [*head, *readings]
    readings = [*term, *(readings if not term or term[0].kind not in UNMISTAKABLE else ())]
    if not term and whole and SHARES_UNIT.fullmatch(masked[quantity.end : whole.start]):
        readings += in_unit_of(quantity, whole)
    elif not term and place and OUT_OF.fullmatch(masked, found[place - 1].end, quantity.start):
        readings += in_unit_of(quantity, _with_own_unit(found[:place])) if found[place - 1].kind == BYTES else ()
    elif not term and not NUMBERED.search(masked[: quantity.start]):
        other = in_factor(masked, found, place) or in_list(masked, found, place)
        readings += other or in_unit_before(masked, found, place)
    return readings


def _classes(statement: Statement) -> bool:
    """Whether a cell is the memory of a class of cards and nothing else."""
    return statement.kind == "cell" and CLASS.fullmatch(statement.text) is not None


def _with_own_unit(before: Sequence[Quantity]) -> Quantity:
    """The last of these that has its unit itself."""
    return next((one for one in reversed(before) if not one.borrowed), before[-1])


def _said(statement: Statement) -> dict[str, str]:
    """What the words of a statement, or the heads of its cell, say of every figure in it."""
    text = f"{statement.text} | {statement.row} | {statement.column}"
    roles: dict[str, str] = {}
    if says("bounds", text):
        roles["end"] = SAID
    if says("totals", f"{text} | {statement.corner}"):
        roles["total"] = SAID
    if says("limits", text):
        roles["bound"] = "limit" if statement.kind == "cell" and says("limits", statement.column) else SAID
    if statement.kind == "cell" and BARE.fullmatch(statement.text):
        counted = counts_of_head(statement.column) or counts_of_head(statement.row)
        roles |= {COUNTED: counted} if counted else {}
    return roles | roles_of_head(statement.row) | roles_of_head(statement.column)


def _roles(
    statement: Statement, masked: str, found: Sequence[Quantity], place: int, said: Mapping[str, str]
) -> dict[str, str]:
    """What words say a figure is of: those beside it before those of the whole statement."""
    text, quantity = statement.text, found[place]
    at = quantity.start
    whole = found[place + 1] if place + 1 < len(found) else None
    roles = {**said, **roles_near(text, quantity.start, quantity.end)}
    if place and quantity.kind == BYTES == found[place - 1].kind and OUT_OF.fullmatch(text, found[place - 1].end, at):
        for group in ("memory", "share"):  # what a figure is a part of is not of the part's kind
            roles.pop(group, None)
    if quantity.kind == MONEY:
        roles |= timed(statement, text[quantity.end :])
    if place and ENDS.fullmatch(masked, found[place - 1].end, quantity.start):
        roles["end"] = "range"
    if whole and DASH.fullmatch(masked, quantity.end, whole.start):
        roles["end"] = "range"
    if is_plan(text, quantity.start, quantity.end):
        roles["end"] = "plan"
    if quantity.kind == PERCENT and says("losses", text):
        roles["loss"] = "lost"
    parts = text[: found[place - 1].start] if place else ""
    if roles.get("share") == "total" and quantity.kind == BYTES and says_role("per_card", parts):
        del roles["share"]  # what the parts of one card come to
    return roles


def _in_words(one: Counted, text: str, start: int, named: Sequence[Product]) -> Figure:
    """A number of cards in words: 「五张 RTX 3090」."""
    (reading,) = quantities(str(one.count))
    cards, models = frozenset(one.cards), ids_of(named, "model")
    text, start, end = text[one.start : one.end], start + one.start, start + one.end
    return Figure(text, start, end, (reading,), cards=cards, models=models, counts=True)


def _spelt(text: str, start: int) -> Iterator[Figure]:
    """Amounts in words, as figures of the whole sentence."""
    for begin, end, readings in spelt(text):
        yield Figure(text[begin:end].strip(), start + begin, start + end, readings)


def unnamed(text: str, named: Sequence[Product]) -> str:
    """The text with blanks for these products, code, formats, releases, dates and addresses."""
    return _masked(text, named)[0]


def _masked(text: str, named: Sequence[Product]) -> tuple[str, list[tuple[int, int]], list[tuple[int, int]]]:
    """The text with blanks for what is no number, and where releases and dates stand."""
    letters = list(text)

    def blank(start: int, end: int) -> None:
        letters[start:end] = " " * (end - start)

    for pattern in (LINK, MARKER, INLINE_CODE, FLAG, *BY_NUMBER):
        for match in pattern.finditer("".join(letters)):
            blank(match.start(), match.end())
    for one in named:
        blank(one.start, one.end)
    for match in FORMATS.finditer("".join(letters)):
        blank(match.start(), match.end())
    dates = []
    for match in DATE.finditer("".join(letters)):
        dates.append((match.start(), match.end()))
        blank(match.start(), match.end())
    for match in MONTH_NAMED.finditer("".join(letters)):
        dates.append((match.start(), match.end()))
        blank(match.start(), match.end())
    versions = []
    for match in VERSION.finditer("".join(letters)):
        versions.append(match.span(1))
        blank(match.start(), match.end())
    return "".join(letters), versions, dates


def _column_unit(statement: Statement) -> str | None:
    found = TABLE_UNIT.search(statement.column) or TABLE_UNIT.search(statement.row)
    if found:
        return found[0]
    return next((sign for sign in "$¥￥€£" if sign in statement.column), None)


def timed(statement: Statement, behind: str) -> dict[str, str]:
    """The time that an amount of money is told by right behind it, and whether its statement tells others only."""
    by = period_at(behind)
    said = f"{statement.text} {statement.row} {statement.column} {statement.corner}"
    others = any(says_role(each, said) for each in ("day", "month", "year"))
    return {**({"by": by} if by else {}), **({"hour": "unsaid"} if others and not says_role("hour", said) else {})}


def _heads(column: str, unit: str) -> bool:
    """Whether the head of a column says this unit of its numbers: "GiB", "price ($)", and not "context on 24 GB"."""
    before = column.rstrip(" )）*").removesuffix(unit) if column.rstrip(" )）*").endswith(unit) else "0"
    return not before.rstrip()[-1:].isdigit()


def _with_unit(quantity: Quantity, unit: str) -> Quantity:
    if unit in "$¥￥€£":
        return replace(next(iter(quantities(f"{unit}{quantity.text}"))), start=quantity.start, end=quantity.end)
    kind, factors = UNITS[unit]
    value, tolerance = quantity.values[0], quantity.tolerances[0]
    return replace(
        quantity, kind=kind, values=tuple(value * each for each in factors),
        tolerances=tuple(tolerance * each for each in factors),
    )  # fmt: skip


@lru_cache(maxsize=4096)
def dates_in(text: str) -> tuple[str, ...]:
    """Dates of a text as ISO, by the day where it is told, else by the month."""
    found: list[str] = []
    for match in DATE.finditer(text):
        parts = [int(one) for one in re.findall(r"\d+", match[0])]
        found.append(f"{parts[0]}-{parts[1]:02}" + (f"-{parts[2]:02}" if len(parts) > 2 else ""))
    for match in MONTH_NAMED.finditer(text):
        day = match["before"] or match["day"]
        month = f"{match['year']}-{MONTHS.index(match['month'][:3].lower()) + 1:02}"
        found.append(f"{month}-{int(day):02}" if day else month)
    return tuple(found)


def is_money(figure: Figure) -> bool:
    """Whether it is an amount of money."""
    return any(one.kind == MONEY for one in figure.readings)
