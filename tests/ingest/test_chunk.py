"""Chunks: sections together, tables under their header, lines exact."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.chunk import TABLE_MAX, TEXT_MAX, chunk
from ingest.convert import convert
from kb.base import BadDocument
from kb.index.archive import Chunk

Write = Callable[[str, str | bytes], Path]


def chunks_of(path: Path) -> tuple[Chunk, ...]:
    return chunk(convert(path), str(path))


@pytest.mark.parametrize("name", ["choosing.md", "云主机.txt"])
def test_the_text_of_a_chunk_is_exactly_its_lines(documents: Path, name: str) -> None:
    source = (documents / name).read_text().split("\n")
    for found in chunks_of(documents / name):
        assert "\n".join(source[found.line_start - 1 : found.line_end]).strip("\n").split() == found.text.split()


def test_headings_form_a_path_below_the_title(write: Write) -> None:
    path = write("a.md", "# Guide\n\nIntro.\n\n## Buying\n\nText.\n\n### Used cards\n\nMore.\n\n## Renting\n\nEnd.\n")
    assert [found.heading for found in chunks_of(path)] == ["", "Buying", "Buying › Used cards", "Renting"]


def test_numbered_lines_of_a_text_are_headings(documents: Path) -> None:
    headings = [found.heading for found in chunks_of(documents / "云主机.txt")]
    assert headings[-2:] == ["一、推理用的实例", "二、训练用的实例"]


def test_a_small_table_stays_whole_with_its_heading(documents: Path) -> None:
    (found,) = [found for found in chunks_of(documents / "choosing.md") if "NVLink" in found.text]
    assert found.text.startswith("## Links between cards")
    assert found.text.endswith("| RTX 4090 | no | 450 W |")


def test_a_long_table_is_split_by_rows_under_its_header(write: Write) -> None:
    rows = [f"| card {number} | {'x' * 40} |" for number in range(120)]
    path = write("t.md", "# T\n\n| Name | Note |\n|---|---|\n" + "\n".join(rows))
    found = chunks_of(path)
    assert len(found) > 2
    assert all(one.text.startswith("| Name | Note |\n|---|---|\n") for one in found[1:])
    assert all(len(one.text) < TABLE_MAX + 200 for one in found)
    said = [row for one in found for row in one.text.split("\n") if row.startswith("| card")]
    assert said == rows
    assert (found[-1].line_end, found[-1].line_start) == (124, found[-2].line_end + 1)


def test_a_table_without_outer_bars_is_a_table(write: Write) -> None:
    path = write("t.txt", "模型 | 显存 |\n---|---|\nA | 1 |\nB | 2 |\n\n之后的文字说明。")
    assert "B | 2 |" in chunks_of(path)[0].text


def test_a_very_long_line_is_cut_at_sentence_ends_and_loses_nothing(write: Write) -> None:
    text = " ".join(f"Sentence number {number} says little." for number in range(400))
    found = chunks_of(write("long.txt", text))
    assert "".join(one.text for one in found).replace(" ", "") == text.replace(" ", "")
    assert all(len(one.text) <= TEXT_MAX["en"] for one in found)
    assert {(one.line_start, one.line_end) for one in found} == {(1, 1)}


def test_every_sentence_of_prose_is_in_one_chunk(write: Write) -> None:
    lines = [f"第{number}条说明显存和带宽的关系。" for number in range(300)]
    text = "\n".join(one.text for one in chunks_of(write("p.txt", "\n".join(lines))))
    assert all(text.count(line) == 1 for line in lines)


def test_a_document_that_makes_too_many_chunks_is_refused(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingest.chunk.CHUNKS_MAX", 3)
    with pytest.raises(BadDocument, match="passages"):
        chunks_of(write("many.md", "\n\n".join(f"# H{number}\n\ntext" for number in range(9))))
