"""The first index is built in a child, so that a server never loads what embeds passages in bulk."""

import sys
from pathlib import Path

import pytest

from ingest.apart import ensure_bundled_apart, sync_apart
from kb.base import IndexUnavailable
from kb.index.archive import Library
from kb.retrieval.search import search
from kb.settings import settings

NOTE = "import os, pathlib; pathlib.Path(os.environ['GPU_ADVISOR_HOME'], 'child').write_text('was here')"


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was done in this process."""
    done: list[str] = []
    monkeypatch.setattr("ingest.apart.ensure_bundled", lambda: done.append("looked after it"))
    settings().home.mkdir(parents=True, exist_ok=True)
    return done


def test_a_child_builds_what_is_missing_in_the_same_home(monkeypatch: pytest.MonkeyPatch, here: list[str]) -> None:
    monkeypatch.setattr("ingest.apart.COMMAND", (sys.executable, "-c", NOTE))
    ensure_bundled_apart()
    assert Path(settings().home, "child").read_text() == "was here"
    assert here == ["looked after it"]


def test_nothing_is_started_when_nothing_is_missing(monkeypatch: pytest.MonkeyPatch, here: list[str]) -> None:
    monkeypatch.setattr("ingest.apart.is_ready", lambda: True)
    monkeypatch.setattr("ingest.apart.COMMAND", (sys.executable, "-c", NOTE))
    ensure_bundled_apart()
    assert not Path(settings().home, "child").exists()
    assert here == []


def test_a_child_that_fails_leaves_the_work_to_the_server(monkeypatch: pytest.MonkeyPatch, here: list[str]) -> None:
    monkeypatch.setattr("ingest.apart.COMMAND", (sys.executable, "-c", "import sys; sys.exit(3)"))
    ensure_bundled_apart()
    assert here == ["looked after it"]


def test_the_module_is_what_the_child_runs() -> None:
    from ingest.apart import COMMAND

    assert (sys.executable, "-m", "ingest.apart") == COMMAND


@pytest.fixture
def note(tmp_path: Path) -> Path:
    """A document with a claim that holds and one that does not."""
    path = tmp_path / "notes" / "note.md"
    path.parent.mkdir()
    path.write_text("# Cards\n\nThe RTX 4090 has 24 GB of memory.\n\nThe RTX 6000 Ada supports NVLink.\n")
    return path


def test_a_sync_apart_reports_judges_and_is_searched_at_once(note: Path) -> None:
    done = sync_apart([note.parent], judge=note)
    assert done.report.added == (str(note),)
    assert {finding["line"]: finding["verdict"] for finding in done.findings} == {3: "holds", 5: "wrong"}
    assert search("memory of the RTX 4090")[0].document == str(note)


def test_what_cannot_be_read_is_reported_and_not_judged(note: Path) -> None:
    note.write_bytes(b"\x00" * 500)
    done = sync_apart([note.parent], judge=note)
    assert [Path(one.path).name for one in done.report.failed] == ["note.md"]
    assert done.findings == ()


@pytest.mark.parametrize(
    "code",
    ["import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "print('no report')", "import sys; sys.exit(3)"],
    ids=["killed", "says nothing of use", "fails"],
)
def test_a_child_that_does_not_end_well_is_a_refusal_and_the_library_stays(
    monkeypatch: pytest.MonkeyPatch, note: Path, code: str
) -> None:
    sync_apart([note.parent])
    held = Library().documents()
    monkeypatch.setattr("ingest.apart.COMMAND", (sys.executable, "-c", code))
    with pytest.raises(IndexUnavailable, match="failed"):
        sync_apart([note.parent])
    assert Library().documents() == held


def test_a_child_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch, note: Path) -> None:
    monkeypatch.setattr("ingest.apart.COMMAND", (sys.executable, "-c", "import time; time.sleep(60)"))
    monkeypatch.setattr("ingest.apart.WAIT_S", 0.5)
    with pytest.raises(IndexUnavailable, match="longer"):
        sync_apart([note.parent])


def test_why_the_index_cannot_be_written_comes_back_in_its_own_words(note: Path) -> None:
    Library().folder.parent.mkdir(parents=True, exist_ok=True)
    Library().folder.write_text("a file where the folder should be")
    with pytest.raises(IndexUnavailable, match="cannot be written"):
        sync_apart([note.parent])
