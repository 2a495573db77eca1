"""Conversations: every acknowledged turn is on disk, and one conversation runs one turn at a time."""

import hashlib
import json
import logging
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assistant.answer import Answer
from assistant.database import Database, Execute, database
from assistant.schema import MIGRATIONS
from assistant.told import Told, unpacked, whole
from kb.base import BadInput, StateUnavailable

logger = logging.getLogger(__name__)
ID_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}")
LONGEST_WAIT_S = 30.0
"""A second question in the same conversation waits this long for the first before it is refused."""
RECEIPT_S = 24 * 3600.0
"""How long a repeated request is known again."""
LONGEST_TITLE = 80
DAY_S = 86_400.0

KEPT = {
    "conversation": ("id", ("id", "title", "created_s", "updated_s", "owner")),
    "turn": ("conversation_id", ("conversation_id", "number", "answer", "created_s", "question", "need")),
    "share": ("conversation_id", ("token", "conversation_id", "turns", "created_s")),
    "judgement": ("conversation_id", ("conversation_id", "answer_id", "helpful", "note", "at_s")),
}
"""What a backup holds: by table the column that names the conversation, and all columns. A receipt is of a day."""

LATER = {"question", "need"}
"""Columns that older backups lack."""

owner: ContextVar[str | None] = ContextVar("owner", default=None)
"""Who asks, where that is known: a conversation begun by one is not there for another. None sees all."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What lets a repeated request be answered from what was kept: whose it is, and a digest of what was asked."""

    key: str
    body: str

    @classmethod
    def of(cls, key: str, body: Mapping[str, Any]) -> "Receipt":
        """The receipt of a request with this idempotency key; keys of different people do not meet."""
        named = json.dumps([owner.get(), key])
        return cls(_digest(named), _digest(json.dumps(body, sort_keys=True, ensure_ascii=True)))


@dataclass(frozen=True, slots=True)
class Said:
    """What a turn leaves for the next one."""

    question: str
    need: str
    """What was understood by then, as JSON."""

    @classmethod
    def of(cls, answer: Answer) -> "Said":
        """Of a turn that was kept before these stood in columns of their own."""
        return cls(answer.question, answer.need.model_dump_json())


class Conversations:
    """Turns by conversation, appended in one transaction each; see `assistant.database` for what holds when.

    A database that is away, or on a full disk, is opened as soon as it can be; until then everything here raises
    StateUnavailable.
    """

    def __init__(
        self, path: Path, database_url: str | None = None, forgotten: Callable[[], None] = lambda: None
    ) -> None:
        self._address, self._path = database_url, path
        self._opening = threading.Lock()
        self._open: Database | None = None
        self._forgotten = forgotten
        """Told whenever something was deleted, so that nobody keeps a copy of it."""
        try:
            _ = self._database
        except StateUnavailable as problem:
            logger.warning("conversations are not kept for now: %s", problem.reason)

    @property
    def _database(self) -> Database:
        """The database with its tables, opened on first use.

        Raises:
            StateUnavailable: it is away, or cannot be written.
            BadInput: its address is none, or its tables are of a newer version of this program.
        """
        with self._opening:
            if self._open is None:
                found = database(self._address, self._path)
                found.migrate(MIGRATIONS)
                self._open = found
            return self._open

    def turn(self, conversation_id: str, wait_s: float = LONGEST_WAIT_S) -> AbstractContextManager[None]:
        """Hold the conversation while one question is answered; others wait in line.

        Raises:
            BadInput: the id is not one this store would keep, or the conversation is somebody else's.
            ConversationBusy: the line did not move within `wait_s`.
        """
        check_id(conversation_id)
        if owner.get() is not None:
            with self._database.reading() as execute:
                if not _is_open(execute, conversation_id):
                    raise BadInput("conversation_id", "is taken.", "Leave it out to begin a new conversation.")
        return self._database.hold(conversation_id, wait_s)

    def receiving(self, receipt: Receipt, wait_s: float = LONGEST_WAIT_S) -> AbstractContextManager[None]:
        """Hold an idempotency key while its request is answered.

        Raises:
            ConversationBusy: the request that bears it is still running.
        """
        return self._database.hold(f"receipt:{receipt.key}", wait_s)

    def answered(self, receipt: Receipt) -> Answer | None:
        """The answer already given to the request of this receipt.

        Raises:
            BadInput: the key was used for another request.
        """
        with self._database.reading() as execute:
            rows = execute(
                "SELECT receipt.body, turn.answer, turn.packed FROM receipt JOIN turn ON turn.conversation_id = "
                "receipt.conversation_id AND turn.number = receipt.number WHERE key = ? AND receipt.created_s > ?",
                receipt.key,
                time.time() - RECEIPT_S,
            )
        if not rows:
            return None
        body, text, packed = rows[0]
        if body != receipt.body:
            raise BadInput("Idempotency-Key", "was used for another request.", "Use a new key for a new request.")
        return _answer(text, packed)

    def append(self, answer: Answer | Told, receipt: Receipt | None = None) -> int:
        """Store a turn durably, with the receipt of its request; returns its number, counted from 1."""
        told = Told.of(answer) if isinstance(answer, Answer) else answer
        now, gist, own, packed = time.time(), told.gist, told.own, told.packed
        name, mine = gist.conversation_id, owner.get()

        def append(execute: Execute) -> int:
            execute(  # also makes other writers of this conversation wait, so that numbers do not collide
                "INSERT INTO conversation (id, title, created_s, updated_s, owner) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT (id) DO UPDATE SET updated_s = excluded.updated_s",
                name, " ".join(gist.question.split())[:LONGEST_TITLE], now, now, mine,
            )  # fmt: skip
            rows = execute(
                "INSERT INTO turn (conversation_id, number, answer, packed, created_s, question, need) VALUES "
                "(?, (SELECT COALESCE(MAX(number), 0) + 1 FROM turn WHERE conversation_id = ?), ?, ?, ?, ?, ?) "
                "RETURNING number",
                name, name, own, packed, now, gist.question, gist.need,
            )  # fmt: skip
            number = int(rows[0][0])
            if receipt is not None:
                execute("DELETE FROM receipt WHERE key = ? OR created_s < ?", receipt.key, now - RECEIPT_S)
                execute(
                    "INSERT INTO receipt (key, body, conversation_id, number, created_s) VALUES (?, ?, ?, ?, ?)",
                    receipt.key, receipt.body, name, number, now,
                )  # fmt: skip
            return number

        return self._database.write(append)

    def history(self, conversation_id: str, last: int | None = None) -> list[Answer]:
        """The turns of a conversation, oldest first; only the `last` few when asked."""
        check_id(conversation_id)
        with self._database.reading() as execute:
            if not _is_open(execute, conversation_id):
                return []
            rows = execute(
                "SELECT answer, packed FROM turn WHERE conversation_id = ? ORDER BY number DESC LIMIT ?",
                conversation_id, 2**31 if last is None else last,
            )  # fmt: skip
        return [_answer(*row) for row in reversed(rows)]

    def said(self, conversation_id: str, last: int) -> list[Said]:
        """What the last few turns of a conversation said, oldest first; far cheaper than their answers."""
        check_id(conversation_id)
        with self._database.reading() as execute:
            if not _is_open(execute, conversation_id):
                return []
            rows = execute(
                "SELECT question, need, CASE WHEN need IS NULL THEN answer END FROM turn WHERE conversation_id = ? "
                "ORDER BY number DESC LIMIT ?",
                conversation_id, last,
            )  # fmt: skip
        return [Said(question, need) if need else Said.of(_answer(text)) for question, need, text in reversed(rows)]

    def listing(self, limit: int = 50, offset: int = 0) -> list[dict[str, str | float]]:
        """The latest conversations of who asks: id, title, when created and last used."""
        mine = owner.get()
        with self._database.reading() as execute:
            rows = execute(
                "SELECT id, title, created_s, updated_s FROM conversation WHERE owner = ? OR ? = 1 "
                "ORDER BY updated_s DESC, id LIMIT ? OFFSET ?",
                mine, int(mine is None), limit, offset,
            )  # fmt: skip
        return [dict(zip(("id", "title", "created_s", "updated_s"), row, strict=True)) for row in rows]

    def rename(self, conversation_id: str, title: str) -> bool:
        """Give a conversation another title; says whether there was one.

        Raises:
            BadInput: the title is empty.
        """
        check_id(conversation_id)
        if not (words := " ".join(title.split())[:LONGEST_TITLE]):
            raise BadInput("title", "is empty.", "Write a few words.")
        with self._database.transaction() as execute:
            return _is_open(execute, conversation_id) and bool(
                execute("UPDATE conversation SET title = ? WHERE id = ? RETURNING id", words, conversation_id)
            )

    def delete(self, conversation_id: str) -> bool:
        """Forget a conversation with all its turns; says whether there was one."""
        check_id(conversation_id)
        with self._database.transaction() as execute:
            done = _is_open(execute, conversation_id) and bool(
                execute("DELETE FROM conversation WHERE id = ? RETURNING id", conversation_id)
            )
        self._database.compact()
        if done:
            self._forgotten()
        return done

    def share(self, conversation_id: str) -> str | None:
        """The token under which the turns so far can be read by whoever holds it; null for no such conversation.

        Later turns are not shared by it, and the same turns keep their token.
        """
        check_id(conversation_id)
        with self._database.transaction() as execute:
            turns = execute("SELECT COUNT(*) FROM turn WHERE conversation_id = ?", conversation_id)[0][0]
            if not turns or not _is_open(execute, conversation_id):
                return None
            rows = execute(
                "INSERT INTO share (token, conversation_id, turns, created_s) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (conversation_id, turns) DO UPDATE SET turns = excluded.turns RETURNING token",
                secrets.token_urlsafe(18), conversation_id, turns, time.time(),
            )  # fmt: skip
        return str(rows[0][0])

    def shared(self, token: str) -> list[Answer]:
        """The turns a token opens, oldest first; none for an unknown token."""
        with self._database.reading() as execute:
            rows = execute(
                "SELECT answer, packed FROM turn JOIN share ON share.conversation_id = turn.conversation_id "
                "WHERE token = ? AND number <= turns ORDER BY number",
                token,
            )
        return [_answer(*row) for row in rows]

    def unshare(self, conversation_id: str) -> int:
        """Close every link to a conversation; says how many there were."""
        check_id(conversation_id)
        with self._database.transaction() as execute:
            if not _is_open(execute, conversation_id):
                return 0
            return len(execute("DELETE FROM share WHERE conversation_id = ? RETURNING token", conversation_id))

    def judge(self, conversation_id: str, answer_id: str, *, helpful: bool, note: str | None = None) -> None:
        """Keep whether an answer helped; a later judgement of it replaces the former."""
        with self._database.transaction() as execute:
            execute(
                "INSERT INTO judgement (conversation_id, answer_id, helpful, note, at_s) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT (conversation_id, answer_id) DO UPDATE SET helpful = excluded.helpful, "
                "note = excluded.note, at_s = excluded.at_s",
                conversation_id, answer_id, int(helpful), note, time.time(),
            )  # fmt: skip

    def judgements(self, conversation_id: str) -> dict[str, bool]:
        """Answer id → whether it helped, for the answers that were judged."""
        with self._database.reading() as execute:
            rows = execute("SELECT answer_id, helpful FROM judgement WHERE conversation_id = ?", conversation_id)
        return {answer_id: bool(helpful) for answer_id, helpful in rows}

    def forget(self, *, unused_days: float = 0.0, owned_by: str | None = None) -> int:
        """Delete the conversations not used for so long, or all of one person; says how many."""
        before = time.time() - unused_days * DAY_S
        with self._database.transaction() as execute:
            gone = execute(
                "DELETE FROM conversation WHERE updated_s <= ? AND (owner = ? OR ? = 1) RETURNING id",
                before, owned_by, int(owned_by is None),
            )  # fmt: skip
            execute("DELETE FROM receipt WHERE created_s < ?", time.time() - RECEIPT_S)
        self._database.compact()
        if gone:
            self._forgotten()
        return len(gone)

    def check(self) -> None:
        """Read, as a question would.

        Raises:
            StateUnavailable: the database is away, locked or broken.
        """
        with self._database.reading() as execute:
            execute("SELECT id FROM conversation LIMIT 1")

    def export(self) -> Iterator[dict[str, Any]]:
        """Every conversation with its turns, links and judgements as plain data, for a backup."""
        with self._database.reading() as execute:
            names = [name for (name,) in execute("SELECT id FROM conversation ORDER BY id")]
        for name in names:
            with self._database.reading() as execute:
                kept = {table: _rows(execute, table, key, name) for table, (key, _) in KEPT.items()}
            if kept["conversation"]:  # it may have been deleted meanwhile
                yield kept

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Put one conversation of a backup back, in place of one of that id.

        Raises:
            KeyError, TypeError, ValueError: this is none.
        """
        name = kept["conversation"][0]["id"]
        check_id(name)
        for turn in kept["turn"]:
            _answer(turn["answer"])
        with self._database.transaction() as execute:
            execute("DELETE FROM conversation WHERE id = ?", name)
            for table, (key, fields) in KEPT.items():
                marks = ", ".join("?" for _ in fields)
                for row in kept[table]:
                    if row[key] != name:
                        raise ValueError(f"a {table} of another conversation")
                    given = [row.get(field) if field in LATER else row[field] for field in fields]
                    execute(f"INSERT INTO {table} ({', '.join(fields)}) VALUES ({marks})", *given)  # noqa: S608 - KEPT

    def close(self) -> None:
        """Let go of the database; the store cannot be used afterwards."""
        if self._open is not None:
            self._open.close()


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


def _is_open(execute: Execute, conversation_id: str) -> bool:
    """Whether who asks may see the conversation: it is theirs, nobody's, or not there."""
    mine = owner.get()
    if mine is None:
        return True
    rows = execute("SELECT owner FROM conversation WHERE id = ?", conversation_id)
    return not rows or rows[0][0] in (None, mine)


def _rows(execute: Execute, table: str, key: str, name: str) -> list[dict[str, Any]]:
    fields = (*KEPT[table][1], *(("packed",) if table == "turn" else ()))
    rows = execute(f"SELECT {', '.join(fields)} FROM {table} WHERE {key} = ? ORDER BY 1, 2", name)  # noqa: S608 - KEPT
    plain = [dict(zip(fields, row, strict=True)) for row in rows]
    for one in plain:
        if "packed" in one:
            one["answer"] = _whole(one["answer"], one.pop("packed"))
    return plain


def _answer(text: str, packed: bytes | None = None) -> Answer:
    return Answer.model_validate(json.loads(_whole(text, packed)))


def _whole(text: str, packed: bytes | None) -> str:
    """The JSON of an answer, of the two columns it may stand in."""
    return text if packed is None else whole(text, unpacked(packed))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
