"""What any reader says of a message, and what becomes of it: the one contract of all readers.

`Marked` is what a reader gives: quotations, each with a slot and a stance, and what is asked. `Annotation` is the same
held against the message: quotations found in it, values parsed from them, and what did not hold, with the reason.
"""

from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import AfterValidator, Field, WithJsonSchema, model_validator

from assistant.reading.slots import AskName, Kind, Quantity, Stance, slots
from kb.base import Frozen

QUOTE_MAX, FACTS_MAX, ASKS_MAX = 400, 200, 20


def _known(name: str) -> str:
    if name not in slots():
        raise ValueError(f"“{name[:40]}” is none of the slots")
    return name


SlotName = Annotated[str, AfterValidator(_known), WithJsonSchema({"type": "string", "enum": list(slots())})]
Quote = Annotated[str, Field(min_length=1, max_length=QUOTE_MAX)]
Number = Annotated[int, Field(ge=0, le=99)]


class MarkedAsk(Frozen):
    """One thing that is asked, in order of weight."""

    ask: AskName
    quote: Quote
    """The clause that asks it, verbatim."""
    quantity: Quantity | None = None
    """Of what, where the kind of ask leaves it open."""
    about: tuple[Number, ...] = ()
    """Numbers of the works and hardware it is about."""
    nth: int | None = Field(default=None, ge=1, le=99)
    """Which occurrence of the quotation is meant; null = the first that is free."""
    start: int | None = Field(default=None, ge=0)
    confidence: float | None = Field(default=None, ge=0, le=1)


class MarkedFact(Frozen):
    """One quotation: what kind of thing it is, how it stands and what it is of."""

    quote: Quote
    slot: SlotName
    stance: Stance
    of: tuple[Number, ...] = ()
    """Numbers of the works and hardware it is of; empty = of the whole message."""
    part: str | None = Field(default=None, max_length=40)
    """Of a memory: weights, cache …; of a job: load, prefill, decode, VAE …"""
    case: str | None = Field(default=None, max_length=40)
    """a, b … where figures were seen under different settings."""
    than: str | None = Field(default=None, max_length=200)
    """What a relative figure is compared with."""
    nth: int | None = Field(default=None, ge=1, le=99)
    start: int | None = Field(default=None, ge=0)
    confidence: float | None = Field(default=None, ge=0, le=1)


class Entity(Frozen):
    """What a number stands for."""

    n: Number
    what: str = Field(pattern="^(work|hardware)$")
    same_as: str | None = Field(default=None, max_length=40)
    """The earlier one it is the same as: `c3:1` is number 1 of turn 3, counted from 0."""


class MarkedArtifact(Frozen):
    """Something pasted, which is read by its own parser."""

    kind: str = Field(max_length=40)
    quote_start: str | None = Field(default=None, max_length=80)
    quote_end: str | None = Field(default=None, max_length=80)
    start: int | None = Field(default=None, ge=0)
    end: int | None = Field(default=None, ge=0)


class Unread(Frozen):
    """Words that no slot takes."""

    quote: str
    start: int | None = None


def _less_added(given: Any) -> Any:
    """A row less what an annotation adds to it: values are parsed anew, never taken over."""
    added = {"value", "inherited"}
    return {name: value for name, value in given.items() if name not in added} if isinstance(given, dict) else given


class Marked(Frozen):
    """What a reader says of one message: quotations and closed lists, no values."""

    kind: Kind = "new"
    language: str | None = Field(default=None, max_length=20)
    asks: tuple[MarkedAsk, ...] = Field(default=(), max_length=ASKS_MAX)
    facts: tuple[MarkedFact, ...] = Field(default=(), max_length=FACTS_MAX)
    entities: tuple[Entity, ...] = Field(default=(), max_length=100)
    artifacts: tuple[MarkedArtifact, ...] = Field(default=(), max_length=20)
    unread: tuple[Unread, ...] = Field(default=(), max_length=200)

    @model_validator(mode="before")
    @classmethod
    def _lenient(cls, given: Any) -> Any:
        """Bare strings of `unread`, and what a corpus carries beside the contract, are taken as they are meant."""
        if not isinstance(given, dict):
            return given
        kept = {name: value for name, value in given.items() if name in cls.model_fields}
        for name in ("asks", "facts"):
            if isinstance(kept.get(name), list):
                kept[name] = [_less_added(one) for one in kept[name]]
        unread = kept.get("unread")
        if isinstance(unread, list):
            kept["unread"] = [{"quote": one} if isinstance(one, str) else one for one in unread]
        return kept


class Ask(Frozen):
    """One thing that is asked, found in the message."""

    ask: AskName
    quantity: Quantity | None = None
    quote: str
    start: int
    about: tuple[int, ...] = ()
    confidence: float | None = None
    things: tuple[str, ...] = Field(default=(), exclude=True)
    """Identities that an ask of a turn before is about: its numbers are not those of this turn."""


class Fact(Frozen):
    """One quotation found in the message, with its value."""

    quote: str
    start: int
    slot: SlotName
    stance: Stance
    of: tuple[int, ...] = ()
    value: Any = None
    """Parsed by the lexicon from the quotation, its slot and its neighbours."""
    inherited: tuple[str, ...] = ()
    """Parts of the value that a neighbour states, not the quotation."""
    part: str | None = None
    case: str | None = None
    than: str | None = None
    confidence: float | None = None

    @property
    def end(self) -> int:
        """Where the quotation ends."""
        return self.start + len(self.quote)


class Stated(Frozen):
    """One fact of something pasted, as its parser read it; names and units are those of `kb/artifacts/vocabulary`."""

    kind: str
    """Of the artifact."""
    name: str
    value: str | int | float | bool
    unit: str | None = None
    line: int
    """Of the message, from 1."""
    of: str | None = None
    """Which card, rank, process … it is of."""


class Artifact(Frozen):
    """Something pasted, by its place in the message."""

    kind: str
    start: int
    end: int
    facts: int = 0
    """How many facts its parser read; 0 where only a reader says that it is pasted."""
    stated: tuple[Stated, ...] = Field(default=(), exclude=True)
    """Those facts; the situation holds them, faces tell their number."""


class Dropped(Frozen):
    """What a reader said and did not hold."""

    quote: str
    slot: str | None = None
    why: str
    """In English, for whoever mends the reader; faces tell the quotation."""


class Annotation(Frozen):
    """A message marked up and held against its words."""

    kind: Kind = "new"
    language: str | None = None
    asks: tuple[Ask, ...] = ()
    facts: tuple[Fact, ...] = ()
    entities: tuple[Entity, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    unread: tuple[Unread, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    reader: str = "given"
    """Who marked it up: `given`, or `llm:…`."""

    def of(self, number: int) -> Iterable[Fact]:
        """Facts of one work or machine."""
        return (fact for fact in self.facts if number in fact.of)
