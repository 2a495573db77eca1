"""A set-up as it was written: programs with their settings, each with the place it stands at."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

Value = str | int | float | bool | None
Hand = Literal["flag", "env", "yaml", "json", "list", "directive", "modelfile"]
"""How a setting is written, which is how another would be written beside it."""


@dataclass(frozen=True, slots=True)
class Given:
    """One setting."""

    name: str
    """As its program calls it, with underscores: `tensor_parallel_size`."""
    value: Value
    start: int
    """Of the value in the text, in characters; of the name where it has none."""
    end: int
    first: int
    """Where the whole setting begins, name included."""
    last: int
    line: int
    """From 1."""
    quote: str
    hand: Hand = "flag"


@dataclass(frozen=True, slots=True)
class Unit:
    """One program, container, job or file of settings."""

    program: str
    line: int
    start: int
    end: int
    """Where its last word ends."""
    given: Mapping[str, Given] = field(default_factory=dict)
    """By name, the last one written."""
    repeated: tuple[Given, ...] = ()
    """Earlier ones of a name that stands again."""
    unknown: tuple[Given, ...] = ()
    """Options that the program's release does not have."""
    words: tuple[Given, ...] = ()
    """What stands without a name: the model, a script."""
    env: Mapping[str, Given] = field(default_factory=dict)
    within: "Unit | None" = None
    """What starts it: a container, a launcher, a job."""
    hand: Hand = "flag"

    def chain(self) -> Iterator["Unit"]:
        """It, and what starts it, from the inside out."""
        one: Unit | None = self
        while one is not None:
            yield one
            one = one.within

    def inside(self, outer: "Unit | None") -> "Unit":
        """The same, started by `outer` at the end of its own chain."""
        if outer is None:
            return self
        return replace(self, within=outer if self.within is None else self.within.inside(outer))


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything that one text sets up."""

    text: str
    units: tuple[Unit, ...]
    broken: tuple[tuple[int, str], ...] = ()
    """(line, why) of what its own format does not allow."""


def line_of(text: str, place: int) -> int:
    """The line of a place, from 1."""
    return text.count("\n", 0, place) + 1


def typed(text: str) -> Value:
    """A value as it is meant: numbers, true and false; anything else as it is."""
    plain = text.strip()
    lowered = plain.lower()
    if lowered in {"true", "false"}:
        return lowered == "true"
    if len(plain) > 40 or not plain or plain[0] not in "+-.0123456789":
        return plain
    try:
        return int(plain)
    except ValueError:
        pass
    try:
        return float(plain) if lowered.lstrip("+-") not in {"inf", "nan", "infinity"} and "_" not in plain else plain
    except ValueError:
        return plain
