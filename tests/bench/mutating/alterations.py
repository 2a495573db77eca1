"""False versions of an answer: one figure, date, count, name or word altered, the rest as it was."""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mutating.stated import PERSON, Stated, catalogued, same, stated
from mutating.transcripts import Transcript

from assistant.grounding.needless import FREE_KINDS, GENERAL_KINDS
from assistant.grounding.standing.sums import SMALL_MAX
from assistant.grounding.wording.figures import DATE, Figure, figures
from assistant.grounding.wording.mentions import Product, ids_of, products
from assistant.grounding.wording.quantities import MONEY, PLAIN, Quantity
from assistant.grounding.wording.statements import Statement, statements
from kb.catalog import gpus
from kb.models import models

DIGITS = re.compile(r"\d[\d,]*(?:\.\d+)?")
UNITS = {
    "GiB": ("TB", "MiB", "GB/s"), "TiB": ("GiB",), "GB": ("TB", "GB/s"), "TB": ("GB",), "TB/s": ("GB/s", "TB"),
    "GB/s": ("TB/s", "GB"), "kW": ("W",), "W": ("kW",), "小时": ("天", "分钟"), "天": ("小时",),
    "days": ("hours", "weeks"),
    "hours": ("days", "minutes"), "h": ("min", "days"), "min": ("h", "s"), "s": ("ms", "min"), "ms": ("s",),
    "秒": ("毫秒", "分钟"), "tokens/s": ("TFLOPS", "GB/s"), "TFLOPS": ("GB/s",), "%": (" GB",), "万": ("亿",),
}  # fmt: skip
"""A unit and others that it may be mistaken for."""
CURRENCIES = {"$": "¥", "¥": "$", "€": "$", "￥": "$"}
SHARES = (
    ("每人", "合计", "per_user", "total"), ("每用户", "合计", "per_user", "total"),
    ("per user", "in total", "per_user", "total"), ("for each user", "in total", "per_user", "total"),
    ("each user", "in total", "per_user", "total"), ("每卡", "合计", "per_gpu", "total"),
    ("每张卡", "合计", "per_gpu", "total"), ("per card", "in total", "per_gpu", "total"),
    ("a card", "in total", "per_gpu", "total"), ("per GPU", "in total", "per_gpu", "total"),
    ("总吞吐", "每人速度", "total", "per_user"), ("合计", "每人", "total", "per_user"),
    ("in total", "per user", "total", "per_user"),
)  # fmt: skip
"""Words for a share of a figure, what is put in their place, and how fields of results call the two."""
PERIODS = (
    ("/h", "/month"), ("/小时", "/月"), ("每小时", "每月"), ("一小时", "一个月"), (" an hour", " a month"),
    (" per hour", " per month"), ("/month", "/h"), ("每月", "每小时"), ("/月", "/小时"), (" a month", " an hour"),
    ("/year", "/month"),
)  # fmt: skip
OWN, NUMERAL = "ten times, in a sentence marked as own", "a bare numeral up to ten off by one"
NOT_COUNTED = frozenset({OWN, NUMERAL})
"""Ways that are told and not aimed at: such numerals count steps and options, and own knowledge rests on nothing."""
NEAR = 24
"""Characters between a figure and the word that says of what share or time it is."""


@dataclass(frozen=True, slots=True)
class Altered:
    """A false version of an answer."""

    way: str
    start: int
    """Where the text was altered."""
    end: int
    """Where what was altered ended before."""
    put: str
    statement: Statement
    elsewhere: bool = False
    """Whether something states the false figure of that thing all the same, in another field."""

    def of(self, text: str) -> str:
        """The whole answer with it."""
        return text[: self.start] + self.put + text[self.end :]

    def note(self, text: str) -> str:
        """For a person to read: what was, and what was put."""
        before, after = text[max(0, self.start - 50) : self.start], text[self.end : self.end + 40]
        return " ".join(f"…{before}⟦{text[self.start : self.end]} → {self.put}⟧{after}…".split())


@dataclass(frozen=True, slots=True)
class Spot:
    """A figure that the guard traced, with what its sentence is about."""

    figure: Figure
    statement: Statement
    subjects: frozenset[str]
    fields: frozenset[str]
    """Names of the fields that state it."""

    @property
    def quantity(self) -> Quantity:
        """As it is written."""
        return self.figure.readings[0]


class Alterations:
    """Everything false that may be made of one transcript."""

    def __init__(self, case: Transcript, traced: set[int], draw: random.Random) -> None:
        self._text, self._draw, self._case = case.text, draw, case
        self._stated = stated(case)
        self._spots = tuple(self._found(traced))
        self._names = sorted(case.evidence.known)

    def __iter__(self) -> Iterator[Altered]:
        """Each of them, of every kind."""
        for spot in self._spots:
            if spot.statement.own and spot.quantity.kind in FREE_KINDS | GENERAL_KINDS and not spot.subjects:
                yield from self._own(spot)
                continue
            if self._numeral(spot):
                yield from self._numerals(spot)
                continue
            yield from self._values(spot)
            yield from self._units(spot)
            yield from self._digits(spot)
            yield from self._words(spot)
        for one in statements(self._text):
            yield from self._subjects(one)
            yield from self._dates(one)

    def _found(self, traced: set[int]) -> Iterator[Spot]:
        references = self._case.spans
        for statement in statements(self._text):
            for figure in figures(statement):
                if (
                    figure.end in traced
                    and figure.readings
                    and not any(s <= figure.start < e for s, e, _ in references)
                ):
                    subjects = _named(statement)
                    held = {one.field for one in self._stated if one.of(subjects) and _matches(figure, one)}
                    yield Spot(figure, statement, subjects, frozenset(held))

    def _numeral(self, spot: Spot) -> bool:
        """Whether it is one of the small bare numbers that count steps, options and requests."""
        one = spot.quantity
        alone = len(spot.figure.readings) == 1
        return one.kind == PLAIN and one.values[0] <= SMALL_MAX and alone and not spot.figure.counts

    def _numerals(self, spot: Spot) -> Iterator[Altered]:
        number = int(spot.quantity.values[0])
        yield from self._put(spot, NUMERAL, str(number + 1))

    def _own(self, spot: Spot) -> Iterator[Altered]:
        match = DIGITS.search(spot.figure.text)
        digits = _plain(float(match[0].replace(",", "")) * 10, match[0]) if match else "0"
        yield from self._put(spot, OWN, digits)

    def _values(self, spot: Spot) -> Iterator[Altered]:
        match = DIGITS.search(spot.figure.text)
        if match is None:
            return
        number, whole = float(match[0].replace(",", "")), "." not in match[0]
        if spot.figure.counts:
            yield from self._put(spot, "count of cards off by one", _plain(number + 1, match[0]))
            if number > 1:
                yield from self._put(spot, "count of cards off by one", _plain(number - 1, match[0]))
            return
        yield from self._put(spot, "a tenth more", _plain(number * 1.1 + (1 if whole and number < 10 else 0), match[0]))
        yield from self._put(spot, "a third less", _plain(number * 0.67, match[0]))
        yield from self._put(spot, "ten times", _plain(number * 10, match[0]))

    def _put(self, spot: Spot, way: str, digits: str) -> Iterator[Altered]:
        """The figure with other digits, unless the field that holds it holds these for the same thing too."""
        match = DIGITS.search(spot.figure.text)
        if match is None or float(match[0].replace(",", "")) == float(digits.replace(",", "")):
            return
        start = spot.figure.start + match.start()
        yield from self._made(spot, way, start, start + len(match[0]), digits)

    def _made(self, spot: Spot, way: str, start: int, end: int, put: str) -> Iterator[Altered]:
        false = _at(spot, self._text[:start] + put + self._text[end:], spot.figure.start)
        if false is None:
            return
        if any(same(one, kept) for one in false for kept in spot.figure.readings[:1]):
            return
        held = [
            one for one in self._stated if one.of(spot.subjects) and any(same(each, one.quantity) for each in false)
        ]
        if any(one.field in spot.fields for one in held):
            return
        known = bool(held) or any(
            same(each, one) for each in false for name in spot.subjects for one in catalogued(name)
        )
        yield Altered(way, start, end, put, spot.statement, known)

    def _units(self, spot: Spot) -> Iterator[Altered]:
        text, figure = spot.figure.text, spot.figure
        for sign, other in CURRENCIES.items():
            if text.startswith(sign):
                yield from self._made(spot, "another currency", figure.start, figure.start + 1, other)
        unit = next((one for one in sorted(UNITS, key=len, reverse=True) if text.endswith(one)), None)
        for other in UNITS[unit] if unit else ():
            yield from self._made(spot, "another unit", figure.end - len(unit or ""), figure.end, other)

    def _digits(self, spot: Spot) -> Iterator[Altered]:
        """The digits of another figure of the answer: of another kind, and of its own."""
        for way, others in (
            (
                "digits of a figure of another kind",
                [one for one in self._spots if one.quantity.kind != spot.quantity.kind],
            ),
            (
                "digits of another figure of its kind",
                [one for one in self._spots if one.quantity.kind == spot.quantity.kind],
            ),
        ):
            bare = [one for one in others if one.quantity.kind != PLAIN or one.quantity.values[0] > SMALL_MAX]
            if spot.figure.counts or not bare:
                continue
            match = DIGITS.search(self._draw.choice(bare).figure.text)
            if match is not None:
                yield from self._put(spot, way, match[0])

    def _words(self, spot: Spot) -> Iterator[Altered]:
        """What is said of a share or a time beside the figure."""
        start, end = (
            max(spot.statement.start, spot.figure.start - NEAR),
            min(spot.statement.end, spot.figure.end + NEAR),
        )
        for said, put, mine, other in SHARES:
            place = self._text.find(said, start, end)
            fields = [one for one in self._stated if one.of(spot.subjects) and _matches(spot.figure, one)]
            if place < 0 or spot.quantity.kind == PLAIN or not any(mine in one.field for one in fields):
                continue
            if not any(other in one.field or one.field == PERSON for one in fields):
                known = any(mine not in one.field for one in fields)
                yield Altered("total for a share, or back", place, place + len(said), put, spot.statement, known)
            break
        if spot.quantity.kind == MONEY:
            for said, put in PERIODS:
                if (
                    self._text.startswith(said, spot.figure.end)
                    and not self._text[spot.figure.end + len(said) :][:1].isalpha()
                ):
                    yield Altered(
                        "hour for month, or back", spot.figure.end, spot.figure.end + len(said), put, spot.statement
                    )
                    break

    def _subjects(self, statement: Statement) -> Iterator[Altered]:
        """Another card or model that results know, where a figure with a unit is of the first."""
        if statement.kind == "code":
            return
        for one in products(statement.text):
            owned = [spot for spot in self._spots if _owns(spot, statement, one)]
            others = [name for name in self._names if name not in one.ids and _same_dimension(name, one)]
            self._draw.shuffle(others)
            for name in others:
                if owned and not any(self._holds(name, spot) for spot in owned):
                    start = statement.start + one.start
                    written = gpus()[name].name if name in gpus() else models()[name].name
                    if not products(written) or products(written)[0].ids & one.ids:
                        continue
                    yield Altered("another subject", start, start + len(one.text), written, statement)
                    break

    def _holds(self, name: str, spot: Spot) -> bool:
        """Whether the figure is stated of that thing, or of nothing."""
        return any(
            _matches(spot.figure, one) and (name in one.subjects or not one.subjects) for one in self._stated
        ) or any(same(spot.quantity, one) for one in catalogued(name))

    def _dates(self, statement: Statement) -> Iterator[Altered]:
        for match in DATE.finditer(statement.text) if statement.kind != "code" and not statement.own else ():
            start = statement.start + match.start()
            for way, moved in (
                ("date moved", _month_later(match[0])),
                ("date moved", f"{int(match[0][:4]) + 1}{match[0][4:]}"),
            ):
                if moved != match[0] and not any(moved in text for text in self._texts()):
                    yield Altered(way, start, start + len(match[0]), moved, statement)

    def _texts(self) -> Iterator[str]:
        yield from self._case.words
        yield from self._case.former
        yield from (str(one.shown) for one in self._case.looked_up)


def _at(spot: Spot, text: str, start: int) -> tuple[Quantity, ...] | None:
    """How the altered figure reads."""
    for statement in statements(text):
        if statement.start <= start < statement.end:
            found = [one for one in figures(statement) if one.start <= start + 1 and start < one.end and one.readings]
            return found[0].readings if found else None
    return None


def _matches(figure: Figure, one: Stated) -> bool:
    return any(same(reading, one.quantity) for reading in figure.readings)


def _named(statement: Statement) -> frozenset[str]:
    """Cards and models of a sentence, or of a cell with the heads of its row and column."""
    found = [*products(statement.text), *products(statement.row), *products(statement.column)]
    return ids_of(found, "card") | ids_of(found, "model")


def _owns(spot: Spot, statement: Statement, one: Product) -> bool:
    """Whether a figure with a unit is of that product, and of it alone."""
    if spot.quantity.kind == PLAIN and len(spot.figure.readings) == 1:
        return False
    here = spot.statement.start == statement.start
    headed = one.text in spot.statement.row or one.text in spot.statement.column
    owner = spot.figure.cards if one.dimension == "card" else spot.figure.models
    return (here or (headed and statement.kind in {"cell", "heading"})) and bool(owner) and owner <= one.ids


def _same_dimension(name: str, one: Product) -> bool:
    return name in gpus() if one.dimension == "card" else name in models()


def _month_later(date: str) -> str:
    match = re.match(r"(\d{4}(?:-| ?年 ?))(\d{1,2})", date)
    if match is None:
        return date
    month = int(match[2]) % 12 + 1
    return f"{match[1]}{month:0{len(match[2])}d}{date[match.end() :]}"


def _plain(value: float, like: str) -> str:
    """A value written as finely as `like`."""
    digits = len(like.split(".")[1]) if "." in like else 0
    return f"{value:,.{digits}f}" if "," in like else f"{value:.{digits}f}"


__all__: Sequence[str] = ("NOT_COUNTED", "Alterations", "Altered")
