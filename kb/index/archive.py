"""The library: documents, chunks, vectors, findings and their word index in one SQLite file, which is the truth.

All else is derived from it. A killed process leaves either the old document or the new one, never half of each."""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from pydantic import Field

from kb.base import Frozen, IndexUnavailable
from kb.index.connection import Reading, changing, folded, reading, reopen
from kb.index.index_words import without_markup, words
from kb.lock import exclusive
from kb.settings import settings
from kb.vectors.embedder import Spoken, Vectors, packed

SCHEMA = 7
"""Raised whenever chunks, words or tables change shape; an older library is filled anew from its documents."""
LANGUAGES = ("zh", "en")
WRITER_WAIT_S = 120.0

_TOKENIZER = "\"unicode61 tokenchars '.'\""
"""Words arrive ready made, `qwen2.5` among them."""
_TABLES = """
CREATE TABLE IF NOT EXISTS facts (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS documents (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, path TEXT NOT NULL, root TEXT NOT NULL, sha256 TEXT NOT NULL,
    title TEXT NOT NULL, language TEXT NOT NULL, date TEXT, trust TEXT NOT NULL, twin TEXT);
CREATE TABLE IF NOT EXISTS chunks (
    id INTEGER PRIMARY KEY AUTOINCREMENT, document INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL, section INTEGER NOT NULL, heading TEXT NOT NULL, text TEXT NOT NULL,
    line_start INTEGER NOT NULL, line_end INTEGER NOT NULL, page INTEGER, language TEXT NOT NULL, context TEXT NOT NULL,
    asked TEXT NOT NULL, sha256 TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS chunks_of_document ON chunks(document);
CREATE INDEX IF NOT EXISTS chunks_of_text ON chunks(sha256);
CREATE TABLE IF NOT EXISTS vectors (
    model TEXT NOT NULL, sha256 TEXT NOT NULL, vector BLOB NOT NULL, sentences BLOB,
    PRIMARY KEY (model, sha256)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS findings (
    document INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE, line INTEGER NOT NULL, finding TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS signatures (sha256 TEXT PRIMARY KEY, signature BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS folds (
    chunk INTEGER PRIMARY KEY REFERENCES chunks(id) ON DELETE CASCADE, kept INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS folds_of_kept ON folds(kept);
CREATE INDEX IF NOT EXISTS findings_of_document ON findings(document, line);
""" + "".join(
    f"CREATE VIRTUAL TABLE IF NOT EXISTS words_{language} USING fts5(head, body, about, asked, tokenize={_TOKENIZER});"
    f"CREATE VIRTUAL TABLE IF NOT EXISTS vocabulary_{language} USING fts5vocab(words_{language}, 'row');"
    for language in LANGUAGES
)


class Chunk(Frozen):
    """Consecutive lines of one section, small enough to cite."""

    section: int
    """Ordinal of the section in its document, the same in twins."""
    heading: str
    """Heading path below the title, ` › ` between levels."""
    text: str
    """Verbatim lines."""
    line_start: int
    line_end: int
    page: int | None = None
    language: str
    context: str = ""
    """Words that belong to the chunk without standing in it: keywords, the caption and columns of a split table."""
    asked: tuple[str, ...] = ()
    """Questions in other words that the chunk's section is known to answer."""


class Document(Frozen):
    """What is known of an ingested file."""

    name: str
    """What a citation calls it: the path, or `guidance/en/memory.md` for a bundled one."""
    path: str
    root: str
    """File or folder that was named when it was ingested; tells what a later sync of the same may remove."""
    sha256: str
    title: str
    language: str
    date: str | None = None
    trust: str = "user"
    twin: str | None = None
    """Key shared by translations of one document."""


class Entry(Frozen):
    """A document with its chunks and what the claim check found, ready to be stored."""

    document: Document
    chunks: tuple[Chunk, ...]
    findings: tuple[dict[str, Any], ...] = Field(default=())


class Library:
    """The SQLite file under the settings' home; cheap to construct."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or settings().home / "index"
        self.path = self.folder / "library.sqlite3"

    @staticmethod
    def afresh() -> None:
        """Look at the file itself from here on, not at what this thread remembers of it."""
        reopen()

    @contextmanager
    def reading(self) -> Iterator[Reading]:
        """A connection that sees one consistent state.

        Raises:
            IndexUnavailable: there is no library yet, or the file is damaged.
        """
        if not self.path.exists():
            raise IndexUnavailable("nothing has been ingested yet; run `gpu-advisor ingest PATH`.")
        with reading(self.path) as connection:
            yield connection

    @contextmanager
    def writer(self) -> Iterator[None]:
        """Be the only process that writes, for the block; makes the library when there is none.

        Raises:
            IndexUnavailable: another writer does not finish, or the folder cannot be written.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with exclusive(self.folder / "writer.lock", wait_s=WRITER_WAIT_S):
                self._prepare()
                yield
                folded(self.path)
        except (OSError, sqlite3.Error) as problem:
            raise IndexUnavailable(f"{self.folder} cannot be written: {problem}") from problem

    def documents(self) -> dict[str, Document]:
        """Every document by name; none when there is no library yet."""
        if not self.path.exists():
            return {}
        columns = ", ".join(Document.model_fields)
        with self.reading() as connection:
            rows = connection.execute(f"SELECT {columns} FROM documents ORDER BY name")  # noqa: S608 - own fields
            return {row["name"]: Document(**dict(row)) for row in rows}

    def fact(self, key: str) -> str | None:
        """A remembered value; null when there is none."""
        if not self.path.exists():
            return None
        with self.reading() as connection:
            if key not in connection.facts:
                found = connection.execute("SELECT value FROM facts WHERE key = ?", (key,)).fetchone()
                connection.facts[key] = str(found["value"]) if found else None
            return connection.facts[key]

    def fact_or_none(self, key: str) -> str | None:
        """Like `fact`, and null when the library is damaged, too."""
        with suppress(IndexUnavailable):
            return self.fact(key)
        return None

    def counts(self) -> dict[str, int]:
        """Documents, chunks, vectors and findings held."""
        tables = ("documents", "chunks", "vectors", "findings")
        if not self.path.exists():
            return dict.fromkeys(tables, 0)
        with self.reading() as connection:
            return {
                table: int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608 - own names
                for table in tables
            }

    def put(self, entry: Entry) -> None:
        """Store a document in place of its former self, whole or not at all."""
        with self._change() as connection:
            _drop(connection, entry.document.name)
            _insert(connection, entry)

    def drop(self, names: Iterable[str]) -> None:
        """Forget documents."""
        with self._change() as connection:
            for name in names:
                _drop(connection, name)

    def set_findings(self, found: Mapping[str, Sequence[dict[str, Any]]]) -> None:
        """Replace the findings of the documents named; no passage changes, so what was derived stays good."""
        with changing(self.path) as connection, connection:
            connection.execute("BEGIN IMMEDIATE")
            for name, findings in found.items():
                row = connection.execute("SELECT id FROM documents WHERE name = ?", (name,)).fetchone()
                if row is not None:
                    connection.execute("DELETE FROM findings WHERE document = ?", (row["id"],))
                    _insert_findings(connection, row["id"], findings)

    def remember(self, **values: str) -> None:
        """Keep values for `fact`."""
        with changing(self.path) as connection, connection:
            connection.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", values.items())

    def unembedded(self, model: str, languages: Sequence[str]) -> dict[str, Spoken]:
        """Digest → words of every chunk in these languages (all when none is named) that has no vector of `model`.

        One that repeats another is left out: it is found by the other's.
        """
        where = f"AND chunks.language IN ({','.join('?' * len(languages))})" if languages else ""
        with self.reading() as connection:
            rows = connection.execute(
                f"""SELECT chunks.*, documents.title FROM chunks JOIN documents ON documents.id = document
                    WHERE NOT EXISTS (SELECT 1 FROM vectors WHERE model = ? AND vectors.sha256 = chunks.sha256)
                    AND chunks.id NOT IN (SELECT chunk FROM folds) {where}""",  # noqa: S608 - placeholders only
                (model, *languages),
            ).fetchall()
        return {
            row["sha256"]: Spoken(
                spoken(row["title"], row["heading"], row["text"]),
                row["heading"].split(" › ")[-1] or row["title"],
                row["text"],
                tuple(row["asked"].split("\n")) if row["asked"] else (),
            )
            for row in rows
        }

    def put_vectors(
        self, model: str, digests: Sequence[str], vectors: Vectors, sentences: Sequence[Vectors] = ()
    ) -> None:
        """Store one vector a digest, and those of its sentences where there are any."""
        within = [packed(one) if one.size else None for one in sentences] or [None] * len(digests)
        rows = zip(digests, vectors, within, strict=True)
        with self._change() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)",
                [(model, digest, vector.tobytes(), parts) for digest, vector, parts in rows],
            )

    def forget_orphans(self, model: str) -> None:
        """Drop vectors of chunks that are gone, and of every other model."""
        orphans = "model <> ? OR sha256 NOT IN (SELECT sha256 FROM chunks)"
        with self.reading() as connection:
            if not connection.execute(f"SELECT 1 FROM vectors WHERE {orphans} LIMIT 1", (model,)).fetchone():  # noqa: S608
                return
        with self._change() as connection:
            connection.execute(f"DELETE FROM vectors WHERE {orphans}", (model,))  # noqa: S608 - own text

    def unsigned(self) -> dict[str, str]:
        """Digest → text of every chunk without a signature."""
        with self.reading() as connection:
            rows = connection.execute(
                "SELECT sha256, text FROM chunks WHERE sha256 NOT IN (SELECT sha256 FROM signatures)"
            )
            return {row["sha256"]: row["text"] for row in rows}

    def put_signatures(self, signed: Mapping[str, bytes]) -> None:
        """Keep what near-duplicates are found by, and forget it of texts that are gone."""
        with changing(self.path) as connection, connection:
            connection.executemany("INSERT OR REPLACE INTO signatures VALUES (?, ?)", signed.items())
            connection.execute("DELETE FROM signatures WHERE sha256 NOT IN (SELECT sha256 FROM chunks)")

    def signatures(self) -> dict[int, tuple[str, bytes, str]]:
        """Chunk → language, signature and digest; bundled ones first, then in the order they came."""
        with self.reading() as connection:
            rows = connection.execute(
                """SELECT chunks.id, chunks.language, signature, chunks.sha256 FROM chunks
                   JOIN signatures USING (sha256) JOIN documents ON documents.id = document
                   ORDER BY trust <> 'bundled', chunks.id"""
            )
            return {row["id"]: (row["language"], row["signature"], row["sha256"]) for row in rows}

    def set_folds(self, folds: Mapping[int, int]) -> None:
        """Have these chunks, and no others, stand behind the ones that they repeat: out of the word index."""
        with self.reading() as connection:
            former = {row["chunk"]: row["kept"] for row in connection.execute("SELECT chunk, kept FROM folds")}
        if former == dict(folds):
            return
        with self._change() as connection:
            for chunk in folds.keys() - former.keys():
                _forget_words(connection, chunk)
            for chunk in former.keys() - folds.keys():
                _learn_words(connection, chunk)
            connection.execute("DELETE FROM folds")
            connection.executemany("INSERT INTO folds VALUES (?, ?)", folds.items())

    def revision(self) -> int:
        """Number of changes so far; tells whether what was derived is stale."""
        return int(self.fact("revision") or 0)

    @contextmanager
    def _change(self) -> Iterator[sqlite3.Connection]:
        with changing(self.path) as connection, connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(
                "INSERT INTO facts VALUES ('revision', '1') ON CONFLICT (key) DO UPDATE SET value = value + 1"
            )
            yield connection

    def _prepare(self) -> None:
        """Make the tables; a damaged library, or one of another schema, is set aside: its documents are on disk."""
        self.afresh()
        try:
            sound = self.fact("schema") in {None, str(SCHEMA)} and self.is_sound()
        except IndexUnavailable:
            sound = False
        if not sound:
            files = (self.path.with_name(self.path.name + end) for end in ("", "-wal", "-shm"))
            for file in filter(Path.exists, files):
                file.replace(file.with_name(f"{file.name}.set-aside"))
        with changing(self.path) as connection:
            connection.executescript(_TABLES)
        self.remember(schema=str(SCHEMA))

    def is_sound(self) -> bool:
        """Whether every page of the file is as SQLite wrote it; false or IndexUnavailable when one is not."""
        if not self.path.exists():
            return True
        with changing(self.path) as connection:
            return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")


def spoken(title: str, heading: str, text: str) -> str:
    """What a vector is made of: title and headings give the text its subject; source markers say nothing."""
    bare = without_markup(text)
    return "\n".join(part for part in (title, "" if heading and heading in bare else heading, bare) if part)


def also_in(connection: sqlite3.Connection, chunk: int) -> tuple[str, ...]:
    """The other places where a chunk's text stands, nearly word for word: `document:line`."""
    rows = connection.execute(
        """SELECT name, line_start FROM folds JOIN chunks ON chunks.id = chunk JOIN documents ON documents.id = document
           WHERE kept = ? ORDER BY name, line_start""",
        (chunk,),
    )
    return tuple(f"{row['name']}:{row['line_start']}" for row in rows)


def _forget_words(connection: sqlite3.Connection, chunk: int) -> None:
    for language in LANGUAGES:
        connection.execute(f"DELETE FROM words_{language} WHERE rowid = ?", (chunk,))  # noqa: S608 - own names


def _learn_words(connection: sqlite3.Connection, chunk: int) -> None:
    """Put a chunk that is stored into the word index of its language."""
    row = connection.execute(
        "SELECT chunks.*, title FROM chunks JOIN documents ON documents.id = document WHERE chunks.id = ?", (chunk,)
    ).fetchone()
    if row is None:
        return
    table = f"words_{row['language'] if row['language'] in LANGUAGES else 'en'}"
    texts = (row["heading"] or row["title"], row["text"], f"{row['title']} {row['context']}")
    asked = row["asked"].split("\n") if row["asked"] else ()
    connection.execute(
        f"INSERT INTO {table} (rowid, head, body, about, asked) VALUES (?, ?, ?, ?, ?)",  # noqa: S608 - own names
        (chunk, *(" ".join(words(text)) for text in texts), " | ".join(" ".join(words(one)) for one in asked)),
    )


def _drop(connection: sqlite3.Connection, name: str) -> None:
    row = connection.execute("SELECT id FROM documents WHERE name = ?", (name,)).fetchone()
    if row is None:
        return
    for language in LANGUAGES:
        connection.execute(
            f"DELETE FROM words_{language} WHERE rowid IN (SELECT id FROM chunks WHERE document = ?)",  # noqa: S608
            (row["id"],),
        )
    connection.execute("DELETE FROM documents WHERE id = ?", (row["id"],))


def _insert(connection: sqlite3.Connection, entry: Entry) -> None:
    columns = entry.document.model_dump()
    key = connection.execute(
        f"INSERT INTO documents ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})",  # noqa: S608
        tuple(columns.values()),
    ).lastrowid
    title = entry.document.title
    for ordinal, chunk in enumerate(entry.chunks):
        asked = "\n".join(chunk.asked)
        said = spoken(title, chunk.heading, chunk.text) + (f"\n{asked}" if asked else "")
        fields = chunk.model_dump() | {
            "document": key,
            "ordinal": ordinal,
            "asked": asked,
            "sha256": hashlib.sha256(said.encode()).hexdigest(),
        }
        rowid = connection.execute(
            f"INSERT INTO chunks ({', '.join(fields)}) VALUES ({', '.join('?' * len(fields))})",  # noqa: S608
            tuple(fields.values()),
        ).lastrowid
        _learn_words(connection, int(rowid or 0))
    _insert_findings(connection, key, entry.findings)


def _insert_findings(connection: sqlite3.Connection, document: int | None, found: Sequence[dict[str, Any]]) -> None:
    connection.executemany(
        "INSERT INTO findings VALUES (?, ?, ?)",
        [(document, finding["line"], json.dumps(finding, ensure_ascii=False)) for finding in found],
    )
