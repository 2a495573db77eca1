"""What is found in pasted text: artifacts, their facts with lines, and the prose around them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from kb.artifacts.sheet import Line, Sheet

Family = Literal["log", "state", "setup", "model", "quotation"]
Value = str | int | float | bool
QUOTE_MAX = 240
"""Characters of a line that are kept beside a fact."""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of the text, in characters: from `start` up to, not including, `end`."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that an artifact states."""

    name: str
    """A name of the vocabulary (`vocabulary/names.yaml`)."""
    value: Value
    unit: str | None
    """Base unit that the vocabulary gives the name: bytes, seconds, tokens, tokens/s, watts, celsius, ratio …"""
    line: int
    """Line of the whole text, from 1."""
    quote: str
    """The words it was read from, without secrets."""
    of: str | None = None
    """Which card, rank, process, node or container it is of: "gpu 0", "rank 3", "pid 4711", "container vllm"."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A part of an artifact that its parser knows to be something, and could not read."""

    line: int
    quote: str


@dataclass(frozen=True, slots=True)
class Artifact:
    """A thing that was pasted, and what it states."""

    kind: str
    family: Family
    start: int
    end: int
    first_line: int
    """Line of the whole text, from 1."""
    facts: tuple[Fact, ...]
    text: str
    """What was pasted, cleaned: no quoting, prompts, log prefixes, colours, secrets. One line for each line pasted."""
    unread: tuple[Unread, ...] = ()

    def all(self, name: str, of: str | None = None) -> tuple[Value, ...]:
        """Values of every fact of that name, in the order of the text; of one card, rank … where `of` is given."""
        return tuple(fact.value for fact in self.facts if fact.name == name and of in (None, fact.of))

    def get(self, name: str, of: str | None = None) -> Value | None:
        """The last value of that name; None where nothing states it."""
        found = self.all(name, of)
        return found[-1] if found else None


@dataclass(frozen=True, slots=True)
class Found:
    """Everything found in a text, in its order."""

    artifacts: tuple[Artifact, ...]
    prose: tuple[Span, ...]
    """What lies around them and is read as words."""


@dataclass(frozen=True, slots=True)
class Block:
    """The lines of one artifact, cleaned."""

    lines: tuple[Line, ...]

    @property
    def text(self) -> str:
        """The cleaned lines, one for each line pasted."""
        return "\n".join(line.text for line in self.lines)


@dataclass(frozen=True, slots=True)
class Spot:
    """Where an artifact lies: lines by their index in the sheet, both included; `columns` of the cleaned line where it
    is a part of one line only."""

    first: int
    last: int
    columns: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Read:
    """What a parser read of a block."""

    facts: tuple[Fact, ...]
    unread: tuple[Unread, ...] = ()


@dataclass(frozen=True, slots=True)
class Format:
    """One format: where it is in a text, and what it states there."""

    kind: str
    family: Family
    marks: tuple[str, ...]
    """Lower-case words of which one must stand in the text for `detects` to be asked; empty = always asked."""
    detects: Callable[[Sheet], Iterable[Spot]]
    """Places by structure, in linear time."""
    read: Callable[[Block], Read]
    weight: int = 0
    """Where two formats claim the same lines, the heavier gets them, then the one that claims more."""
