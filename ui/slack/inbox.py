"""What Slack delivered, kept on disk before it is acknowledged, so that each thing is answered exactly once."""

import json
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import Field

from kb.base import Frozen

SCHEMA = """
CREATE TABLE IF NOT EXISTS job (
    key TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    thread TEXT NOT NULL,
    channel TEXT NOT NULL,
    ts_us INTEGER NOT NULL,
    arrived_s REAL NOT NULL,
    ready_s REAL NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done')),
    data TEXT NOT NULL,
    noted TEXT NOT NULL DEFAULT '{}',
    tries INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX IF NOT EXISTS job_by_state ON job (state, ready_s);
CREATE INDEX IF NOT EXISTS job_by_thread ON job (thread, state);
"""
CLAIM = """
SELECT key FROM job AS mine WHERE state = 'waiting' AND ready_s <= ?1
AND NOT EXISTS (
    SELECT 1 FROM job AS other WHERE other.thread = mine.thread AND (
        other.state = 'running'
        OR (other.state = 'waiting' AND (other.ts_us, other.key) < (mine.ts_us, mine.key))))
AND (SELECT count(*) FROM job AS near WHERE near.channel = mine.channel AND near.state = 'running') < ?2
ORDER BY ready_s, ts_us LIMIT 1
"""
REMEMBERED_S = 3 * 24 * 3600.0
"""A second delivery comes within the hour and a replay is refused after five minutes; this is far beyond both."""
MOST_PER_CHANNEL = 3
"""Jobs of one channel at once: a busy channel that Slack slows down holds back no other."""
POLL_S = 0.25


class Job(Frozen):
    """Something to do for Slack."""

    key: str
    """The same for every delivery of the same thing."""
    kind: str
    thread: str
    """Jobs of one thread run one after the other, in the order of `ts_us`."""
    channel: str
    ts_us: int = 0
    """When it was said, by Slack's clock, in microseconds."""
    data: dict[str, Any] = Field(default_factory=dict)
    noted: dict[str, Any] = Field(default_factory=dict)
    """What of it was done before the process was stopped."""
    tries: int = 0


class Inbox:
    """A queue in SQLite; safe between threads. One process holds it at a time."""

    def __init__(self, path: Path, most_per_channel: int = MOST_PER_CHANNEL) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._connection = sqlite3.connect(path, timeout=10, isolation_level=None, check_same_thread=False)
        self._changed = threading.Condition()
        self._most_per_channel = most_per_channel
        self._swept_s = 0.0
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "secure_delete = ON"):
            self._connection.execute(f"PRAGMA {pragma}")
        self._connection.executescript(SCHEMA)

    def resume(self) -> None:
        """Put back what a former process began and did not finish."""
        with self._changed:
            self._connection.execute("UPDATE job SET state = 'waiting' WHERE state = 'running'")

    def put(self, job: Job, hold_s: float = 0.0) -> bool:
        """Keep a job, synced to disk; false when it was delivered before.

        `hold_s` lets an earlier message of the same thread, delivered a moment later, go first.
        """
        now = time.time()
        with self._changed:
            done = self._connection.execute(
                "INSERT INTO job (key, kind, thread, channel, ts_us, arrived_s, ready_s, state, data) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, 'waiting', ?) ON CONFLICT (key) DO NOTHING",
                (job.key, job.kind, job.thread, job.channel, job.ts_us, now, now + hold_s, _json(job.data)),
            )
            if now - self._swept_s > 3600:
                self._swept_s = now
                old = (now - REMEMBERED_S,)
                self._connection.execute("DELETE FROM job WHERE state = 'done' AND arrived_s < ?", old)
            self._changed.notify()
            return done.rowcount == 1

    def claim(self, stop: threading.Event) -> Job | None:
        """The next job whose turn it is, waiting for one; none once `stop` is set."""
        while not stop.is_set():
            with self._changed:
                row = self._connection.execute(CLAIM, (time.time(), self._most_per_channel)).fetchone()
                if row is not None:
                    taken = self._connection.execute(
                        "UPDATE job SET state = 'running', tries = tries + 1 WHERE key = ? "
                        "RETURNING key, kind, thread, channel, ts_us, data, noted, tries",
                        row,
                    ).fetchone()
                    names = ("key", "kind", "thread", "channel", "ts_us", "data", "noted", "tries")
                    fields = dict(zip(names, taken, strict=True))
                    parsed = {name: json.loads(fields[name]) for name in ("data", "noted")}
                    return Job.model_validate(fields | parsed)
                self._changed.wait(POLL_S)
        return None

    def note(self, key: str, **facts: Any) -> None:
        """Remember what of a job is done already."""
        with self._changed, self._transaction():
            (text,) = self._connection.execute("SELECT noted FROM job WHERE key = ?", (key,)).fetchone()
            self._connection.execute("UPDATE job SET noted = ? WHERE key = ?", (_json(json.loads(text) | facts), key))

    def done(self, key: str) -> None:
        """A job is over: its key stays, so that it is never done again; what was said does not."""
        with self._changed:
            self._connection.execute("UPDATE job SET state = 'done', data = '{}', noted = '{}' WHERE key = ?", (key,))
            self._changed.notify_all()

    def later(self, key: str, delay_s: float) -> None:
        """Put a job back, to be tried again after a while."""
        with self._changed:
            self._connection.execute(
                "UPDATE job SET state = 'waiting', ready_s = ? WHERE key = ?", (time.time() + delay_s, key)
            )

    def waiting(self) -> int:
        """How many jobs are not done."""
        with self._changed:
            return int(self._connection.execute("SELECT count(*) FROM job WHERE state != 'done'").fetchone()[0])

    def holds(self, thread: str, kinds: tuple[str, ...]) -> bool:
        """Whether a job of one of these kinds was ever delivered in the thread."""
        marks = ", ".join("?" * len(kinds))
        with self._changed:
            row = self._connection.execute(
                f"SELECT 1 FROM job WHERE thread = ? AND kind IN ({marks}) LIMIT 1",  # noqa: S608 - only marks
                (thread, *kinds),
            ).fetchone()
        return row is not None

    def wake(self) -> None:
        """Let those who wait for a job look whether they are to stop."""
        with self._changed:
            self._changed.notify_all()

    def close(self) -> None:
        """Close the file."""
        with self._changed:
            self._connection.close()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
