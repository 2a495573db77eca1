"""Where state is kept: SQLite in the home with one writer, or Postgres, which several workers share."""

import hashlib
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from kb.base import BadInput, ConversationBusy, StateUnavailable

Execute = Callable[..., list[tuple[Any, ...]]]
"""Runs one statement, written with `?` for its values, and gives its rows."""
POLL_S = 0.05
MOST_CONNECTIONS = 8
IDLE_S = 30.0
"""A connection that rested this long is tried before it is used: a database restarts, a proxy hangs up."""
MIGRATING = 0x67707561
"""Number of the Postgres lock under which the tables are made or changed."""
SQLITE_TYPES = {"{real}": "REAL", "{options}": " STRICT"}
POSTGRES_TYPES = {"{real}": "DOUBLE PRECISION", "{options}": ""}
"""What stands for the names in braces of a migration."""


class Database(Protocol):
    """One transaction at a time a thread, and names that only one holder has."""

    def transaction(self) -> AbstractContextManager[Execute]:
        """All or nothing, on disk when it ends.

        Raises:
            StateUnavailable: it cannot be reached, is full or broken.
        """
        ...

    def hold(self, name: str, wait_s: float) -> AbstractContextManager[None]:
        """Keep `name` for oneself, or wait in line.

        Raises:
            ConversationBusy: the line did not move within `wait_s`.
        """
        ...

    def migrate(self, migrations: Sequence[str]) -> None:
        """Bring the tables up to the last of `migrations`; each runs once, in order, all or nothing.

        Raises:
            BadInput: the tables are of a newer version of this program.
        """
        ...

    def compact(self) -> None:
        """Give back, and wipe, the space of what was deleted."""
        ...

    def close(self) -> None:
        """Let go of every connection."""
        ...


def database(url: str | None, path: Path) -> Database:
    """The database of the setting: `postgresql://…`, or none for the file at `path`."""
    if not url:
        return Sqlite(path)
    if url.startswith(("postgresql://", "postgres://")):
        return Postgres(url)
    raise BadInput("GPU_ADVISOR_DATABASE_URL", "is no address of a Postgres.", "Write postgresql://user@host/name.")


class Names:
    """Locks by name between the threads of this process; a name nobody wants takes no memory."""

    def __init__(self) -> None:
        self._access = threading.Lock()
        self._locks: dict[str, tuple[threading.Lock, int]] = {}

    @contextmanager
    def hold(self, name: str, wait_s: float) -> Iterator[None]:
        """Keep `name`, or wait for it."""
        with self._access:
            lock, holders = self._locks.get(name, (threading.Lock(), 0))
            self._locks[name] = (lock, holders + 1)
        try:
            if not lock.acquire(timeout=max(wait_s, 0)):
                raise ConversationBusy(name)
            try:
                yield
            finally:
                lock.release()
        finally:
            with self._access:
                lock, holders = self._locks[name]
                if holders == 1:
                    del self._locks[name]
                else:
                    self._locks[name] = (lock, holders - 1)


class Sqlite:
    """One file, one connection guarded by a lock; a write-ahead log synced at every commit.

    A killed process loses no committed transaction. Other processes may read and write the same file (they wait for
    each other), but names are only held against the threads of this one.
    """

    def __init__(self, path: Path) -> None:
        self._names, self._access = Names(), threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, timeout=10, isolation_level=None, check_same_thread=False)
            for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "secure_delete = ON"):
                self._connection.execute(f"PRAGMA {pragma}")
        except (OSError, sqlite3.Error) as problem:
            raise StateUnavailable(str(problem)) from None

    @contextmanager
    def transaction(self) -> Iterator[Execute]:
        """Begun for writing, so that two processes wait instead of failing half-way."""
        with self._access:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                try:
                    yield self._execute
                except BaseException:
                    with suppress(sqlite3.Error):  # a full disk ends the transaction by itself
                        self._connection.execute("ROLLBACK")
                    raise
                self._connection.execute("COMMIT")
            except sqlite3.Error as problem:
                with suppress(sqlite3.Error):
                    if self._connection.in_transaction:
                        self._connection.execute("ROLLBACK")
                raise StateUnavailable(str(problem)) from None

    def _execute(self, statement: str, *given: Any) -> list[tuple[Any, ...]]:
        return self._connection.execute(statement, given).fetchall()

    def hold(self, name: str, wait_s: float) -> AbstractContextManager[None]:
        """Held against the threads of this process."""
        return self._names.hold(name, wait_s)

    def migrate(self, migrations: Sequence[str]) -> None:
        """The version is SQLite's own `user_version`."""
        with self.transaction() as execute:
            for number in _missing(int(execute("PRAGMA user_version")[0][0]), migrations):
                for statement in _statements(migrations[number], SQLITE_TYPES):
                    execute(statement)
            execute(f"PRAGMA user_version = {len(migrations)}")

    def compact(self) -> None:
        """Deleted text is overwritten in the file; here it leaves the log too."""
        with self._access, suppress(sqlite3.Error):
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Close the file."""
        with self._access:
            self._connection.close()


class Postgres:
    """A few connections shared by the threads; names are advisory locks, so every worker sees them held.

    The locks live on one connection of their own: when the process or that connection dies, the server lets them go.
    """

    def __init__(self, url: str) -> None:
        try:
            self._driver: Any = import_module("psycopg")
        except ImportError:
            raise BadInput(
                "GPU_ADVISOR_DATABASE_URL", "needs the driver psycopg.", "Run: pip install 'gpu-advisor[postgres]'."
            ) from None
        self._url, self._names = url, Names()
        self._idle: queue.LifoQueue[tuple[Any, float]] = queue.LifoQueue()
        self._slots = threading.BoundedSemaphore(MOST_CONNECTIONS)
        self._holding, self._holder = threading.Lock(), self._connect()

    @contextmanager
    def transaction(self) -> Iterator[Execute]:
        """Each on a connection of its own; one that failed is not used again."""
        with self._slots:
            connection = self._taken()
            try:
                with connection.transaction():
                    yield lambda statement, *given: self._run(connection, statement, given)
            except self._driver.Error as problem:
                connection.close()
                self._drop_idle()  # whatever broke this connection may have broken them all
                raise StateUnavailable(_first_line(problem)) from None
            finally:
                if not connection.closed:
                    self._idle.put((connection, time.monotonic()))

    @contextmanager
    def hold(self, name: str, wait_s: float) -> Iterator[None]:
        """Held against every worker."""
        started = time.monotonic()
        with self._names.hold(name, wait_s):
            key = int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), signed=True)
            while not self._lock("SELECT pg_try_advisory_lock(?)", key):
                if time.monotonic() - started >= wait_s:
                    raise ConversationBusy(name)
                time.sleep(POLL_S)
            try:
                yield
            finally:
                with suppress(StateUnavailable):  # the server lets go of what a dead connection held
                    self._lock("SELECT pg_advisory_unlock(?)", key)

    def migrate(self, migrations: Sequence[str]) -> None:
        """The version is a table of one row; workers that start together take turns."""
        with self.transaction() as execute:
            execute("SELECT pg_advisory_xact_lock(?)", MIGRATING)
            execute("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)")
            rows = execute("SELECT version FROM schema_version")
            for number in _missing(rows[0][0] if rows else 0, migrations):
                for statement in _statements(migrations[number], POSTGRES_TYPES):
                    execute(statement)
            execute("DELETE FROM schema_version")
            execute("INSERT INTO schema_version (version) VALUES (?)", len(migrations))

    def compact(self) -> None:
        """Postgres does so by itself."""

    def close(self) -> None:
        """Close the connections at rest; those in use close when they are put back."""
        self._holder.close()
        self._drop_idle()

    def _drop_idle(self) -> None:
        with suppress(queue.Empty):
            while True:
                self._idle.get_nowait()[0].close()

    def _connect(self) -> Any:
        try:
            return self._driver.connect(self._url, autocommit=True, connect_timeout=5)
        except self._driver.Error as problem:
            raise StateUnavailable(_first_line(problem)) from None

    def _taken(self) -> Any:
        while True:
            try:
                connection, since = self._idle.get_nowait()
            except queue.Empty:
                return self._connect()
            if time.monotonic() - since < IDLE_S or self._alive(connection):
                return connection

    def _alive(self, connection: Any) -> bool:
        try:
            connection.execute("SELECT 1")
        except self._driver.Error:
            connection.close()
            return False
        return True

    def _lock(self, statement: str, key: int) -> bool:
        with self._holding:
            for last in (False, True):
                if self._holder.closed:
                    self._holder = self._connect()
                try:
                    return bool(self._run(self._holder, statement, (key,))[0][0])
                except self._driver.Error as problem:
                    self._holder.close()
                    if last:
                        raise StateUnavailable(_first_line(problem)) from None
        raise AssertionError("the second try either answers or raises")

    @staticmethod
    def _run(connection: Any, statement: str, given: Sequence[Any]) -> list[tuple[Any, ...]]:
        cursor = connection.execute(statement.replace("?", "%s"), given or None)
        return list(cursor.fetchall()) if cursor.description else []


def _missing(held: int, migrations: Sequence[str]) -> range:
    if held > len(migrations):
        raise BadInput("GPU_ADVISOR_HOME", "holds conversations of a newer version.", "Run that version, or restore.")
    return range(held, len(migrations))


def _statements(migration: str, types: dict[str, str]) -> list[str]:
    for name, kind in types.items():
        migration = migration.replace(name, kind)
    return [statement for statement in migration.split(";") if statement.strip()]


def _first_line(problem: Exception) -> str:
    return next(iter(str(problem).splitlines()), type(problem).__name__)
