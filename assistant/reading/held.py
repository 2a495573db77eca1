"""A reader's marks held against the message: quotations are found, values parsed, what does not hold is told."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from assistant.reading.annotation import (
    Annotation,
    Artifact,
    Ask,
    Dropped,
    Entity,
    Fact,
    Marked,
    MarkedArtifact,
    MarkedAsk,
    MarkedFact,
    Stated,
    Unread,
)
from assistant.reading.slots import HARDWARE, slots
from assistant.reading.values import Value, values_of
from assistant.understand.language import language_of
from kb.artifacts import find_artifacts
from kb.lexicon.text import SIMPLIFIED, plain

NOT_IN_WORDS = "is not in the message"
SHARED = "shares its words with another quotation"
CLAIM = "claim"
TRADITIONAL_MIN = 3
"""Characters that only traditional script has, from which on a text is in it."""
STATED_MAX = 400
"""Facts of one artifact that are kept."""
LETTERS_MIN = 2
"""Letters or digits from which on words that nobody marked up are told as unread."""


class Span(NamedTuple):
    """Where a quotation stands."""

    start: int
    end: int

    def meets(self, other: "Span") -> bool:
        """Whether they share words."""
        return self.start < other.end and other.start < self.end


def held(message: str, marked: Marked, reader: str = "given") -> Annotation:
    """The annotation of a message: nothing in it that its words do not hold.

    A quotation is taken where it stands, whatever its case; the first free occurrence, unless the reader says which.
    Facts share no words, except that a claim may enclose others; of two that do, the longer is kept.
    """
    dropped: list[Dropped] = []
    artifacts = tuple(one for mark in marked.artifacts if (one := _artifact(message, mark)))
    placed = _placed(message, marked.facts, artifacts, dropped)
    language = marked.language or written_in(message)
    facts = []
    values = values_of([(mark, message[span.start : span.end]) for mark, span in placed], language)
    for (mark, span), value in zip(placed, values, strict=True):
        quote = message[span.start : span.end]
        if isinstance(value, str):
            dropped.append(Dropped(quote=quote, slot=mark.slot, why=value))
        else:
            facts.append(_fact(mark, span, quote, value))
    asks = [ask for wanted in marked.asks if (ask := _ask(message, wanted, dropped))]
    return Annotation(
        kind=marked.kind, language=language, asks=tuple(asks),
        facts=tuple(sorted(facts, key=lambda fact: fact.start)), entities=_entities(marked, facts),
        artifacts=_with_parsed(message, artifacts), unread=_unread(message, marked), dropped=tuple(dropped),
        reader=reader,
    )  # fmt: skip


def written_in(message: str) -> str:
    """The language of a message, for Chinese with its script: zh-Hans, zh-Hant."""
    language = language_of(plain(message))
    if language != "zh":
        return language
    return "zh-Hant" if sum(ord(one) in SIMPLIFIED for one in message) >= TRADITIONAL_MIN else "zh-Hans"


def found(message: str, quote: str, nth: int | None = None, start: int | None = None) -> list[Span]:
    """Places of a quotation, the one that is meant first."""
    places = _places(message, quote) or _places(_even(message), _even(quote))
    if start is not None:
        places.sort(key=lambda span: abs(span.start - start))
    elif nth is not None:
        places = places[nth - 1 :] + places[: nth - 1]
    return places


def _places(message: str, quote: str) -> list[Span]:
    places, at = [], message.find(quote)
    while at >= 0:
        places.append(Span(at, at + len(quote)))
        at = message.find(quote, at + 1)
    return places


def _even(text: str) -> str:
    """Letters of one case, character for character, so that places stay what they are."""
    return "".join(low if len(low := one.lower()) == 1 else one for one in text)


def _placed(
    message: str, marks: Sequence[MarkedFact], artifacts: Iterable[Artifact], dropped: list[Dropped]
) -> list[tuple[MarkedFact, Span]]:
    """Facts with their places, in the order they were given."""
    pasted = [Span(one.start, one.end) for one in artifacts]
    order = sorted(range(len(marks)), key=lambda n: (marks[n].slot == CLAIM, -len(marks[n].quote), n))
    taken: list[Span] = []
    kept: dict[int, Span] = {}
    for n in order:
        mark = marks[n]
        places = found(message, mark.quote, mark.nth, mark.start)
        free = [span for span in places if mark.slot == CLAIM or not any(span.meets(one) for one in (*taken, *pasted))]
        if not free:
            why = SHARED if places else NOT_IN_WORDS
            dropped.append(Dropped(quote=mark.quote, slot=mark.slot, why=why))
            continue
        kept[n] = free[0]
        if mark.slot != CLAIM:
            taken.append(free[0])
    return [(marks[n], kept[n]) for n in sorted(kept)]


def _fact(mark: MarkedFact, span: Span, quote: str, value: Value) -> Fact:
    return Fact(
        quote=quote, start=span.start, slot=mark.slot, stance=mark.stance, of=mark.of, value=value.value,
        inherited=value.inherited, part=mark.part, case=mark.case, than=mark.than, confidence=mark.confidence,
    )  # fmt: skip


def _ask(message: str, mark: MarkedAsk, dropped: list[Dropped]) -> Ask | None:
    places = found(message, mark.quote, mark.nth, mark.start)
    if not places:
        dropped.append(Dropped(quote=mark.quote, why=f"{NOT_IN_WORDS}, so nothing says that {mark.ask} is asked"))
        return None
    span = places[0]
    return Ask(
        ask=mark.ask, quantity=mark.quantity, quote=message[span.start : span.end], start=span.start, about=mark.about,
        confidence=mark.confidence,
    )  # fmt: skip


def _artifact(message: str, mark: MarkedArtifact) -> Artifact | None:
    start = mark.start if mark.start is not None else message.find(mark.quote_start or "\0")
    if start < 0 or start >= len(message):
        return None
    end = mark.end
    if end is None:
        at = message.find(mark.quote_end, start) if mark.quote_end else -1
        end = at + len(mark.quote_end) if mark.quote_end and at >= 0 else len(message)
    return Artifact(kind=mark.kind, start=start, end=min(max(end, start), len(message)))


def _with_parsed(message: str, marked: tuple[Artifact, ...]) -> tuple[Artifact, ...]:
    """What the parsers find in the message, and what a reader marked beside it, in the order of the message."""
    parsed = [
        Artifact(
            kind=one.kind, start=one.start, end=one.end, facts=len(one.facts),
            stated=tuple(
                Stated(kind=one.kind, name=fact.name, value=fact.value, unit=fact.unit, line=fact.line, of=fact.of)
                for fact in one.facts[:STATED_MAX]
            ),
        )
        for one in find_artifacts(message).artifacts
    ]  # fmt: skip
    spans = [Span(one.start, one.end) for one in parsed]
    others = [one for one in marked if not any(Span(one.start, one.end).meets(span) for span in spans)]
    return tuple(sorted([*parsed, *others], key=lambda one: one.start))


def _entities(marked: Marked, facts: Iterable[Fact]) -> tuple[Entity, ...]:
    """What the numbers stand for: as the reader says, else by the facts they carry."""
    known = {one.n: one for one in marked.entities}
    for fact in facts:
        for number in fact.of:
            if number not in known and slots()[fact.slot].family == HARDWARE:
                known[number] = Entity(n=number, what="hardware")
    numbers = {number for fact in facts for number in fact.of} | {n for ask in marked.asks for n in ask.about}
    return tuple(known.get(n) or Entity(n=n, what="work") for n in sorted(numbers | set(known)))


def _unread(message: str, marked: Marked) -> tuple[Unread, ...]:
    """What the reader itself could not read, where it stands."""
    told = []
    for one in marked.unread:
        places = found(message, one.quote, start=one.start)
        if places and sum(letter.isalnum() for letter in one.quote) >= LETTERS_MIN:
            told.append(Unread(quote=message[places[0].start : places[0].end], start=places[0].start))
    return tuple(told)
