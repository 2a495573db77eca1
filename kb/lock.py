"""One writer at a time, between processes as well as threads: an exclusive lock on a file."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from kb.base import IndexUnavailable

POLL_S = 0.05

if sys.platform == "win32":
    import msvcrt

    def _take(file: IO[bytes]) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _take(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def exclusive(path: Path, *, wait_s: float) -> Iterator[None]:
    """Hold the lock on `path` for the block; the system lets it go when the process dies.

    Raises:
        IndexUnavailable: another writer still holds it after `wait_s`.
    """
    deadline = time.monotonic() + wait_s
    with path.open("ab") as file:
        while True:
            try:
                _take(file)
                break
            except OSError:
                if time.monotonic() >= deadline:
                    raise IndexUnavailable("another process is writing it; try again when it has finished.") from None
                time.sleep(POLL_S)
        yield
