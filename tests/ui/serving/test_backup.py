"""State is written to one file and comes back; a file that is not whole changes nothing."""

import io
import json
import tarfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from assistant.answer import Answer
from assistant.conversations import Conversations
from kb.base import BadInput
from kb.settings import Settings, settings
from tools.need import Need
from ui.cli import main
from ui.entrance.keys import Keys
from ui.serving.backup import backup, restore


def home(path: Path) -> Settings:
    """The settings of a home of its own."""
    path.mkdir(exist_ok=True)
    return Settings.model_validate({**settings().model_dump(), "home": path})


def answer(name: str, question: str) -> Answer:
    return Answer(
        id=question, conversation_id=name, question=question, language="zh", verdict="fact", answer="……", need=Need(),
        engine="planner", elapsed_s=0.0,
    )  # fmt: skip


@pytest.fixture
def full(tmp_path: Path) -> Settings:
    """A home with two conversations, a key and a document."""
    options = home(tmp_path / "full")
    with closing(Conversations(options.home / "conversations.sqlite")) as store:
        for name, question in (("a", "问题一"), ("a", "问题二"), ("b", "third")):
            store.append(answer(name, question))
    (options.home / "uploads").mkdir()
    (options.home / "uploads" / "guide.md").write_text("# Our guide", encoding="utf-8")
    return options


def told(options: Settings) -> list[dict[str, object]]:
    with closing(Conversations(options.home / "conversations.sqlite")) as store:
        return list(store.export())


def test_what_was_written_comes_back(full: Settings, tmp_path: Path) -> None:
    keys = Keys(full.home)
    secret, _ = keys.create("ci", ("tools",))
    counts = {"conversations": 2, "turns": 3, "documents": 1}
    assert backup(full, tmp_path / "b.tar.gz") == counts
    other = home(tmp_path / "other")
    assert restore(other, tmp_path / "b.tar.gz") == counts
    assert told(other) == told(full)
    assert (other.home / "uploads" / "guide.md").read_text(encoding="utf-8") == "# Our guide"
    with closing(keys), closing(Keys(other.home)) as restored:
        assert restored.find(secret) is not None


def test_a_backup_overwrites_nothing_and_a_restore_asks_first(full: Settings, tmp_path: Path) -> None:
    target = tmp_path / "b.tar.gz"
    backup(full, target)
    with pytest.raises(BadInput):
        backup(full, target)
    with pytest.raises(BadInput):
        restore(full, target)
    assert restore(full, target, over=True)["conversations"] == 2


def test_a_backup_goes_from_sqlite_to_postgres_and_back(full: Settings, postgres: str, tmp_path: Path) -> None:
    backup(full, tmp_path / "b.tar.gz")
    server = home(tmp_path / "server").model_copy(update={"database_url": postgres})
    restore(server, tmp_path / "b.tar.gz", over=True)
    backup(server, tmp_path / "c.tar.gz")
    again = home(tmp_path / "again")
    restore(again, tmp_path / "c.tar.gz")
    assert [one for one in told(again) if one in told(full)] == told(full)


def repacked(source: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    """The backup with its files changed."""
    with tarfile.open(source) as archive:
        files = {one.name: (archive.extractfile(one) or io.BytesIO()).read() for one in archive.getmembers()}
    change(files)
    target = source.with_name("changed.tar.gz")
    with tarfile.open(target, "w:gz") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return target


def damage(files: dict[str, bytes]) -> None:
    files["conversations.jsonl"] = files["conversations.jsonl"][:-40]


def lose(files: dict[str, bytes]) -> None:
    del files["uploads/guide.md"]


def add(files: dict[str, bytes]) -> None:
    files["more.txt"] = b"x"


def escape(files: dict[str, bytes]) -> None:
    files["uploads/../escaped.md"] = files.pop("uploads/guide.md")
    manifest = json.loads(files["manifest.json"])
    manifest["files"]["uploads/../escaped.md"] = manifest["files"].pop("uploads/guide.md")
    files["manifest.json"] = json.dumps(manifest).encode()


def no_manifest(files: dict[str, bytes]) -> None:
    del files["manifest.json"]


@pytest.mark.parametrize("change", [damage, lose, add, escape, no_manifest])
def test_a_file_that_is_not_whole_changes_nothing(
    full: Settings, tmp_path: Path, change: Callable[[dict[str, bytes]], None]
) -> None:
    backup(full, tmp_path / "b.tar.gz")
    other = home(tmp_path / "other")
    with pytest.raises(BadInput):
        restore(other, repacked(tmp_path / "b.tar.gz", change))
    assert list(other.home.iterdir()) == []
    assert not (tmp_path / "escaped.md").exists()


@pytest.mark.parametrize("content", [b"", b"no archive", b"\x1f\x8b\x08broken"])
def test_what_is_no_backup_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "b.tar.gz").write_bytes(content)
    with pytest.raises(BadInput):
        restore(home(tmp_path / "other"), tmp_path / "b.tar.gz")


def test_the_commands_keep_bring_back_and_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GPU_ADVISOR_HOME", str(tmp_path / "own"))
    settings.cache_clear()
    with closing(Conversations(settings().home / "conversations.sqlite")) as store:
        for name in ("a", "b", "c"):
            store.append(answer(name, "q"))
    target = str(tmp_path / "b.tar.gz")
    assert main(["backup", target]) == 0
    assert main(["forget", "a"]) == 0
    assert main(["forget", "a"]) == 2
    assert main(["forget", "--days", "30"]) == 0
    assert main(["forget", "--days", "0"]) == 0
    assert main(["forget"]) == 2
    assert "2 conversations forgotten" in capsys.readouterr().out
    assert main(["restore", target]) == 0
    assert "3 conversations, 3 turns" in capsys.readouterr().out
    assert main(["restore", target]) == 2
