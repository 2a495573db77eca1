"""Facts are parsed once, remembered as JSON and never served stale."""

import json
from pathlib import Path

import pytest

from kb import snapshot
from kb.settings import settings
from kb.snapshot import load_yaml


@pytest.fixture
def facts(tmp_path: Path) -> Path:
    path = tmp_path / "cards.yaml"
    path.write_text("- {id: a, memory_bytes: 80 GiB, tdp_w: 400}\n", encoding="utf-8")
    return path


def kept() -> list[Path]:
    return sorted((settings().home / snapshot.FOLDER).glob("*-cards-*.json"))


def test_the_second_reading_parses_no_yaml(facts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = load_yaml(facts)
    monkeypatch.setattr(snapshot, "parse_yaml", lambda content: pytest.fail("parses the YAML again"))
    assert load_yaml(facts) == first == [{"id": "a", "memory_bytes": "80 GiB", "tdp_w": 400}]


def test_a_changed_file_is_read_anew_and_the_earlier_snapshot_dropped(facts: Path) -> None:
    load_yaml(facts)
    facts.write_text("- {id: b}\n", encoding="utf-8")
    assert load_yaml(facts) == [{"id": "b"}]
    assert len(kept()) == 1


def test_a_broken_snapshot_is_written_again(facts: Path) -> None:
    good = load_yaml(facts)
    kept()[0].write_text('[{"id": ', encoding="utf-8")
    assert load_yaml(facts) == good
    assert json.loads(kept()[0].read_text(encoding="utf-8")) == good


@pytest.mark.parametrize("text", ["{1: one}", "[2026-11-20]", "[.nan]"])
def test_what_json_would_change_is_not_kept(facts: Path, text: str) -> None:
    facts.write_text(text, encoding="utf-8")
    load_yaml(facts)
    assert kept() == []
    load_yaml(facts)


def test_files_of_one_name_in_two_folders_keep_a_snapshot_each(tmp_path: Path) -> None:
    for folder in ("gpus", "models"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "cards.yaml").write_text(f"[{folder}]", encoding="utf-8")
        load_yaml(tmp_path / folder / "cards.yaml")
    assert [path.name.split("-")[0] for path in kept()] == ["gpus", "models"]


def test_without_a_writable_home_the_facts_are_still_read(facts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = facts.parent / "blocked"
    blocked.write_text("a file where the folder should be", encoding="utf-8")
    monkeypatch.setenv("GPU_ADVISOR_HOME", str(blocked))
    settings.cache_clear()
    try:
        assert load_yaml(facts) == [{"id": "a", "memory_bytes": "80 GiB", "tdp_w": 400}]
    finally:
        monkeypatch.undo()
        settings.cache_clear()
