"""A running server makes its index whole by itself."""

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from assistant.agent import Advisor
from ingest.apart import mend_apart
from ingest.sync import is_ready, sync
from kb.base import IndexUnavailable
from kb.index.archive import Library
from kb.index.store import current
from kb.retrieval.search import search
from kb.settings import settings
from ui.serving import mending
from ui.serving.site import create_site


@pytest.fixture
def held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own that holds one document."""
    monkeypatch.setenv("GPU_ADVISOR_HOME", str(tmp_path / "home"))
    settings.cache_clear()
    note = tmp_path / "note.md"
    note.write_text("# 笔记\n\n独角兽机柜能放九张卡。\n")
    sync([note], only=True)
    return note


def _without_graph() -> None:
    generation = current(Library().folder)
    assert generation is not None
    shutil.rmtree(Library().folder / generation.directory)


def _zeroed() -> None:
    path = Library().path
    data = bytearray(path.read_bytes())
    data[4096 : len(data) // 2] = bytes(len(data) // 2 - 4096)
    path.write_bytes(data)


@pytest.mark.parametrize("spoil", [_without_graph, _zeroed, lambda: Library().path.unlink()])
def test_what_was_damaged_is_made_whole_and_found_again(held: Path, spoil: Callable[[], None]) -> None:
    assert mend_apart()
    Library.afresh()
    for end in ("-wal", "-shm"):
        Library().path.with_name(Library().path.name + end).unlink(missing_ok=True)
    spoil()
    assert mend_apart()
    assert is_ready()
    assert search("独角兽机柜")[0].document == str(held)


def test_it_looks_again_sooner_after_what_helped_than_after_what_did_not(monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = iter([True, False, IndexUnavailable("full"), True])
    waits: list[float] = []

    class Over(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            waits.append(timeout or 0.0)
            return len(waits) > 4

    def attempt() -> bool:
        outcome = next(outcomes)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    monkeypatch.setattr(mending, "mend_apart", attempt)
    mending._watch(Over(), 10.0)
    assert waits == [10.0, 10.0, 20.0, 40.0, 10.0]


def test_a_site_has_its_index_looked_after_for_as_long_as_it_runs(
    advisor: Advisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    @contextmanager
    def watch() -> Iterator[None]:
        seen.append("begun")
        yield
        seen.append("over")

    monkeypatch.setattr("ui.serving.site.mending", watch)
    with TestClient(create_site(advisor)):
        assert seen == ["begun"]
    assert seen == ["begun", "over"]
