"""Transactions that share a commit are each all or nothing, and none returns before it is on disk."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from assistant.sqlite_file import SqliteFile
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
            with file.transaction() as execute:
                execute("INSERT INTO word VALUES (?)", f"{name}-{number}")
            if f"{name}-{number}" not in on_disk(tmp_path):
                lost.append(f"{name}-{number}")

    threads = [threading.Thread(target=write, args=(name,)) for name in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert lost == []
    assert len(on_disk(tmp_path)) == 120


def test_transactions_that_meet_share_commits(file: SqliteFile) -> None:
    commits = 0

    def count(statement: str) -> None:
        nonlocal commits
        commits += statement == "COMMIT"

    file._connection.set_trace_callback(count)
    inside, release = threading.Event(), threading.Event()

    def first() -> None:
        with file.transaction() as execute:
            execute("INSERT INTO word VALUES ('first')")
            inside.set()
            release.wait(10)

    def later(number: int) -> None:
        with file.transaction() as execute:
            execute("INSERT INTO word VALUES (?)", str(number))

    threads = [threading.Thread(target=first)]
    threads[0].start()
    inside.wait(10)
    threads += [threading.Thread(target=later, args=(number,)) for number in range(9)]
    for thread in threads[1:]:
        thread.start()
    while file._waiting < 9:
        threading.Event().wait(0.001)
    release.set()
    for thread in threads:
        thread.join()
    assert commits == 1


def test_one_that_fails_takes_nothing_of_the_others_with_it(file: SqliteFile, tmp_path: Path) -> None:
    failures: list[int] = []

    def write(number: int) -> None:
        try:
            with file.transaction() as execute:
                execute("INSERT INTO word VALUES (?)", str(number))
                execute("INSERT INTO word VALUES (?)", "fail" if number % 3 == 0 else f"second {number}")
                if number % 3 == 0:
                    raise RuntimeError("on purpose")
        except RuntimeError:
            failures.append(number)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    kept = {str(number) for number in range(30) if number % 3}
    assert on_disk(tmp_path) == kept | {f"second {number}" for number in kept}
    assert sorted(failures) == list(range(0, 30, 3))


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
    told: list[str] = []
    inside, release = threading.Event(), threading.Event()

    def write(word: str, wait: bool = False) -> None:
        try:
            with file.transaction() as execute:
                execute("INSERT INTO word VALUES (?)", word)
                inside.set()
                if wait:
                    release.wait(10)
        except StateUnavailable:
            told.append(word[:5])

    threads = [threading.Thread(target=write, args=("small", True))]
    threads[0].start()
    inside.wait(10)
    threads.append(threading.Thread(target=write, args=("large" * 20_000,)))
    threads[1].start()
    while file._waiting < 1:
        threading.Event().wait(0.001)
    release.set()
    for thread in threads:
        thread.join()
    kept = on_disk(tmp_path)
    assert "large" in told
    assert ("small" in kept) == ("small" not in told)


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
