"""Pieces of work that share a commit are each all or nothing, and none returns before it is on disk."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from assistant.database import Execute
from assistant.sqlite_file import MOST_TOGETHER, SqliteFile
from kb.base import StateUnavailable

TABLE = ("CREATE TABLE word (said TEXT NOT NULL UNIQUE){options}",)


@pytest.fixture
def file(tmp_path: Path) -> Iterator[SqliteFile]:
    made = SqliteFile(tmp_path / "words.sqlite")
    made.migrate(TABLE)
    yield made
    made.close()


def on_disk(tmp_path: Path) -> set[str]:
    """What another process would read."""
    with closing(sqlite3.connect(tmp_path / "words.sqlite")) as other:
        return {word for (word,) in other.execute("SELECT said FROM word")}


def test_whatever_returned_is_there_for_everybody(file: SqliteFile, tmp_path: Path) -> None:
    lost: list[str] = []

    def write(name: int) -> None:
        for number in range(20):
            file.write(lambda execute, word=f"{name}-{number}": execute("INSERT INTO word VALUES (?)", word))  # type: ignore[misc]
            if f"{name}-{number}" not in on_disk(tmp_path):
                lost.append(f"{name}-{number}")

    threads = [threading.Thread(target=write, args=(name,)) for name in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert lost == []
    assert len(on_disk(tmp_path)) == 120


def met(file: SqliteFile, words: list[str], work: Callable[[str], Callable[[Execute], object]]) -> dict[str, str]:
    """Have the first word written while all others come; which of them were told of a problem, and of what kind."""
    inside, release, told = threading.Event(), threading.Event(), dict[str, str]()

    def write(word: str) -> None:
        def do(execute: Execute) -> object:
            if word == words[0]:
                inside.set()
                release.wait(10)
            return work(word)(execute)

        try:
            file.write(do)
        except (StateUnavailable, RuntimeError) as problem:
            told[word] = type(problem).__name__

    threads = [threading.Thread(target=write, args=(word,)) for word in words]
    threads[0].start()
    inside.wait(10)
    for thread in threads[1:]:
        thread.start()
    while len(file._line) < len(words) - 1:
        threading.Event().wait(0.001)
    release.set()
    for thread in threads:
        thread.join()
    return told


def test_work_that_meets_shares_a_commit(file: SqliteFile, tmp_path: Path) -> None:
    commits: list[str] = []
    file._connection.set_trace_callback(lambda statement: commits.append(statement) if statement == "COMMIT" else None)
    words = [str(number) for number in range(10)]
    assert met(file, words, lambda word: lambda execute: execute("INSERT INTO word VALUES (?)", word)) == {}
    assert len(commits) == 2  # that of the first, and that of the nine who came meanwhile
    assert on_disk(tmp_path) == set(words)


def test_a_crowd_is_worked_off_to_the_last(file: SqliteFile, tmp_path: Path) -> None:
    words = [str(number) for number in range(MOST_TOGETHER * 2 + 3)]
    results: list[object] = []
    work = lambda word: lambda execute: results.append(execute("INSERT INTO word VALUES (?) RETURNING said", word))  # noqa: E731
    assert met(file, words, work) == {}
    assert on_disk(tmp_path) == set(words)
    assert len(results) == len(words)
    assert file.write(lambda execute: execute("SELECT COUNT(*) FROM word")) == [(len(words),)]


@pytest.mark.parametrize("problem", [RuntimeError, sqlite3.IntegrityError])
def test_one_that_fails_takes_nothing_of_the_others_with_it(
    file: SqliteFile, tmp_path: Path, problem: type[Exception]
) -> None:
    def work(word: str) -> Callable[[Execute], object]:
        def do(execute: Execute) -> None:
            execute("INSERT INTO word VALUES (?)", word)
            if int(word) % 3 == 0:
                raise problem("on purpose")
            execute("INSERT INTO word VALUES (?)", f"second {word}")

        return do

    told = met(file, [str(number) for number in range(30)], work)
    kept = {str(number) for number in range(30) if number % 3}
    assert on_disk(tmp_path) == kept | {f"second {number}" for number in kept}
    assert set(told) == {str(number) for number in range(0, 30, 3)}
    assert set(told.values()) == {"RuntimeError" if problem is RuntimeError else "StateUnavailable"}


def test_a_refused_statement_is_told_and_the_file_goes_on(file: SqliteFile, tmp_path: Path) -> None:
    with file.transaction() as execute:
        execute("INSERT INTO word VALUES ('once')")
    with pytest.raises(StateUnavailable), file.transaction() as execute:
        execute("INSERT INTO word VALUES ('before'), ('once')")
    with file.transaction() as execute:
        execute("INSERT INTO word VALUES ('after')")
    assert on_disk(tmp_path) == {"once", "after"}


def test_when_the_disk_is_full_all_who_share_the_commit_are_told(file: SqliteFile, tmp_path: Path) -> None:
    pages = file._connection.execute("PRAGMA page_count").fetchone()[0]
    file._connection.execute(f"PRAGMA max_page_count = {pages + 1}")
    words = ["small", "also small", "large" * 20_000, "small too"]
    told = met(file, words, lambda word: lambda execute: execute("INSERT INTO word VALUES (?)", word))
    kept = on_disk(tmp_path)
    assert words[2] in told
    assert words[0] in kept
    assert all((word in kept) != (word in told) for word in words)
    file._connection.execute("PRAGMA max_page_count = 1000000")
    file.write(lambda execute: execute("INSERT INTO word VALUES ('after')"))
    assert "after" in on_disk(tmp_path)


def test_readers_do_not_wait_for_a_writer(file: SqliteFile) -> None:
    with file.transaction() as execute:
        execute("INSERT INTO word VALUES ('kept')")
    with file.transaction() as execute:
        execute("INSERT INTO word VALUES ('not yet')")
        with file.reading() as read:
            assert read("SELECT said FROM word") == [("kept",)]


def test_a_reader_cannot_write(file: SqliteFile) -> None:
    with pytest.raises(StateUnavailable), file.reading() as execute:
        execute("INSERT INTO word VALUES ('no')")


def test_a_change_is_seen_whoever_made_it(file: SqliteFile, tmp_path: Path) -> None:
    before = file.changes()
    assert file.changes() == before
    with file.transaction() as execute:
        execute("INSERT INTO word VALUES ('here')")
    assert file.changes() > before
    before = file.changes()
    with closing(sqlite3.connect(tmp_path / "words.sqlite")) as other:
        other.execute("INSERT INTO word VALUES ('elsewhere')")
        other.commit()
    assert file.changes() > before
