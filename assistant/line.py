"""The line of turns that wait to be worked out: few at once, in order, and nobody is let in who would wait too long."""

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from assistant.same import Same
from kb.base import Overloaded

PLACES = 2
"""More threads at once would only take the interpreter from each other: all end later, and recurring turns wait too."""
SHORT_LINE = 2
"""Nobody is turned away from a line this short: what one turn cost tells little of the next."""
MEMORY_RATIO = 0.2
"""Weight of the last turn in what one usually costs."""
USUAL_S = 0.1
"""What a turn is taken to cost before any has ended."""
IN_VAIN_PER_S = 10.0
"""Questions a second that may be read only to be refused, at some 3 ms of processor time each; the answers that are
remembered, which nobody waits for, are found by reading."""
IN_VAIN_MOST = 32


class Bucket:
    """Something allowed so often a second, and so often at once after a pause. Safe between threads."""

    def __init__(self, per_s: float, most: float) -> None:
        self._per_s, self._most = per_s, most
        self._held, self._at = most, time.monotonic()
        self._access = threading.Lock()

    def left(self) -> float:
        """How often it may happen now."""
        with self._access:
            return self._filled()

    def take(self) -> bool:
        """Count one; false, and nothing counted, where none is left."""
        with self._access:
            if self._filled() < 1:
                return False
            self._held -= 1
            return True

    def _filled(self) -> float:
        now = time.monotonic()
        self._held = min(self._most, self._held + (now - self._at) * self._per_s)
        self._at = now
        return self._held


class Line:
    """Places to work in, and what is known of how long they are taken. Whoever came first goes first."""

    def __init__(self, places: int = PLACES, usual_s: float = USUAL_S) -> None:
        self._places, self._usual_s = places, usual_s
        self._access = threading.Lock()
        self._began: dict[threading.Lock, float] = {}
        self._waiting: deque[threading.Lock] = deque()
        self._in_vain = Bucket(IN_VAIN_PER_S, IN_VAIN_MOST)
        self.same = Same()
        self.asked = 0
        """How often a place was asked for so far."""

    @property
    def waiting(self) -> int:
        """Turns that wait for a place."""
        return len(self._waiting)

    @property
    def held(self) -> int:
        """Turns that wait or are being worked out, and those that wait for one of these to answer them too."""
        return len(self._waiting) + len(self._began) + self.same.following

    def too_long_s(self, patience_s: float, coming: float = 0) -> float | None:
        """How long who comes now, behind `coming` others that are on their way, would wait, where that is longer than
        `patience_s`."""
        with self._access:
            return self._too_long_s(patience_s, coming)

    def reads(self, coming: float) -> bool:
        """Whether one more question may be read while the line is full, `coming` others being read."""
        return coming + 1 <= self._in_vain.left()

    @contextmanager
    def place(self, patience_s: float | None = None) -> Iterator[None]:
        """Wait for a place, and keep it.

        Raises:
            Overloaded: the wait would be longer than `patience_s`; it is said at once, not after waiting.
        """
        turn = threading.Lock()
        with self._access:
            self.asked += 1
            wait_s = None if patience_s is None else self._too_long_s(patience_s, 0)
            if wait_s is None:
                turn.acquire()
                self._waiting.append(turn)
                self._call()
        if wait_s is not None:
            self._in_vain.take()
            raise Overloaded(wait_s)
        started: float | None = None
        try:
            turn.acquire()
            started = time.monotonic()
            yield
        finally:
            with self._access:
                if started is not None:
                    self._usual_s += MEMORY_RATIO * (time.monotonic() - started - self._usual_s)
                if self._began.pop(turn, None) is None:  # interrupted while it waited
                    self._waiting.remove(turn)
                self._call()

    def _call(self) -> None:
        """Give free places to who waits longest: handed over, so that nobody who has just come takes one."""
        while self._waiting and len(self._began) < self._places:
            turn = self._waiting.popleft()
            self._began[turn] = time.monotonic()
            turn.release()

    def _too_long_s(self, patience_s: float, coming: float) -> float | None:
        if len(self._waiting) + coming < SHORT_LINE:
            return None
        wait_s = self._wait_s(coming)
        return wait_s if wait_s > patience_s else None

    def _wait_s(self, coming: float) -> float:
        """How long who comes now would wait, if each took as long as usual, and in the place of one that is running for
        longer already, as long as that one: a place that is held up does not hold up the others."""
        now = time.monotonic()
        took_s = [max(self._usual_s, now - began) for began in self._began.values()]
        took_s += [self._usual_s] * (self._places - len(took_s))
        return (len(self._waiting) + coming + 1) / sum(1 / each_s for each_s in took_s)
