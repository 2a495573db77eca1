"""Office files, PDF and tables: text with headings, tables with headers, pages that count; bombs refused."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pptx
import pytest
from reportlab.lib import colors
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Table, TableStyle

from ingest.chunk import chunk
from ingest.claims import Finding, check
from ingest.convert import convert
from kb.base import BadDocument

Write = Callable[[str, str | bytes], Path]
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def docx(body: str, **more: str) -> bytes:
    """A Word file with this body, and more parts by name."""
    package = "application/vnd.openxmlformats-package.relationships+xml"
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        f'<Default Extension="rels" ContentType="{package}"/><Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{main}"/></Types>',
        "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="rId1" Type="{relation}" Target="word/document.xml"/></Relationships>',
        "word/document.xml": body
        if body.startswith("<?xml")
        else f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>',
        **more,
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return packed.getvalue()


def paragraph(text: str, style: str = "") -> str:
    shaped = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{shaped}<w:r><w:t>{text}</w:t></w:r></w:p>"


def word_table(*rows: tuple[str, ...]) -> str:
    cells = ("".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row) for row in rows)
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """Four pages of PDF with a running head, headings, wrapped sentences and a ruled table each."""
    style = getSampleStyleSheet()
    story: list[object] = []
    for number in range(4):
        table = Table([["Card", "Memory"], [f"Card {number}", f"{number} GB"]])
        table.setStyle(TableStyle([("GRID", (0, 0), (-1, -1), 1, colors.black)]))
        words = " ".join(f"word{number}{place}" for place in range(60))
        story += [Paragraph(f"Part {number}", style["Heading1"]), Paragraph(f"It says {words}.", style["Normal"])]
        story += [table, PageBreak()]

    def head(canvas: object, document: object) -> None:
        canvas.drawString(60, 815, f"In confidence, page {document.page}")  # type: ignore[attr-defined]

    path = tmp_path / "report.pdf"
    SimpleDocTemplate(str(path), title="Yearly report").build(story, onFirstPage=head, onLaterPages=head)
    return path


def test_a_pdf_keeps_pages_headings_and_tables_and_loses_its_running_head(report: Path) -> None:
    found = convert(report)
    assert found.title == "Yearly report"
    text = "\n".join(line.text for line in found.lines)
    assert "In confidence" not in text
    assert [line.page for line in found.lines if line.text.startswith("# Part")] == [1, 2, 3, 4]
    assert "| Card | Memory |\n|---|---|\n| Card 2 | 2 GB |" in text
    assert {one.page for one in chunk(found, "report") if "Part 2" in one.heading} == {3}


def test_sentences_of_a_pdf_are_whole_though_its_lines_are_not(report: Path) -> None:
    long = [line.text for line in convert(report).lines if line.text.startswith("It says")]
    assert [line.count("word") for line in long] == [60] * 4


def test_a_page_is_cited(report: Path) -> None:
    from ingest.sync import sync
    from kb.retrieval.search import search

    sync([report], only=True)
    assert search("word31 word32 word33")[0].page == 4


def test_word_keeps_headings_and_tables(write: Write) -> None:
    body = paragraph("Buying", "Heading1") + paragraph("Take two.") + word_table(("Card", "Memory"), ("L4", "24 GB"))
    (found,) = chunk(convert(write("a.docx", docx(body))), "a")
    assert found.text.startswith("# Buying")
    assert "| Card | Memory |\n| --- | --- |\n| L4 | 24 GB |" in found.text


def test_each_slide_is_a_page(tmp_path: Path) -> None:
    deck = pptx.Presentation()
    for number in (1, 2):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = f"Topic {number}"
        slide.placeholders[1].text = f"What topic {number} means"
    deck.save(str(tmp_path / "a.pptx"))
    found = chunk(convert(tmp_path / "a.pptx"), "a")
    assert [(one.page, "means" in one.text) for one in found] == [(1, True), (2, True)]


def test_each_sheet_is_a_page_and_rows_keep_their_numbers(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.title = "Cards"
    for row in (["Card", "GB", "Price"], ["L4", 24, 2500.5], [], ["L40S", 48, None]):
        book.active.append(row)
    book.save(tmp_path / "one.xlsx")
    book.create_sheet("Servers").append(["Server", "GPUs"])
    book.create_sheet("Hidden").sheet_state = "hidden"
    book.save(tmp_path / "two.xlsx")
    assert [line.text for line in convert(tmp_path / "one.xlsx").lines if line.number == 2] == ["| L4 | 24 | 2500.5 |"]
    two = convert(tmp_path / "two.xlsx")
    assert [(line.text, line.page) for line in two.lines if line.text.startswith("#")] == [
        ("## Cards", 1), ("## Servers", 2),
    ]  # fmt: skip


@pytest.mark.parametrize(("name", "sign"), [("a.csv", ","), ("b.csv", ";"), ("c.tsv", "\t")])
def test_a_csv_is_a_table_whatever_parts_its_columns(write: Write, name: str, sign: str) -> None:
    found = convert(write(name, f'Card{sign}GB\nL4{sign}24\n"L40S"{sign}"4\n8"\nH100{sign}80\n'))
    assert [(line.number, line.text) for line in found.lines] == [
        (1, "| Card | GB |"), (1, "|---|---|"), (2, "| L4 | 24 |"), (3, "| L40S | 4 8 |"), (5, "| H100 | 80 |"),
    ]  # fmt: skip


def test_claims_in_any_format_are_judged(write: Write, tmp_path: Path) -> None:
    write("a.docx", docx(paragraph("The L40S supports NVLink.")))
    write("b.csv", "Card,Memory\nL4,48 GB\nT4,16 GB\n")
    wrong = [one for one in check([tmp_path]) if isinstance(one, Finding) and one.disputed]
    assert [(Path(one.document).name, one.line) for one in wrong] == [("a.docx", 1), ("b.csv", 2)]


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        pytest.param("a.docx", docx(paragraph("x" * 40_000_000)), "tightly", id="one-long-text"),
        pytest.param("a.docx", docx("", **{f"word/{n}.xml": "x" * 900_000 for n in range(70)}), "unpacks", id="many"),
        pytest.param(
            "a.docx",
            docx(f'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><w:document xmlns:w="{WORD}"/>'),
            "entities",
            id="entities",
        ),
        pytest.param("a.pptx", docx(paragraph("x")), "really a .docx", id="word-named-slides"),
        pytest.param("a.xlsx", docx(paragraph("x"))[:-50], "incomplete", id="truncated"),
        pytest.param("a.docx", b"\xd0\xcf\x11\xe0" + b"\0" * 600, "encrypted", id="encrypted-office"),
        pytest.param("a.docx", b"%PDF-1.7", "a PDF", id="pdf-named-word"),
        pytest.param("a.pdf", b"just text", "whatever its name says", id="text-named-pdf"),
        pytest.param("a.pdf", b"%PDF-1.7\nnothing", "damaged", id="damaged-pdf"),
        pytest.param("a.csv", b"a,b\n\x00\x01\x02,c\n", "binary", id="binary-csv"),
    ],
)
def test_what_is_no_sound_file_is_refused_with_its_reason(write: Write, name: str, content: bytes, reason: str) -> None:
    with pytest.raises(BadDocument, match=reason):
        convert(write(name, content))


def test_the_child_has_no_network_and_writes_no_file(tmp_path: Path) -> None:
    import subprocess
    import sys

    probe = (
        "import socket; from ingest.child import bound; bound()\n"
        "try: socket.create_connection(('127.0.0.1', 9))\n"
        "except OSError as problem: print(problem)\n"
        f"try: open({str(tmp_path / 'x')!r}, 'wb', buffering=0).write(b'text')\n"
        "except OSError: print('no file')\n"
        "try: bytearray(600 * 2**20)\n"
        "except MemoryError: print('no memory')\n"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=False, cwd=Path.cwd())
    assert done.stdout.split("\n")[:1] == ["a document reaches no network"]
    if sys.platform == "linux":
        assert done.stdout.split("\n")[1:3] == ["no file", "no memory"]
