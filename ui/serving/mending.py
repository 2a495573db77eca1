"""The index of a running server: looked at every few minutes, and made whole where it was damaged or lost."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ingest.apart import mend_apart
from kb.base import IndexUnavailable

EVERY_S = 300.0
LONGEST_S = 3600.0
"""How long it waits at most between attempts that do not help: each costs what building an index costs."""
logger = logging.getLogger(__name__)


@contextmanager
def mending(every_s: float = EVERY_S) -> Iterator[None]:
    """Have the index mended while the block runs; search answers meanwhile as well as it can."""
    over = threading.Event()
    thread = threading.Thread(target=_watch, args=(over, every_s), name="mending", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()


def _watch(over: threading.Event, every_s: float) -> None:
    wait_s = every_s
    while not over.wait(wait_s):
        try:
            sound = mend_apart()
        except IndexUnavailable as problem:
            logger.warning("the index cannot be mended: %s", problem)
            sound = False
        except Exception:
            logger.exception("the index could not be looked at")
            sound = False
        wait_s = every_s if sound else min(2 * wait_s, LONGEST_S)
