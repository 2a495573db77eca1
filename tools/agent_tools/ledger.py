"""What was looked up in a conversation: each result under a short key by which words and later calls refer to it."""

import threading
from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

from pydantic import Field

from kb.base import Frozen

KEPT_MAX = 96
"""Results that are held at once; the whole of one is some 50 kB."""


class Worked(Frozen):
    """One call of a registered tool behind a result: what it was asked, what it said."""

    tool: str
    request: dict[str, Any]
    result: dict[str, Any]
    """The whole result, or `{"error": {...}}`."""


class LookedUp(Frozen):
    """One call of an agent's tool."""

    key: str
    """How words and later calls refer to it, e.g. `R2`."""
    tool: str
    request: dict[str, Any]
    """As it was asked, less what was left out."""
    shown: dict[str, Any]
    """What the model read: figures written out with their units, or `{"error": {...}}`."""
    worked: tuple[Worked, ...] = Field(default=(), exclude=True)
    """The calls behind it; kept while the turn lasts."""

    @property
    def failed(self) -> bool:
        """Whether the tool refused."""
        return "error" in self.shown


def _number(key: str) -> int:
    return int(key[1:]) if key[1:].isdigit() else 0


class Ledger:
    """Results by key, in the order of the calls; the oldest are forgotten. Safe between threads."""

    def __init__(self, former: Iterable[LookedUp] = ()) -> None:
        self._held: OrderedDict[str, LookedUp] = OrderedDict((one.key, one) for one in former)
        self._former = len(self._held)
        self._access = threading.Lock()
        self._count = max(map(_number, self._held), default=0)

    def next_key(self) -> str:
        """The key of the next result."""
        with self._access:
            self._count += 1
            return f"R{self._count}"

    def keep(self, one: LookedUp) -> LookedUp:
        """Hold a result under its key; results are told in the order of their keys, whichever ends first."""
        with self._access:
            self._held[one.key] = one
            for later in [key for key in self._held if _number(key) > _number(one.key)]:
                self._held.move_to_end(later)
            while len(self._held) > KEPT_MAX:
                self._held.popitem(last=False)
                self._former = max(0, self._former - 1)
        return one

    def find(self, key: str) -> LookedUp | None:
        """The result called so, written in whatever case."""
        return self._held.get(key.strip().strip("[]{}").upper())

    @property
    def all(self) -> tuple[LookedUp, ...]:
        """Every result that is held, former turns' first."""
        with self._access:
            return tuple(self._held.values())

    @property
    def new(self) -> tuple[LookedUp, ...]:
        """Those of this turn."""
        return self.all[self._former :]
