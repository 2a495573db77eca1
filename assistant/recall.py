"""Whole turns, remembered while the same words must give the same answer.

An answer follows from how the question was read, in the light of what the conversation said before, from what it looked
at of the answer before (`compose.before`), and from the state of the world: facts, day, live prices, documents,
settings. Nothing of a conversation is in it but that, and what differs between two askers (ids, time taken) is put in
fresh.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable

from assistant.compose.before import Before, Look
from assistant.told import Kept
from kb.index.index_stamp import index_stamp
from kb.settings import settings
from tools.memo import world as facts_and_prices

MOST_BYTES = 32 * 2**20
"""Some thousand answers: what recurs is among them, and a server is soon as large as it will ever be."""
Looks = tuple[Look, ...]
Seen = tuple[Looks, tuple[Hashable, ...]]
"""What an answer looked at of the one before, and what it found there."""


def world() -> Hashable:
    """What an answer depends on besides the words."""
    return facts_and_prices(), index_stamp(settings().home), settings()


class Recall:
    """The last turns by what was said, as much as fits; all are forgotten when the world changes.

    Safe between threads.
    """

    def __init__(self, most_bytes: int = MOST_BYTES, world: Callable[[], Hashable] = world) -> None:
        self._most_bytes, self._world = most_bytes, world
        self._access = threading.Lock()
        self._kept: OrderedDict[tuple[Hashable, Seen], Kept] = OrderedDict()
        self._looks: dict[Hashable, dict[Looks, int]] = {}
        """What answers to the same words looked at, and how many of them that are kept."""
        self._held_bytes = 0
        self._of: Hashable = None

    def now(self) -> Hashable:
        """The state of the world, to be taken before a turn is worked out and handed to `keep` after it."""
        return self._world()

    def find(self, said: Hashable, now: Hashable, before: Before | None = None) -> Kept | None:
        """What was answered to the same words in the same world, where all it looked at is as it was."""
        before = before or Before()
        with self._access:
            self._at(now)
            for looks in self._looks.get(said, ()):
                key = (said, (looks, before.found(looks)))
                if (known := self._kept.get(key)) is not None:
                    self._kept.move_to_end(key)
                    return known
            return None

    def keep(self, said: Hashable, kept: Kept, now: Hashable, seen: Seen = ((), ())) -> None:
        """Remember an answer that recurs, unless the world has changed since `now`."""
        if kept.size_bytes > self._most_bytes:
            return
        latest, key = self._world(), (said, seen)
        with self._access:
            self._at(latest)
            if latest != now or key in self._kept:
                return
            self._kept[key] = kept
            alike = self._looks.setdefault(said, {})
            alike[seen[0]] = alike.get(seen[0], 0) + 1
            self._held_bytes += kept.size_bytes
            while self._held_bytes > self._most_bytes:
                self._drop()

    def forget(self) -> None:
        """Drop everything, as when somebody asks to be forgotten."""
        with self._access:
            self._clear()

    def __len__(self) -> int:
        return len(self._kept)

    def _at(self, now: Hashable) -> None:
        if now != self._of:
            self._clear()
            self._of = now

    def _drop(self) -> None:
        """Forget what was not asked for longest."""
        (said, (looks, _)), kept = self._kept.popitem(last=False)
        self._held_bytes -= kept.size_bytes
        alike = self._looks[said]
        alike[looks] -= 1
        if not alike[looks]:
            del alike[looks]
        if not alike:
            del self._looks[said]

    def _clear(self) -> None:
        self._kept.clear()
        self._looks.clear()
        self._held_bytes = 0
