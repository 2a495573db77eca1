"""A mark of the index's state that costs a few microseconds and differs after every change."""

from pathlib import Path

FILES = ("library.sqlite3", "library.sqlite3-wal", "current.json")
"""An empty write-ahead log comes and goes with each reader, and counts as none."""


def index_stamp(home: Path) -> tuple[tuple[int, int] | None, ...]:
    """When each file of the index below `home` was last written, and its size; null for one that is not there."""
    return tuple(_mark(home / "index" / name) for name in FILES)


def _mark(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size) if found.st_size else None
