"""What the word index holds of a chunk: the words of its text, heading, title and of the questions it answers."""

import sqlite3
from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Indexed:
    """A chunk with its document, and its words by where they stand."""

    row: sqlite3.Row
    body: frozenset[str]
    head: frozenset[str]
    about: frozenset[str]
    """Words of the title and the keywords."""
    asked: frozenset[str]
    """Words of all questions that it is known to answer."""
    questions: tuple[frozenset[str], ...]
    """Words of each of them."""


def indexed(connection: sqlite3.Connection, keys: Collection[int], language: str) -> list[Indexed]:
    """Those of the chunks that are in `language`."""
    places = ",".join("?" * len(keys))
    words = connection.execute(
        f"SELECT rowid, body, head, about, asked FROM words_{language} WHERE rowid IN ({places})",  # noqa: S608
        tuple(keys),
    )
    held = {row["rowid"]: row for row in words}
    # Joined to the word index, the planner may walk through all of it.
    rows = connection.execute(
        f"""SELECT chunks.*, documents.name, documents.title, documents.date, documents.trust, documents.twin
            FROM chunks JOIN documents ON documents.id = chunks.document
            WHERE chunks.id IN ({places})""",  # noqa: S608 - placeholders only
        tuple(keys),
    )
    return [_indexed(row, held[row["id"]]) for row in rows if row["id"] in held]


def beginning(connection: sqlite3.Connection, twin: str, section: int, language: str) -> sqlite3.Row | None:
    """The first chunk of a section, with its document, of the translation in a language; null without one."""
    found: sqlite3.Row | None = connection.execute(
        """SELECT chunks.*, documents.name, documents.title, documents.date, documents.trust, documents.twin
           FROM chunks JOIN documents ON documents.id = chunks.document
           WHERE documents.twin = ? AND documents.language = ? AND chunks.section = ? ORDER BY chunks.id LIMIT 1""",
        (twin, language, section),
    ).fetchone()
    return found


def _indexed(row: sqlite3.Row, words: sqlite3.Row) -> Indexed:
    questions = tuple(frozenset(one.split()) for one in words["asked"].split("|")) if words["asked"] else ()
    return Indexed(
        row=row,
        body=frozenset(words["body"].split()),
        head=frozenset(words["head"].split()),
        about=frozenset(words["about"].split()),
        asked=frozenset().union(*questions),
        questions=questions,
    )
