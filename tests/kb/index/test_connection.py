"""A thread that reads keeps its connection, sees one state at a time, and never reads a file that is gone."""

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from kb.base import IndexUnavailable
from kb.index import connection as module
from kb.index.connection import changing, folded, reading


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Paths that connections were opened for."""
    paths: list[str] = []
    connect = sqlite3.connect

    def counted(path: Path, **options: object) -> sqlite3.Connection:
        paths.append(str(path))
        return connect(path, **options)  # type: ignore[call-overload, no-any-return]

    monkeypatch.setattr(module.sqlite3, "connect", counted)
    return paths


def filled(path: Path, value: int) -> Path:
    with changing(path) as connection:
        connection.execute("CREATE TABLE held (value INTEGER)")
        connection.execute("INSERT INTO held VALUES (?)", (value,))
    return path


def value(path: Path) -> int:
    with reading(path) as connection:
        return int(connection.execute("SELECT value FROM held").fetchone()[0])


def test_a_thread_opens_a_file_once(tmp_path: Path, opened: list[str]) -> None:
    path = filled(tmp_path / "a", 1)
    opened.clear()
    assert [value(path) for _ in range(5)] == [1] * 5
    assert len(opened) == 1


def test_each_thread_has_a_connection_of_its_own(tmp_path: Path, opened: list[str]) -> None:
    path = filled(tmp_path / "a", 1)
    opened.clear()
    found: list[int] = []
    threads = [Thread(target=lambda: found.append(value(path) + value(path))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (found, len(opened)) == ([2, 2, 2], 3)


def test_what_is_committed_between_two_readings_is_seen_by_the_second(tmp_path: Path) -> None:
    path = filled(tmp_path / "a", 1)
    assert value(path) == 1
    with changing(path) as connection:
        connection.execute("UPDATE held SET value = 2")
    assert value(path) == 2


def test_a_reading_sees_one_state_and_so_does_one_within_it(tmp_path: Path) -> None:
    path = filled(tmp_path / "a", 1)
    with reading(path) as outer:
        before = outer.execute("SELECT value FROM held").fetchone()[0]
        with changing(path) as connection:
            connection.execute("UPDATE held SET value = 2")
        assert (before, value(path)) == (1, 1)
    assert value(path) == 2


def test_a_file_made_anew_is_opened_anew(tmp_path: Path) -> None:
    path = filled(tmp_path / "a", 1)
    assert value(path) == 1
    for end in ("", "-wal", "-shm"):
        if (old := tmp_path / f"a{end}").exists():
            old.rename(tmp_path / f"old{end}")
    filled(path, 7)
    assert value(path) == 7


def test_two_files_do_not_mix(tmp_path: Path) -> None:
    first, second = filled(tmp_path / "a", 1), filled(tmp_path / "b", 2)
    with reading(first):
        assert value(second) == 2
    assert (value(first), value(second)) == (1, 2)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="nothing is read-only to the superuser")
def test_what_may_not_be_written_is_read_all_the_same(tmp_path: Path) -> None:
    path = filled(tmp_path / "a", 3)
    tmp_path.chmod(0o500)
    try:
        assert value(path) == 3
    finally:
        tmp_path.chmod(0o700)


FULL_DISK = """
import resource, sys
from pathlib import Path
from kb.index.connection import reading
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
with reading(Path(sys.argv[1])) as connection:
    print(connection.execute("SELECT value FROM held").fetchone()[0])
"""


def held_on_a_full_disk(path: Path) -> str:
    """What a process reads that may write no file of more than a page, which the journal's index is."""
    command = [sys.executable, "-c", FULL_DISK, str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


@pytest.mark.skipif(sys.platform == "win32", reason="has no such limit")
def test_a_full_disk_keeps_nobody_from_reading_what_is_folded(tmp_path: Path) -> None:
    path = filled(tmp_path / "a", 1)
    assert value(path) == 1  # the thread keeps the file open, so that closing the change folds nothing
    with changing(path) as connection:
        connection.execute("UPDATE held SET value = 2")
    assert (tmp_path / "a-wal").stat().st_size
    folded(path)
    for end in ("-wal", "-shm"):
        (tmp_path / f"a{end}").unlink(missing_ok=True)
    assert held_on_a_full_disk(path) == "2"


@pytest.mark.skipif(sys.platform == "win32", reason="has no such limit")
def test_what_lies_in_the_journal_is_not_read_past(tmp_path: Path) -> None:
    path = filled(tmp_path / "a", 1)
    with reading(path), changing(path) as connection:
        connection.execute("UPDATE held SET value = 2")
        for end in ("", "-wal"):
            shutil.copy(tmp_path / f"a{end}", tmp_path / f"b{end}")
    assert (tmp_path / "b-wal").stat().st_size
    assert held_on_a_full_disk(tmp_path / "b") == ""


def test_a_file_read_alone_is_opened_anew_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = filled(tmp_path / "a", 1)
    sound = module._sound

    def full(path: Path, first: str, where: Path | str) -> module.Reading:
        if str(where).endswith("mode=ro"):
            raise IndexUnavailable("disk I/O error")
        return sound(path, first, where)

    monkeypatch.setattr(module, "_sound", full)
    assert value(path) == 1
    monkeypatch.undo()
    with changing(path) as connection:
        connection.execute("UPDATE held SET value = 2")
    assert value(path) == 2


def test_damage_is_said_and_the_connection_let_go(tmp_path: Path) -> None:
    path = filled(tmp_path / "a", 1)
    with pytest.raises(IndexUnavailable, match="no such table"), reading(path) as connection:
        connection.execute("SELECT * FROM nowhere")
    assert value(path) == 1
    (tmp_path / "b").write_bytes(b"no database at all, " * 100)
    with pytest.raises(IndexUnavailable):
        value(tmp_path / "b")
    with pytest.raises(IndexUnavailable):
        value(tmp_path / "missing")
