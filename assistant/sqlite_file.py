"""State in one SQLite file: many readers, one writer whose commits are shared."""

import queue
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

from assistant.database import Execute, Names, T, missing, statements
from kb.base import StateUnavailable

TYPES = {"{real}": "REAL", "{bytes}": "BLOB", "{options}": " STRICT"}
"""What stands for the names in braces of a migration."""
WRITING = ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "secure_delete = ON")
MOST_READERS = 8
MOST_TOGETHER = 64
"""Pieces of work that share one commit at most: those that came first need not wait for ever new ones."""


class _Waiting:
    """A piece of work in line, and what came of it."""

    def __init__(self, work: Callable[[Execute], Any]) -> None:
        self.work = work
        self.woken = threading.Event()
        """It is over, or leads the next commit."""
        self.over = False
        self.result: Any = None
        self.problem: BaseException | None = None


class SqliteFile:
    """One connection that writes, guarded by a lock, and some that read; a write-ahead log synced at every commit.

    Work that arrives while a commit runs shares the next one, and so one sync of the disk: each piece is all or nothing
    by itself (a savepoint, where it isn't alone), none returns before it is on disk. One of those who wait does it all
    while the others sleep: were each to do its own, every statement of every thread would wait for the interpreter
    (500 conversations waited a third of a second for a commit of one millisecond). A killed process loses nothing that
    returned. Other processes may read and write the same file (they wait for each other), but names are only held
    against the threads of this one.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._names = path, Names()
        self._access, self._counting = threading.Lock(), threading.Lock()
        self._line: deque[_Waiting] = deque()
        self._led = False
        """Whether somebody works the line off."""
        self._resting: queue.LifoQueue[sqlite3.Connection] = queue.LifoQueue()
        self._readers = threading.BoundedSemaphore(MOST_READERS)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = self._connected(WRITING)
        except (OSError, sqlite3.Error) as problem:
            raise StateUnavailable(str(problem)) from None

    @contextmanager
    def transaction(self) -> Iterator[Execute]:
        """Begun for writing, so that two processes wait instead of failing half-way; shares its commit with none."""
        with self._access:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield self._execute
                self._connection.execute("COMMIT")
            except BaseException as problem:
                self._undo()
                if isinstance(problem, sqlite3.Error):
                    raise StateUnavailable(str(problem)) from None
                raise

    def write(self, work: Callable[[Execute], T]) -> T:
        """Done in its turn, in a commit that it shares with what waits at the same time."""
        mine = _Waiting(work)
        with self._counting:
            self._line.append(mine)
            leads, self._led = not self._led, True
        if not leads:
            mine.woken.wait()
        if not mine.over:
            self._lead()
        if isinstance(mine.problem, sqlite3.Error):
            raise StateUnavailable(str(mine.problem)) from None
        if mine.problem is not None:
            raise mine.problem
        return mine.result  # type: ignore[no-any-return]

    def _lead(self) -> None:
        """Do what waits, in one commit, and let the first of those who came meanwhile lead the next."""
        together: list[_Waiting] = []
        try:
            with self._access:
                with self._counting:
                    together = [self._line.popleft() for _ in range(min(len(self._line), MOST_TOGETHER))]
                self._commit(together)
        finally:
            with self._counting:
                following = self._line[0] if self._line else None
                self._led = following is not None
            for one in together:
                one.over = True
                one.woken.set()
            if following is not None:
                following.woken.set()

    def _commit(self, together: Sequence[_Waiting]) -> None:
        """Each piece of work for itself, all in one transaction; a problem of the whole is one of each."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            for one in together:
                self._work(one, alone=len(together) == 1)
            self._connection.execute("COMMIT")
        except sqlite3.Error as problem:
            self._undo()
            for one in together:
                one.problem = one.problem or problem
        except BaseException:
            self._undo()
            for one in together:
                one.problem = one.problem or sqlite3.OperationalError("broken off")
            raise

    def _work(self, one: _Waiting, *, alone: bool) -> None:
        """One piece: what it did is taken back where it fails, and nothing else of the commit.

        Raises:
            sqlite3.Error: SQLite itself ended it all, as on a full disk: nobody may think that it was kept.
        """
        if not alone:  # each statement more is one more time to wait for the interpreter, and others with it
            self._connection.execute("SAVEPOINT one")
        try:
            one.result = one.work(self._execute)
        except Exception as problem:
            one.problem = problem
            if alone or not self._connection.in_transaction:
                raise
            self._connection.execute("ROLLBACK TO one")
        if not alone:
            self._connection.execute("RELEASE one")

    def _undo(self) -> None:
        with suppress(sqlite3.Error):
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

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
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Close the file."""
        with self._access, suppress(queue.Empty):
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
