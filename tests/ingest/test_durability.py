"""Whatever kills an ingestion, and whoever else writes, the library afterwards holds what the documents say."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ingest.sync import sync
from kb.index.archive import Library
from kb.index.store import Store
from kb.retrieval.search import search

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = 30
INGEST = "import sys; from ingest.sync import sync; sync([sys.argv[1]], only=True)"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="kills processes by signal")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Thirty small Chinese documents, which need no model."""
    inside = tmp_path / "documents"
    inside.mkdir()
    for number in range(DOCUMENTS):
        text = "".join(f"\n## 第{part}节\n\n编号{number}的第{part}段说明。\n" for part in range(5))
        (inside / f"{number}.md").write_text(f"# 文档{number}\n{text}")
    return inside


def start(folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", INGEST, str(folder)], cwd=ROOT, stderr=subprocess.DEVNULL)


def contents() -> dict[str, int]:
    with Library().reading() as connection:
        rows = connection.execute(
            "SELECT name, count(*) FROM chunks JOIN documents ON documents.id = document GROUP BY 1"
        )
        return {Path(name).stem: count for name, count in rows}


def test_a_killed_ingestion_leaves_whole_documents_and_the_next_one_finishes(folder: Path) -> None:
    for delay_s in (0.5, 0.8, 1.1, 1.4):
        process = start(folder)
        time.sleep(delay_s)
        process.send_signal(signal.SIGKILL)
        process.wait()
        if Library().path.exists() and Library().fact_or_none("schema"):
            assert set(contents().values()) <= {5}
    report = sync([folder], only=True)
    assert report.failed == ()
    assert contents() == {str(number): 5 for number in range(DOCUMENTS)}
    assert search("编号17的第3段说明", top=1)[0].document.endswith("17.md")


def test_two_processes_that_ingest_at_once_take_turns(folder: Path) -> None:
    processes = [start(folder), start(folder)]
    assert [process.wait(timeout=120) for process in processes] == [0, 0]
    assert contents() == {str(number): 5 for number in range(DOCUMENTS)}
    library = Library()
    from kb.vectors.embedder import embedder

    assert Store(library, embedder()).is_current()


def test_a_full_disk_is_an_error_and_leaves_the_former_state(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kb.base import IndexUnavailable

    sync([folder], only=True)
    before = contents()
    (folder / "3.md").write_text("# 改过的文档\n\n全新的内容。\n")

    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("kb.index.archive._insert", full)
    with pytest.raises(IndexUnavailable, match="No space left"):
        sync([folder], only=True)
    monkeypatch.undo()
    assert contents() == before
