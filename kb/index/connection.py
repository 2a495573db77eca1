"""Connections to the library's SQLite file: one for each change, and one a thread that reads."""

import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import local
from urllib.parse import quote

from kb.base import IndexUnavailable

BUSY_S = 30.0
FOLD_S = 0.5
"""How long the journal is kept for readings that go on."""
COUNTED_MAX = 20_000
"""Words whose counts a connection keeps."""
# Full sync: what was acknowledged survives a power cut, not only a killed process.
_ALWAYS = "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;"
_LOOK = "SELECT 1 FROM sqlite_master LIMIT 1"
_File = tuple[int, str, int, int]
"""Process, path, device and inode: a library that was set aside and made anew is another file."""


class Reading(sqlite3.Connection):
    """A connection that reads, and what it has counted since the file last changed."""

    version: int = -1
    alone: bool = False
    """Whether only the file itself was opened, as one that does not change."""
    counted: dict[tuple[str, str], int]
    """How many chunks hold a word, by language and word."""
    spelt: dict[tuple[str, str], dict[str, int]]
    """The words with a first letter, by language and letter, and how many chunks hold each."""
    facts: dict[str, str | None]
    """Remembered values that were asked for."""

    def begin(self) -> None:
        """See one state from here on; counts of an older state are forgotten."""
        self.execute("BEGIN")
        # Another connection's commit shows here; this one never writes.
        version = self.execute("PRAGMA data_version").fetchone()[0]
        if version != self.version or len(self.counted) > COUNTED_MAX:
            self.version, self.counted, self.spelt, self.facts = version, {}, {}, {}


class _Held(local):
    """What a thread keeps open between two readings."""

    file: _File | None = None
    connection: Reading | None = None
    depth: int = 0


_held = _Held()


@contextmanager
def changing(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection of one's own, closed after the block.

    Raises:
        IndexUnavailable: the file cannot be opened, or is damaged.
    """
    with closing(_open(path)) as connection, _damage_told(path):
        yield connection


def folded(path: Path) -> None:
    """Bring what the journal holds into the file itself, as far as no reading goes on: then the file alone can be read
    where nothing can be written any more."""
    with changing(path) as connection, suppress(sqlite3.Error):  # what was committed stays so in the journal, too
        connection.execute(f"PRAGMA busy_timeout={1000 * FOLD_S:.0f}")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@contextmanager
def reading(path: Path) -> Iterator[Reading]:
    """A connection that sees one consistent state; within another reading of the thread, that one's.

    Opening costs as much as several searches, so a thread keeps its connection.

    Raises:
        IndexUnavailable: the file cannot be opened, or is damaged.
    """
    file = _file(path)
    if _held.depth and file == _held.file and _held.connection is not None:
        _held.depth += 1
        try:
            with _damage_told(path):
                yield _held.connection
        finally:
            _held.depth -= 1
        return
    if _held.depth or sys.platform == "win32":  # Windows cannot set an open file aside
        with closing(_reader(path)) as alone, _damage_told(path):
            alone.begin()
            yield alone
        return
    connection = _kept(path, file)
    _held.depth = 1
    try:
        with _damage_told(path):
            connection.begin()
            yield connection
            connection.execute("COMMIT")
        if connection.alone:
            _let_go()  # once it can be written again, it may change
    except BaseException:
        _let_go()
        raise
    finally:
        _held.depth = 0


def _kept(path: Path, file: _File) -> Reading:
    if _held.connection is None or _held.file != file:
        _let_go()
        _held.connection, _held.file = _reader(path), file
    return _held.connection


def reopen() -> None:
    """Have the thread's next reading open the file anew: pages held in memory do not show what became of the file."""
    if not _held.depth:
        _let_go()


def _let_go() -> None:
    if _held.connection is not None:
        _held.connection.close()
    _held.connection = _held.file = None


def _file(path: Path) -> _File:
    try:
        found = path.stat()
    except OSError as problem:
        raise IndexUnavailable(f"{path} cannot be opened: {problem}") from problem
    return os.getpid(), str(path), found.st_dev, found.st_ino


def _open(path: Path) -> Reading:
    return _sound(path, _ALWAYS, path)


def _reader(path: Path) -> Reading:
    """One that only reads; where nothing can be written, by right or for lack of room, the file itself without what
    would have to lie beside it.

    It is opened as one that cannot write: a writer that closes last removes the journal by its path, and by then that
    may be the journal of a library made anew.
    """
    try:
        return _sound(path, _LOOK, f"file:{quote(str(path))}?mode=ro")
    except IndexUnavailable:
        journal = path.with_name(f"{path.name}-wal")
        if os.access(path.parent, os.W_OK) and journal.exists() and journal.stat().st_size:
            raise
        connection = _sound(path, _LOOK, f"file:{quote(str(path))}?immutable=1")
        connection.alone = True
        return connection


def _sound(path: Path, first: str, where: Path | str) -> Reading:
    """A connection whose first statements have succeeded."""
    connection: Reading | None = None
    try:
        connection = sqlite3.connect(
            where, timeout=BUSY_S, isolation_level=None, uri=isinstance(where, str), factory=Reading
        )
        connection.counted, connection.spelt, connection.facts = {}, {}, {}
        connection.row_factory = sqlite3.Row
        connection.executescript(first)
    except sqlite3.Error as problem:
        if connection is not None:
            connection.close()
        raise IndexUnavailable(f"{path} cannot be opened: {problem}") from problem
    return connection


@contextmanager
def _damage_told(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as problem:
        raise IndexUnavailable(f"{path}: {problem}") from problem
