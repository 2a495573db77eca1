"""What the answer before told, and which of it the next one looked at: the rest cannot matter to it."""

from collections.abc import Hashable, Iterable
from typing import Any

from assistant.understanding import Shown, Understanding

Look = tuple[str, str]
"""A field of what was shown, a mark that may be among what was told, or what is asked of the fields that changed."""


SAID: Look = ("field", "said")


class Before:
    """Read by whoever composes a follow-up in place of `Need.shown` and `Understanding.changed`.

    An answer follows from the rest of its reading and from what these looks found. Another turn of the same reading
    whose looks would find the same gets the same answer, whatever else its conversation told.
    """

    def __init__(self, shown: Shown | None = None, changed: Iterable[str] = ()) -> None:
        self._shown, self._changed = shown, tuple(changed)
        self._told = frozenset(shown.told if shown else ())
        self._looked: dict[Look, Hashable] = {}

    @classmethod
    def of(cls, reading: Understanding) -> "Before":
        """That of a reading."""
        return cls(reading.need.shown, reading.changed)

    def __bool__(self) -> bool:
        return bool(self._look("field", ""))

    def told(self, mark: str) -> bool:
        """Whether a line of this mark was told."""
        return bool(self._look("mark", mark))

    def field(self, name: str) -> Any:
        """A field of `Shown`, other than `told`; null where nothing was shown."""
        return self._look("field", name)

    def measures(self, name: str) -> bool:
        """Whether the figure told was of this kind, whichever other it was of if not."""
        return bool(self._look("measure", name))

    def changed(self, names: Iterable[str]) -> tuple[str, ...]:
        """Those of these fields of the need that the turn made other than they were, in the order it did."""
        return tuple(self._look("changed", ",".join(names)))  # type: ignore[arg-type]

    def changed_beside(self, names: Iterable[str]) -> bool:
        """Whether the turn made any other field than these other than it was."""
        return bool(self._look("changed beside", ",".join(names)))

    def whole(self) -> Shown | None:
        """All of it."""
        return self._look("whole", "")  # type: ignore[return-value]

    def looks(self) -> tuple[Look, ...]:
        """What was looked at so far."""
        return tuple(self._looked)

    def found(self, looks: Iterable[Look]) -> tuple[Hashable, ...]:
        """What these looks find here."""
        return tuple(self._find(*look) for look in looks)

    def _look(self, kind: str, name: str) -> Hashable:
        look = (kind, name)
        if look not in self._looked:
            self._looked[look] = self._find(kind, name)
        return self._looked[look]

    def _find(self, kind: str, name: str) -> Hashable:
        if kind == "changed":
            return tuple(one for one in self._changed if one in name.split(","))
        if kind == "changed beside":
            return any(one not in name.split(",") for one in self._changed)
        if kind == "measure":
            return ((self._shown.measure if self._shown else None) or "") == name
        if kind == "whole":
            return self._shown
        if kind == "mark":
            return name in self._told
        if not name:
            return self._shown is not None
        found: Hashable = None if self._shown is None else getattr(self._shown, name)
        return found


def apart(reading: Understanding) -> tuple[Understanding, Before]:
    """The reading without what the answer before told, and that."""
    bare = reading.need.model_copy(update={"shown": None})
    return reading.model_copy(update={"need": bare, "changed": ()}), Before.of(reading)
