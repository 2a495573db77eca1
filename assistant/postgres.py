"""State in a Postgres, which several workers share."""

import hashlib
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any

from assistant.database import Execute, Names, T, missing, statements
from kb.base import BadInput, ConversationBusy, StateUnavailable

POLL_S = 0.05
MOST_CONNECTIONS = 8
IDLE_S = 30.0
"""A connection that rested this long is tried before it is used: a database restarts, a proxy hangs up."""
MIGRATING = 0x67707561
"""Number of the Postgres lock under which the tables are made or changed."""
TYPES = {"{real}": "DOUBLE PRECISION", "{bytes}": "BYTEA", "{options}": ""}
"""What stands for the names in braces of a migration."""


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
        """Each on a connection of its own."""
        with self._lent() as connection, connection.transaction():
            yield lambda statement, *given: self._run(connection, statement, given)

    def write(self, work: Callable[[Execute], T]) -> T:
        """A transaction of its own: the server itself groups commits."""
        with self.transaction() as execute:
            return work(execute)

    @contextmanager
    def _lent(self) -> Iterator[Any]:
        """A connection for a while; one that failed is not used again."""
        with self._slots:
            connection = self._taken()
            try:
                yield connection
            except self._driver.Error as problem:
                connection.close()
                self._drop_idle()  # whatever broke this connection may have broken them all
                raise StateUnavailable(_first_line(problem)) from None
            finally:
                if not connection.closed:
                    self._idle.put((connection, time.monotonic()))

    @contextmanager
    def reading(self) -> Iterator[Execute]:
        """Each statement by itself: no round trips to begin and to end."""
        with self._lent() as connection:
            yield lambda statement, *given: self._run(connection, statement, given)

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
            for number in missing(rows[0][0] if rows else 0, migrations):
                for statement in statements(migrations[number], TYPES):
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


def _first_line(problem: Exception) -> str:
    return next(iter(str(problem).splitlines()), type(problem).__name__)
