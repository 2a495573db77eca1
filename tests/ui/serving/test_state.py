"""Readiness tells the truth: ready, degraded and why, or unready and when to ask again."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from ingest import sync
from kb.base import IndexUnavailable, StateUnavailable
from ui.api import state

CURRENT = {"home": "/secret/place", "sources": ["/secret/guide"], "documents": 9, "index_current": True}


def fine() -> None:
    """Nothing is wrong."""


def away() -> None:
    raise StateUnavailable("the disk is full")


def ready(path: Path, check: Callable[[], None]) -> Any:
    """What readiness says of a service with these conversations."""
    advisor: Any = SimpleNamespace(engine="planner", conversations=SimpleNamespace(check=check))
    advisor.options = SimpleNamespace(home=path)
    app = FastAPI()
    app.include_router(state.router(advisor))
    return TestClient(app).get("/readyz")


@pytest.fixture(autouse=True)
def _index(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync, "status", lambda: dict(CURRENT))


def test_a_service_that_can_answer_is_ready_and_shows_no_paths(tmp_path: Path) -> None:
    answer = ready(tmp_path, fine)
    assert (answer.status_code, answer.json()["status"]) == (200, "ready")
    assert answer.json()["index"] == {"documents": 9, "index_current": True}
    assert "secret" not in answer.text


def test_without_conversations_it_is_unready(tmp_path: Path) -> None:
    answer = ready(tmp_path, away)
    assert (answer.status_code, answer.json()["status"]) == (503, "unready")
    assert "disk is full" in answer.json()["faults"]["conversations"]
    assert answer.headers["retry-after"] == "5"


def broken() -> dict[str, Any]:
    raise IndexUnavailable("it is damaged")


def unforeseen() -> dict[str, Any]:
    raise RuntimeError("/secret/place is gone")


@pytest.mark.parametrize("status", [broken, unforeseen, lambda: {**CURRENT, "index_current": False}])
def test_without_documents_it_is_degraded_but_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: Callable[[], dict[str, Any]]
) -> None:
    monkeypatch.setattr(sync, "status", status)
    answer = ready(tmp_path, fine)
    assert (answer.status_code, answer.json()["status"]) == (200, "degraded")
    assert list(answer.json()["faults"]) == ["index"]
    assert "secret" not in answer.text


def test_a_disk_nearly_full_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "LEAST_FREE_BYTES", 10**18)
    assert list(ready(tmp_path, fine).json()["faults"]) == ["disk"]
