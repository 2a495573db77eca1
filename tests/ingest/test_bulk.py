"""Bulk ingestion: without Ray a clear refusal; with it, the same library as without."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.bulk import spread
from ingest.sync import sync
from kb.base import BadInput
from kb.index.archive import Library

WITHOUT = importlib.util.find_spec("ray") is None


class Done:
    """A task's outcome, told from every other by its identity."""

    def __init__(self, value: object) -> None:
        self.value = value


class Remote:
    """A function that is done the moment it is handed out."""

    def __init__(self, work: Callable[[object], object]) -> None:
        self._work = work

    def remote(self, task: object) -> Done:
        return Done(self._work(task))


class Cluster:
    """One processor that gives back the latest task first."""

    remote = Remote

    def init(self, **options: object) -> None: ...

    def shutdown(self) -> None: ...

    def is_initialized(self) -> bool:
        return False

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 1.0}

    def wait(self, running: list[object], num_returns: int) -> tuple[list[object], list[object]]:
        return running[-1:], running[:-1]

    def get(self, done: Done) -> object:
        return done.value


@pytest.mark.skipif(not WITHOUT, reason="Ray is installed")
def test_without_ray_the_extra_is_named() -> None:
    with pytest.raises(BadInput, match=r"gpu-advisor\[bulk\]"):
        list(spread(str, [1]))


def test_every_task_comes_back_with_its_own_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", Cluster())
    assert dict(spread(lambda number: number * number, range(11))) == {number: number * number for number in range(11)}


def test_bulk_makes_the_same_library(documents: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (documents / "broken.md").write_bytes(b"\x00")
    monkeypatch.setitem(sys.modules, "ray", Cluster())
    report = sync([documents], only=True, bulk=True)
    assert len(report.added) == 3
    assert [Path(one.path).name for one in report.failed] == ["broken.md"]
    revision = Library().revision()
    assert len(sync([documents], only=True).unchanged) == 3
    assert Library().revision() == revision
