"""The line of turns that wait to be worked out: few at once, in order, and nobody is let in who would wait too long."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from kb.base import Overloaded

PLACES = 2
"""More threads at once would only take the interpreter from each other: all end later, and recurring turns wait too."""
SHORT_LINE = 4
"""Nobody is turned away from a line this short: what one turn cost tells little of the next."""
MEMORY_RATIO = 0.2
"""Weight of the last turn in what one usually costs."""
USUAL_S = 0.1
"""What a turn is taken to cost before any has ended."""


class Line:
    """Places to work in, and what is known of how long they are taken."""

    def __init__(self, places: int = PLACES, usual_s: float = USUAL_S) -> None:
        self._places, self._free = places, threading.Semaphore(places)
        self._access = threading.Lock()
        self._began: dict[int, float] = {}
        self.waiting, self._usual_s = 0, usual_s

    @contextmanager
    def place(self, patience_s: float | None = None) -> Iterator[None]:
        """Wait for a place, and keep it.

        Raises:
            Overloaded: the wait would be longer than `patience_s`; it is said at once, not after waiting.
        """
        with self._access:
            wait_s = self._wait_s()
            if patience_s is not None and self.waiting >= SHORT_LINE and wait_s > patience_s:
                raise Overloaded(wait_s)
            self.waiting += 1
        self._free.acquire()
        started, me = time.monotonic(), threading.get_ident()
        with self._access:
            self.waiting -= 1
            self._began[me] = started
        try:
            yield
        finally:
            with self._access:
                del self._began[me]
                self._usual_s += MEMORY_RATIO * (time.monotonic() - started - self._usual_s)
            self._free.release()

    def _wait_s(self) -> float:
        """How long who comes now would wait, if each took as long as usual, or as the longest that is running."""
        now = time.monotonic()
        each_s = max([self._usual_s, *(now - began for began in self._began.values())])
        return (self.waiting + 1) * each_s / self._places
