"""Turns that are being worked out: who asks the same meanwhile waits for that answer instead of a second one."""

import threading
from collections.abc import Hashable, Iterator
from contextlib import contextmanager

LONGEST_WAIT_S = 10.0
"""Whoever waited this long for another's turn works out their own."""


class Same:
    """Who works out what, and how many wait for it. Safe between threads."""

    def __init__(self, longest_wait_s: float = LONGEST_WAIT_S) -> None:
        self._longest_wait_s = longest_wait_s
        self._access = threading.Lock()
        self._first: dict[Hashable, threading.Event] = {}
        self.following = 0
        """Turns that wait for another of the same words: they need no place in line."""

    @contextmanager
    def turn(self, said: Hashable) -> Iterator[None]:
        """Be the first to work out what was `said`, or wait until who was first has ended, however that was.

        Who waited goes on at once, beside others: where the answer of the first is not known then (it was refused, it
        failed, or it holds for its conversation alone), everybody works out their own.
        """
        over = threading.Event()
        with self._access:
            first = self._first.setdefault(said, over)
            self.following += first is not over
        if first is over:
            try:
                yield
            finally:
                with self._access:
                    del self._first[said]
                over.set()
            return
        try:
            first.wait(self._longest_wait_s)
        finally:
            with self._access:
                self.following -= 1
        yield
