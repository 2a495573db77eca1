"""The line of turns that wait to be worked out: few at once, in order, and nobody is let in who would wait too long."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from kb.base import Overloaded

PLACES = 2
"""More threads at once would only take the interpreter from each other: all end later, and recurring turns wait too."""
SHORT_LINE = 8
"""Nobody is turned away from a line this short: what one turn cost tells little of the next."""
MEMORY_RATIO = 0.2
"""Weight of the last turn in what one usually costs."""


class Line:
    """Places to work in, and what is known of how long they are taken."""

    def __init__(self, places: int = PLACES, usual_s: float = 0.0) -> None:
        self._places, self._free = places, threading.Semaphore(places)
        self._access = threading.Lock()
        self.waiting, self._usual_s = 0, usual_s

    @contextmanager
    def place(self, patience_s: float | None = None) -> Iterator[None]:
        """Wait for a place, and keep it.

        Raises:
            Overloaded: the wait would be longer than `patience_s`; it is said at once, not after waiting.
        """
        with self._access:
            wait_s = (self.waiting + 1) * self._usual_s / self._places
            if patience_s is not None and self.waiting >= SHORT_LINE and wait_s > patience_s:
                raise Overloaded(wait_s)
            self.waiting += 1
        self._free.acquire()
        with self._access:
            self.waiting -= 1
        started = time.monotonic()
        try:
            yield
        finally:
            took_s = time.monotonic() - started
            with self._access:
                self._usual_s += MEMORY_RATIO * (took_s - self._usual_s)
            self._free.release()
