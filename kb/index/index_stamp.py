"""A mark of the index's state that costs a few microseconds and differs after every change."""

import os
from functools import lru_cache
from pathlib import Path

FILES = ("library.sqlite3", "library.sqlite3-wal", "current.json")
"""An empty write-ahead log comes and goes with each reader, and counts as none."""
Mark = tuple[int, int]


def index_stamp(home: Path) -> tuple[Mark | None, ...]:
    """When each file of the index below `home` was last written, and its size; null for one that is not there."""
    return tuple(map(mark, _paths(home)))


def mark(path: str) -> Mark | None:
    """When a file was last written, and its size; null when it is empty or not there."""
    try:
        found = os.stat(path)  # noqa: PTH116 - a Path costs more than the question itself
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size) if found.st_size else None


@lru_cache(maxsize=8)
def _paths(home: Path) -> tuple[str, ...]:
    return tuple(str(home / "index" / name) for name in FILES)
