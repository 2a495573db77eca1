"""The first index is built in a child, so that a server never loads what embeds passages in bulk."""

import sys
from pathlib import Path

import pytest

from ingest.apart import ensure_bundled_apart
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
