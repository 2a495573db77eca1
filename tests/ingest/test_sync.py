"""Sync: incremental, idempotent, and nothing lost."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.sync import ensure_bundled, status, sync
from kb.base import BadInput
from kb.index.archive import Library
from kb.retrieval.search import search

Write = Callable[[str, str | bytes], Path]


def test_a_folder_is_ingested_and_found(documents: Path) -> None:
    report = sync([documents])
    assert len(report.added) == 3
    assert report.failed == ()
    assert report.chunks == Library().counts()["chunks"] > 3
    best = search("Which card has NVLink and what power does it draw?")[0]
    assert best.document == str(documents / "choosing.md")
    assert best.heading == "Links between cards"
    assert "| RTX 6000 Ada | yes | 300 W |" in best.text


def test_a_second_sync_changes_nothing(documents: Path) -> None:
    sync([documents])
    revision = Library().revision()
    again = sync([documents])
    assert (again.added, again.changed, again.removed) == ((), (), ())
    assert len(again.unchanged) == 3
    assert Library().revision() == revision


def test_a_changed_document_replaces_its_chunks_only(documents: Path) -> None:
    sync([documents])
    path = documents / "choosing.md"
    path.write_text(path.read_text().replace("three cards", "seventeen cards"))
    report = sync([documents])
    assert report.changed == (str(path),)
    assert len(report.unchanged) == 2
    texts = [passage.text for passage in search("our lab compared cards for fine-tuning", top=10)]
    assert any("seventeen cards" in text for text in texts)
    assert not any("three cards" in text for text in texts)


def test_a_removed_file_leaves_the_index(documents: Path) -> None:
    sync([documents])
    (documents / "云主机.txt").unlink()
    assert sync([documents]).removed == (str(documents / "云主机.txt"),)
    assert search("g5.xlarge 的实例") == []


def test_a_single_file_that_is_gone_leaves_the_index(write: Write) -> None:
    path = write("gone.md", "# Gone\n\nThe K80 is obsolete.\n")
    sync([path])
    path.unlink()
    assert sync([path]).removed == (str(path),)


def test_other_documents_stay_when_one_folder_is_synced(documents: Path, write: Write) -> None:
    other = write("elsewhere/single.md", "# Single\n\nTitan cards are no longer made.\n")
    sync([documents])
    report = sync([other])
    assert report.added == (str(other),)
    assert report.removed == ()
    assert len(Library().documents()) == 4


def test_a_document_that_cannot_be_read_any_more_keeps_its_chunks(documents: Path) -> None:
    sync([documents])
    path = documents / "choosing.md"
    path.write_bytes(b"\x00\x01\x02" * 100)
    report = sync([documents])
    assert [failure.path for failure in report.failed] == [str(path)]
    assert search("Which card has NVLink?")[0].document == str(path)


def test_each_file_that_fails_is_named_and_the_others_are_ingested(documents: Path) -> None:
    (documents / "scan.pdf").write_bytes(b"%PDF-1.7 ...")
    (documents / "broken.md").write_bytes(b"\x80\x81\x82\xfe\xff broken")
    report = sync([documents])
    assert len(report.added) == 3
    reasons = {Path(failure.path).name: failure.reason for failure in report.failed}
    assert set(reasons) == {"scan.pdf", "broken.md"}
    assert "damaged" in reasons["scan.pdf"]


def test_a_path_that_does_not_exist_is_reported(tmp_path: Path) -> None:
    (failure,) = sync([tmp_path / "nowhere.md"]).failed
    assert failure.path == str(tmp_path / "nowhere.md")


def test_no_path_is_bad_input() -> None:
    with pytest.raises(BadInput, match="path"):
        sync([])


def test_only_replaces_the_bundled_guidance_and_it_stays_out(guidance: Path, documents: Path) -> None:
    report = sync([documents], only=True)
    assert len(report.added) == 3
    assert all(name.startswith("guidance/") for name in report.removed)
    ensure_bundled()
    assert {document.trust for document in Library().documents().values()} == {"user"}


def test_the_guidance_joins_what_was_ingested_before_it(
    documents: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundled = tmp_path / "guidance"
    (bundled / "zh").mkdir(parents=True)
    (bundled / "zh" / "power.md").write_text("# 供电\n\n每张卡留一路供电。\n")
    for module in ("sources", "sync"):
        monkeypatch.setattr(f"ingest.{module}.GUIDANCE", bundled)
    sync([documents])
    ensure_bundled()
    held = Library().documents()
    assert len(held) == 4
    assert held["guidance/zh/power.md"].trust == "bundled"
    (bundled / "zh" / "power.md").write_text("# 供电\n\n每张卡留两路供电。\n")
    ensure_bundled()
    assert "两路" in search("每张卡的供电")[0].text


def test_the_bundled_guidance_needs_no_second_build(guidance: Path) -> None:
    revision = Library().revision()
    ensure_bundled()
    assert Library().revision() == revision
    state = status()
    assert state["bundled_documents"] == state["documents"] > 20
    assert state["index_current"] is True


def test_a_damaged_library_is_set_aside_and_filled_anew(documents: Path) -> None:
    sync([documents], only=True)
    library = Library()
    for file in library.folder.glob("library.sqlite3-*"):
        file.unlink()
    library.path.write_bytes(b"this is no database" * 1000)
    ensure_bundled()
    assert len(library.documents()) == 3
    assert search("Which card has NVLink?")
    assert (library.folder / "library.sqlite3.set-aside").exists()


def test_a_lost_chroma_index_is_rebuilt(documents: Path) -> None:
    sync([documents], only=True)
    folder = Library().folder
    pointer = json.loads((folder / "current.json").read_text())
    shutil.rmtree(folder / pointer["directory"])
    assert status()["index_current"] is False
    ensure_bundled()
    assert status()["index_current"] is True


def test_a_copied_passage_is_kept_once_and_its_other_places_are_named(write: Write) -> None:
    words = " ".join(f"advice{number}" for number in range(40))
    first = write("docs/a.md", f"# First\n\n{words} on used cards.\n")
    second = write("docs/b.md", f"# Second\n\nOwn introduction.\n\n## Copied\n\n{words} on used card.\n")
    sync([first.parent], only=True)
    found = search("advice7 advice8 advice9", top=5)
    assert [(one.document, one.also_in) for one in found] == [(str(first), (f"{second}:5",))]
    first.unlink()
    sync([first.parent], only=True)
    assert [one.document for one in search("advice7 advice8 advice9", top=5)] == [str(second)]


def test_what_an_endless_file_repeats_is_indexed_once_however_short_it_is(write: Write) -> None:
    one = write("docs/endless.txt", "x" * 120_000)
    write("docs/sound.md", "# Sound\n\nThe V100 has 900 GB/s of memory bandwidth.\n")
    report = sync([one.parent], only=True)
    assert report.chunks > 150
    with Library().reading() as connection:
        folded = connection.execute("SELECT count(*) FROM folds").fetchone()[0]
    assert report.chunks - folded <= 3
    assert status()["index_current"] is True


def test_passages_that_only_look_alike_stay_apart(write: Write) -> None:
    for number in range(6):
        words = " ".join(f"advice{number}{place}" for place in range(20))
        write(f"docs/{number}.md", f"# Notes\n\nAs a rule the following holds for cards: {words}.\n")
    report = sync([write("docs/x.md", "# X\n\nText.\n").parent], only=True)
    assert report.chunks == 7
    with Library().reading() as connection:
        assert connection.execute("SELECT count(*) FROM folds").fetchone()[0] == 0
