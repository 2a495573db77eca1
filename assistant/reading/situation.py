"""What is known so far of a conversation: works and hardware that keep their identity, and what concerns the whole.

Everything in it was quoted from the person's own words; a turn adds, replaces, supposes or takes back.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import Field

from assistant.reading.annotation import Ask, Dropped, Entity, Stated
from assistant.reading.slots import Stance
from kb.base import Frozen

TOLD_MAX = 60
"""Facts of former turns that a reader is told."""


class Known(Frozen):
    """One thing that was said."""

    slot: str
    stance: Stance
    value: Any = None
    quote: str
    turn: int
    """Of the conversation, counted from 0."""
    start: int
    inherited: tuple[str, ...] = ()
    part: str | None = None
    case: str | None = None
    than: str | None = None


class Thing(Frozen):
    """A work, or a machine or option, with what is known of it."""

    id: str
    """`c0:1` = number 1 of turn 0, where it was first named; it keeps this name."""
    what: str
    """work or hardware."""
    known: tuple[Known, ...] = ()

    def all(self, slot: str) -> tuple[Known, ...]:
        """Everything known of it in a slot, the latest last."""
        return tuple(one for one in self.known if one.slot == slot)

    def one(self, slot: str, *stances: Stance) -> Known | None:
        """The latest of a slot, of these stances where some are given."""
        return next((one for one in reversed(self.all(slot)) if not stances or one.stance in stances), None)


class Situation(Frozen):
    """Everything known after a turn."""

    turn: int = 0
    things: tuple[Thing, ...] = ()
    known: tuple[Known, ...] = ()
    """What concerns the whole message: money, limits, places."""
    stated: tuple[Stated, ...] = ()
    """What pasted logs, tables and files state, the latest of a kind alone."""
    unread: tuple[Dropped, ...] = ()
    """What a reader marked in the last turn and nothing could parse: names that are not known."""
    asks: tuple[Ask, ...] = ()
    """What the last turn asks; `about` are its own numbers."""
    standing: tuple[Ask, ...] = ()
    """What was asked last before it, of things by their identity: what a turn without an ask of its own bears on."""
    numbers: dict[int, str] = Field(default_factory=dict)
    """Numbers of the last turn → identity."""
    before: "Situation | None" = None
    """What stood before something was supposed; taken up again when the person returns to it."""

    def works(self) -> tuple[Thing, ...]:
        """What is to be done."""
        return tuple(one for one in self.things if one.what == "work")

    def hardware(self) -> tuple[Thing, ...]:
        """Machines and options."""
        return tuple(one for one in self.things if one.what == "hardware")

    def about(self, ask: Ask) -> tuple[Thing, ...]:
        """The works and hardware an ask is about; all of them where it names none."""
        named = [*ask.things, *(self.numbers[number] for number in ask.about if number in self.numbers)]
        return tuple(one for one in self.things if one.id in named) or self.things

    def one(self, slot: str, *stances: Stance) -> Known | None:
        """The latest of a slot that concerns the whole."""
        return next(
            (one for one in reversed(self.known) if one.slot == slot and (not stances or one.stance in stances)), None
        )

    def told(self) -> str:
        """The situation in a few lines, for a reader of the next turn."""
        return "\n".join(list(self._lines())[-TOLD_MAX:])

    def entities(self) -> Sequence[Entity]:
        """What stands for what, as the last turn numbered it."""
        kinds = {one.id: one.what for one in self.things}
        return [Entity(n=n, what=kinds[id_], same_as=id_) for n, id_ in sorted(self.numbers.items())]

    def _lines(self) -> Iterator[str]:
        for thing in self.things:
            said = "; ".join(f"{one.slot} {one.stance} “{one.quote}”" for one in thing.known)
            yield f"{thing.id} {thing.what}: {said}"
        for one in self.known:
            yield f"{one.slot} {one.stance} “{one.quote}”"
