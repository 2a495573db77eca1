"""State in one SQLite file: many readers, one writer whose commits are shared."""

import queue
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

from assistant.database import Execute, Names, missing, statements
from kb.base import StateUnavailable

TYPES = {"{real}": "REAL", "{options}": " STRICT"}
"""What stands for the names in braces of a migration."""
WRITING = ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "secure_delete = ON")
MOST_READERS = 8
MOST_TOGETHER = 64
"""Transactions that share one commit at most: those that came first need not wait for ever new ones."""
PATIENCE_S = 5.0


class _Commit:
    """One commit and those who wait for it."""

    def __init__(self) -> None:
        self.over = threading.Event()
        self.sharers = 0
        self.problem: sqlite3.Error | None = None


class SqliteFile:
    """One connection that writes, guarded by a lock, and some that read; a write-ahead log synced at every commit.

    Transactions that arrive while another one runs share its commit, and so one sync of the disk: each is all or
    nothing by itself (a savepoint, which the first needs not), none returns before it is on disk. A killed process
    loses no transaction that returned. Other processes may read and write the same file (they wait for each other),
    but names are only held against the threads of this one.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._names = path, Names()
        self._access, self._counting, self._waiting = threading.Lock(), threading.Lock(), 0
        self._commit = _Commit()
        self._resting: queue.LifoQueue[sqlite3.Connection] = queue.LifoQueue()
        self._readers = threading.BoundedSemaphore(MOST_READERS)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = self._connected(WRITING)
        except (OSError, sqlite3.Error) as problem:
            raise StateUnavailable(str(problem)) from None

    @contextmanager
    def transaction(self) -> Iterator[Execute]:
        """Begun for writing, so that two processes wait instead of failing half-way."""
        with self._counting:
            self._waiting += 1
        with self._access:
            with self._counting:
                self._waiting -= 1
            commit = self._commit
            try:
                try:
                    self._begin(commit)
                    yield self._execute
                    if commit.sharers > 1:
                        self._connection.execute("RELEASE one")
                except BaseException as problem:
                    self._undo(commit, problem)
                    raise
                finally:
                    if self._waiting == 0 or commit.sharers >= MOST_TOGETHER:
                        self._end(commit)
            except sqlite3.Error as problem:
                raise StateUnavailable(str(problem)) from None
        while not commit.over.wait(PATIENCE_S):  # whoever was to commit died before its turn
            with self._access:
                self._end(commit)
        if commit.problem is not None:
            raise StateUnavailable(str(commit.problem)) from None

    def _begin(self, commit: _Commit) -> None:
        if not self._connection.in_transaction:
            self._connection.execute("BEGIN IMMEDIATE")
        if commit.sharers:  # each statement more is one more time to wait for the interpreter, and others with it
            self._connection.execute("SAVEPOINT one")
        commit.sharers += 1

    def _undo(self, commit: _Commit, problem: BaseException) -> None:
        """Take back one transaction and leave those that share its commit as they are."""
        with suppress(sqlite3.Error):
            if self._connection.in_transaction and commit.sharers > 1:
                self._connection.execute("ROLLBACK TO one")
                self._connection.execute("RELEASE one")
                return
        # SQLite itself ended it all (a full disk), or it cannot be ended singly: nobody may think it was kept.
        with suppress(sqlite3.Error):
            self._connection.execute("ROLLBACK")
        commit.problem = problem if isinstance(problem, sqlite3.Error) else sqlite3.OperationalError("rolled back")
        self._end(commit)

    def _end(self, commit: _Commit) -> None:
        """Commit for all who share it, and let them go; nothing where that was done."""
        if commit is not self._commit:
            return
        self._commit = _Commit()
        try:
            if self._connection.in_transaction:
                self._connection.execute("COMMIT")
        except sqlite3.Error as problem:
            commit.problem = problem
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
        finally:
            commit.over.set()

    @contextmanager
    def reading(self) -> Iterator[Execute]:
        """On a connection of its own, which sees every transaction that has returned."""
        with self._readers:
            try:
                connection = self._rested()
                try:
                    yield lambda statement, *given: self._fetched(connection, statement, given)
                except sqlite3.Error:
                    connection.close()
                    raise
                except BaseException:
                    self._resting.put(connection)
                    raise
                self._resting.put(connection)
            except sqlite3.Error as problem:
                raise StateUnavailable(str(problem)) from None

    def hold(self, name: str, wait_s: float) -> AbstractContextManager[None]:
        """Held against the threads of this process."""
        return self._names.hold(name, wait_s)

    def migrate(self, migrations: Sequence[str]) -> None:
        """The version is SQLite's own `user_version`; a file that is up to date is not written."""
        with self.reading() as execute:
            if not missing(int(execute("PRAGMA user_version")[0][0]), migrations):
                return
        with self.transaction() as execute:
            for number in missing(int(execute("PRAGMA user_version")[0][0]), migrations):
                for statement in statements(migrations[number], TYPES):
                    execute(statement)
            execute(f"PRAGMA user_version = {len(migrations)}")

    def changes(self) -> int:
        """A number that grows as soon as anybody, here or in another process, has changed the file.

        Raises:
            StateUnavailable: the file cannot be read.
        """
        with self._access:
            try:
                return int(self._execute("PRAGMA data_version")[0][0]) + self._connection.total_changes
            except sqlite3.Error as problem:
                raise StateUnavailable(str(problem)) from None

    def compact(self) -> None:
        """Deleted text is overwritten in the file; here it leaves the log too."""
        with self._access, suppress(sqlite3.Error):
            self._end(self._commit)
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Close the file."""
        with self._access, suppress(queue.Empty):
            self._end(self._commit)
            self._connection.close()
            while True:
                self._resting.get_nowait().close()

    def _execute(self, statement: str, *given: Any) -> list[tuple[Any, ...]]:
        return self._fetched(self._connection, statement, given)

    @staticmethod
    def _fetched(connection: sqlite3.Connection, statement: str, given: Sequence[Any]) -> list[tuple[Any, ...]]:
        return connection.execute(statement, given).fetchall()

    def _rested(self) -> sqlite3.Connection:
        try:
            return self._resting.get_nowait()
        except queue.Empty:
            return self._connected(("query_only = ON",))

    def _connected(self, pragmas: Sequence[str]) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=10, isolation_level=None, check_same_thread=False)
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}")
        return connection
