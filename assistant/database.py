"""Where state is kept: SQLite in the home with one writer, or Postgres, which several workers share."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

from kb.base import BadInput, ConversationBusy

T = TypeVar("T")
Execute = Callable[..., list[tuple[Any, ...]]]
"""Runs one statement, written with `?` for its values, and gives its rows."""


class Database(Protocol):
    """One transaction at a time a thread, and names that only one holder has."""

    def transaction(self) -> AbstractContextManager[Execute]:
        """All or nothing, on disk when it ends.

        Raises:
            StateUnavailable: it cannot be reached, is full or broken.
        """
        ...

    def write(self, work: Callable[[Execute], T]) -> T:
        """One transaction, which may share its commit, and the thread that runs it, with others that wait; for short
        work that comes often. What `work` raises takes back what it did.

        Raises:
            StateUnavailable: as `transaction`.
        """
        ...

    def reading(self) -> AbstractContextManager[Execute]:
        """Statements that only read, each of what is kept at that moment; waits for no writer.

        Raises:
            StateUnavailable: it cannot be reached or is broken.
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
        from assistant.sqlite_file import SqliteFile

        return SqliteFile(path)
    if url.startswith(("postgresql://", "postgres://")):
        from assistant.postgres import Postgres

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


def missing(held: int, migrations: Sequence[str]) -> range:
    """Numbers of the migrations that tables of version `held` have not seen.

    Raises:
        BadInput: the tables are of a newer version of this program.
    """
    if held > len(migrations):
        raise BadInput("GPU_ADVISOR_HOME", "holds conversations of a newer version.", "Run that version, or restore.")
    return range(held, len(migrations))


def statements(migration: str, types: dict[str, str]) -> list[str]:
    """The statements of a migration, with each name in braces as the database writes it."""
    for name, kind in types.items():
        migration = migration.replace(name, kind)
    return [statement for statement in migration.split(";") if statement.strip()]
