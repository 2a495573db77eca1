"""Conversations in SQLite: every acknowledged turn is on disk, and one conversation runs one turn at a time."""

import json
import re
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assistant.answer import Answer
from kb.base import BadInput, ConversationBusy

SCHEMA_VERSION = 2
SCHEMA = """
CREATE TABLE IF NOT EXISTS conversation (
    id TEXT PRIMARY KEY, title TEXT NOT NULL, created_s REAL NOT NULL, updated_s REAL NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS turn (
    conversation_id TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    answer TEXT NOT NULL,
    created_s REAL NOT NULL,
    PRIMARY KEY (conversation_id, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS share (
    token TEXT PRIMARY KEY,
    conversation_id TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    turns INTEGER NOT NULL,
    created_s REAL NOT NULL,
    UNIQUE (conversation_id, turns)
) STRICT;
CREATE TABLE IF NOT EXISTS judgement (
    conversation_id TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    answer_id TEXT NOT NULL,
    helpful INTEGER NOT NULL,
    note TEXT,
    at_s REAL NOT NULL,
    PRIMARY KEY (conversation_id, answer_id)
) STRICT, WITHOUT ROWID;
"""
ID_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}")
LONGEST_TITLE = 80
LONGEST_WAIT_S = 30.0
"""A second question in the same conversation waits this long for the first before it is refused."""


class Conversations:
    """Turns by conversation, appended in one transaction each.

    Safe between threads (one lock a conversation, one connection guarded by a lock) and between processes (SQLite
    with a write-ahead log, synced at every commit, so a killed process loses no acknowledged turn).
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._connection = sqlite3.connect(path, timeout=10, isolation_level=None, check_same_thread=False)
        self._access = threading.Lock()
        self._turns: dict[str, tuple[threading.Lock, int]] = {}
        with self._access:
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL")
            self._connection.execute("PRAGMA foreign_keys = ON")
            self._connection.executescript(SCHEMA)
            self._connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    @contextmanager
    def turn(self, conversation_id: str, wait_s: float = LONGEST_WAIT_S) -> Iterator[None]:
        """Hold the conversation while one question is answered; others wait in line.

        Raises:
            BadInput: the id is not one this store would keep.
            ConversationBusy: the line did not move within `wait_s`.
        """
        check_id(conversation_id)
        with self._access:
            lock, holders = self._turns.get(conversation_id, (threading.Lock(), 0))
            self._turns[conversation_id] = (lock, holders + 1)
        try:
            if not lock.acquire(timeout=wait_s):
                raise ConversationBusy(conversation_id)
            try:
                yield
            finally:
                lock.release()
        finally:
            with self._access:
                lock, holders = self._turns[conversation_id]
                if holders == 1:
                    del self._turns[conversation_id]
                else:
                    self._turns[conversation_id] = (lock, holders - 1)

    def append(self, answer: Answer) -> int:
        """Store a turn durably; returns its number, counted from 1."""
        now = time.time()
        text = answer.model_dump_json()
        with self._access, self._transaction():
            self._connection.execute(
                "INSERT INTO conversation (id, title, created_s, updated_s) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (id) DO UPDATE SET updated_s = excluded.updated_s",
                (answer.conversation_id, " ".join(answer.question.split())[:LONGEST_TITLE], now, now),
            )
            row = self._connection.execute(
                "INSERT INTO turn (conversation_id, number, answer, created_s) "
                "SELECT ?1, COALESCE(MAX(number), 0) + 1, ?2, ?3 FROM turn WHERE conversation_id = ?1 RETURNING number",
                (answer.conversation_id, text, now),
            ).fetchone()
        return int(row[0])

    def history(self, conversation_id: str, last: int | None = None) -> list[Answer]:
        """The turns of a conversation, oldest first; only the `last` few when asked."""
        check_id(conversation_id)
        with self._access:
            rows = self._connection.execute(
                "SELECT answer FROM turn WHERE conversation_id = ? ORDER BY number DESC LIMIT ?",
                (conversation_id, -1 if last is None else last),
            ).fetchall()
        return [Answer.model_validate(json.loads(text)) for (text,) in reversed(rows)]

    def listing(self, limit: int = 50) -> list[dict[str, str | float]]:
        """The latest conversations: id, title, when created and last used."""
        with self._access:
            rows = self._connection.execute(
                "SELECT id, title, created_s, updated_s FROM conversation ORDER BY updated_s DESC LIMIT ?", (limit,)
            ).fetchall()
        return [dict(zip(("id", "title", "created_s", "updated_s"), row, strict=True)) for row in rows]

    def delete(self, conversation_id: str) -> bool:
        """Forget a conversation with all its turns; says whether there was one."""
        with self._access:
            done = self._connection.execute("DELETE FROM conversation WHERE id = ?", (conversation_id,))
            return done.rowcount > 0

    def rename(self, conversation_id: str, title: str) -> bool:
        """Give a conversation another title; says whether there is one.

        Raises:
            BadInput: the title is empty.
        """
        title = " ".join(title.split())[:LONGEST_TITLE]
        if not title:
            raise BadInput("title", "is empty.", "Write a few words.")
        with self._access:
            done = self._connection.execute("UPDATE conversation SET title = ? WHERE id = ?", (title, conversation_id))
            return done.rowcount > 0

    def share(self, conversation_id: str) -> str | None:
        """The token under which the turns so far can be read by whoever holds it; null for no such conversation.

        Later turns are not shared by it, and the same turns keep their token.
        """
        with self._access, self._transaction():
            (turns,) = self._connection.execute(
                "SELECT COUNT(*) FROM turn WHERE conversation_id = ?", (conversation_id,)
            ).fetchone()
            if not turns:
                return None
            row = self._connection.execute(
                "INSERT INTO share (token, conversation_id, turns, created_s) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (conversation_id, turns) DO UPDATE SET turns = excluded.turns RETURNING token",
                (secrets.token_urlsafe(18), conversation_id, turns, time.time()),
            ).fetchone()
        return str(row[0])

    def shared(self, token: str) -> list[Answer]:
        """The turns a token opens, oldest first; none for an unknown token."""
        with self._access:
            rows = self._connection.execute(
                "SELECT answer FROM turn JOIN share USING (conversation_id) "
                "WHERE token = ? AND number <= turns ORDER BY number",
                (token,),
            ).fetchall()
        return [Answer.model_validate(json.loads(text)) for (text,) in rows]

    def unshare(self, conversation_id: str) -> int:
        """Close every link to a conversation; says how many there were."""
        with self._access:
            done = self._connection.execute("DELETE FROM share WHERE conversation_id = ?", (conversation_id,))
            return done.rowcount

    def judge(self, conversation_id: str, answer_id: str, *, helpful: bool, note: str | None = None) -> None:
        """Keep whether an answer helped; a later judgement of it replaces the former."""
        with self._access:
            self._connection.execute(
                "INSERT OR REPLACE INTO judgement (conversation_id, answer_id, helpful, note, at_s) "
                "VALUES (?, ?, ?, ?, ?)",
                (conversation_id, answer_id, int(helpful), note, time.time()),
            )

    def judgements(self, conversation_id: str) -> dict[str, bool]:
        """Answer id → whether it helped, for the answers that were judged."""
        with self._access:
            rows = self._connection.execute(
                "SELECT answer_id, helpful FROM judgement WHERE conversation_id = ?", (conversation_id,)
            ).fetchall()
        return {answer_id: bool(helpful) for answer_id, helpful in rows}

    def close(self) -> None:
        """Close the file; the store cannot be used afterwards."""
        with self._access:
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


def check_id(conversation_id: str) -> None:
    """Refuse an id that is empty, overlong or made of anything but letters, digits and `._:-`.

    Raises:
        BadInput: naming the field and what would do.
    """
    if not ID_PATTERN.fullmatch(conversation_id):
        raise BadInput(
            "conversation_id",
            "not a valid conversation id.",
            "Use 1 to 128 letters, digits or any of . _ : - and begin with a letter or digit.",
        )
