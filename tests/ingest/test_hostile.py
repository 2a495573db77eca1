"""A hundred malformed or hostile files: each indexed or refused with a reason, and a sound one among them is found."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from ingest import bounded
from ingest.convert import convert
from kb.base import BadDocument

HOSTILE = Path(__file__).resolve().parents[1] / "bench" / "hostile.py"
SLOW = {"attributes.html", "rows.xlsx", "many-paragraphs.docx", "operators.pdf", "long-part.docx"}
"""What takes seconds; the benchmark reads these too."""


@pytest.fixture(scope="module")
def hostile() -> ModuleType:
    """The maker of hostile files, which is shared with the benchmark."""
    spec = importlib.util.spec_from_file_location("hostile", HOSTILE)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_hundred_hostile_files_are_made(hostile: ModuleType, tmp_path: Path) -> None:
    assert len(hostile.write_all(tmp_path / "all")) == 100


@pytest.mark.parametrize("part", ["texts", "disguises"])
def test_each_is_read_or_refused_with_a_reason(hostile: ModuleType, tmp_path: Path, part: str) -> None:
    made = hostile.texts(large=False) if part == "texts" else hostile.disguises()
    outcomes = {name: _outcome(tmp_path / name, content) for name, content in made if name not in SLOW}
    assert all(outcomes.values())
    read = {name for name, outcome in outcomes.items() if outcome == "read"}
    assert part == "texts" or not read
    assert not read & {"nul.md", "nul.txt", "surrogates.txt", "utf16-bare.txt", "empty.md", "blank.md", "bom-only.txt"}


def test_what_is_no_ordinary_file_is_refused_without_waiting(hostile: ModuleType, tmp_path: Path) -> None:
    from ingest.sync import sync

    folder = tmp_path / "odd"
    folder.mkdir()
    odd = list(hostile.odd_files(folder, large=False))
    report = sync([folder], only=True)
    assert report.added == ()
    assert len(report.failed) == len(odd)
    assert all(one.path.isprintable() for one in report.failed)


def test_a_reader_that_dies_is_a_refusal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded.sys, "executable", "/bin/false")
    assert "needs more memory" in _outcome(tmp_path / "a.html", b"<p>text</p>")


def _outcome(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    try:
        convert(path)
    except BadDocument as problem:
        return problem.reason
    return "read"
