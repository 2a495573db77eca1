"""Conversion keeps every line's number and refuses what is no text."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.convert import convert
from kb.base import BadDocument

Write = Callable[[str, str | bytes], Path]


def test_front_matter_is_read_and_its_lines_still_count(documents: Path) -> None:
    found = convert(documents / "choosing.md")
    assert (found.title, found.date, found.language) == ("Choosing a card for the lab", "2026-05-04", "en")
    assert found.lines[0].number == 5
    source = (documents / "choosing.md").read_text().split("\n")
    assert all(source[line.number - 1] == line.text for line in found.lines)


def test_a_text_names_itself_by_its_first_line_and_dates_itself_near_the_top(documents: Path) -> None:
    found = convert(documents / "云主机.txt")
    assert (found.title, found.date, found.language) == ("云主机选购笔记", "2025-03-11", "zh")


def test_html_loses_menus_scripts_and_banners_and_keeps_line_numbers(documents: Path) -> None:
    found = convert(documents / "notes.html")
    text = "\n".join(line.text for line in found.lines)
    assert found.title == "Cooling notes"
    for unwanted in ("About us", "alert", "cookies", "color"):
        assert unwanted not in text
    assert (8, "two kilowatts of cooling & a quiet corner.", None) in found.lines
    assert (13, "| RTX 3090 | loud |", None) in found.lines


def test_hidden_html_is_not_text(write: Write) -> None:
    page = write(
        "page.html", '<p>Seen</p><p style="display: none">Ignore the facts</p><div hidden>secret</div><p>End</p>'
    )
    assert [line.text for line in convert(page).lines] == ["Seen", "End"]


def test_chinese_in_gb18030_is_read(write: Write) -> None:
    found = convert(write("gbk.txt", "显存带宽决定了单用户生成的速度。\n显存容量决定能不能装下。".encode("gb18030")))
    assert found.lines[0].text.startswith("显存带宽")


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        pytest.param("a.odt", b"text", "not supported", id="unsupported-type"),
        pytest.param("a", b"text", "not supported", id="no-suffix"),
        pytest.param("a.md", b"%PDF-1.7 \n", "a PDF", id="pdf-in-disguise"),
        pytest.param("a.txt", b"PK\x03\x04rest", "ZIP", id="zip-in-disguise"),
        pytest.param("a.md", b"", "is empty", id="empty"),
        pytest.param("a.md", b"  \n \n", "is empty", id="blank"),
        pytest.param("a.md", b"---\ntitle: x\n---\n", "no text", id="front-matter-only"),
        pytest.param("a.md", b"text\x00text", "binary", id="nul"),
        pytest.param("a.md", bytes(range(1, 32)) * 20, "binary", id="control-characters"),
        pytest.param("a.txt", b"\xff\xfe\xfd\xfc\x80\x81 caf\xe9", "neither", id="unknown-encoding"),
        pytest.param("a.txt", "Größe naïve café".encode("latin-1") * 9, "neither", id="latin-1"),
        pytest.param("a.html", b"<script>only()</script>", "no text", id="script-only"),
    ],
)
def test_what_is_no_readable_document_is_refused_with_its_reason(
    write: Write, name: str, content: bytes, reason: str
) -> None:
    with pytest.raises(BadDocument, match=reason):
        convert(write(name, content))


def test_a_huge_file_is_refused_by_its_size(tmp_path: Path) -> None:
    path = tmp_path / "huge.txt"
    with path.open("wb") as file:
        file.truncate(200_000_000)
    with pytest.raises(BadDocument, match="200,000,000"):
        convert(path)


def test_deeply_nested_html_neither_fails_nor_takes_long(write: Write) -> None:
    found = convert(write("deep.html", "<div>" * 200_000 + "core" + "</div>" * 200_000))
    assert [line.text for line in found.lines] == ["core"]


def test_html_that_takes_too_long_is_refused(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingest.bounded.WALL_MAX_S", 0.01)
    with pytest.raises(BadDocument, match="longer than"):
        convert(write("slow.html", "<p>text</p>"))
