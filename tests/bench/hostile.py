"""A hundred files that are malformed or mean harm, made by the same seed every time."""

import base64
import io
import os
import random
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

SEED = 7
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
MAIN = {"docx": "word/document.xml", "pptx": "ppt/presentation.xml", "xlsx": "xl/workbook.xml"}


def packed(**parts: str | bytes) -> bytes:
    """A ZIP archive with these parts."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


def pdf(content: bytes, extra: bytes = b"") -> bytes:
    """A PDF of one page with this content stream, deflated."""
    stream = zlib.compress(content, 9)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        (
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R "
            b"/Resources << /Font << /F 5 0 R >> >> >>"
        ),
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n" % len(stream) + stream + b"\nendstream",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out, places = bytearray(b"%PDF-1.7\n"), []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    start = len(out)
    out += b"xref\n0 6\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % place for place in places)
    return bytes(out + b"trailer << /Size 6 /Root 1 0 R " + extra + b">>\nstartxref\n%d\n%%%%EOF" % start)


def pages(count: int) -> bytes:
    """A PDF with many pages of one line each."""
    from reportlab.pdfgen.canvas import Canvas

    file = io.BytesIO()
    canvas = Canvas(file)
    for number in range(count):
        canvas.drawString(72, 700, f"Page {number} speaks of memory.")
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def encrypted() -> bytes:
    """A PDF that asks for a password."""
    from reportlab.lib.pdfencrypt import StandardEncryption
    from reportlab.pdfgen.canvas import Canvas

    file = io.BytesIO()
    canvas = Canvas(file, encrypt=StandardEncryption("secret", ownerPassword="other"))
    canvas.drawString(72, 700, "hidden")
    canvas.save()
    return file.getvalue()


def sheet(rows: int) -> bytes:
    """An Excel file with many rows."""
    import openpyxl

    book = openpyxl.Workbook(write_only=True)
    table = book.create_sheet("big")
    for number in range(rows):
        table.append([f"card {number}", number])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def bombs(*, large: bool) -> Iterator[tuple[str, bytes]]:
    """Small files that grow."""
    much = 300_000_000 if large else 30_000_000
    entity = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10 if n else "x"}">' for n in range(12))
    document = f'<w:document xmlns:w="{WORD}"><w:body>%s</w:body></w:document>'
    laughs = f'<?xml version="1.0"?><!DOCTYPE d [{entity}]>' + document % "&a11;"
    outside = '<?xml version="1.0"?><!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + document % "&x;"
    blank = b" " * much
    for kind, main in MAIN.items():
        yield f"long-part.{kind}", packed(**{"[Content_Types].xml": "<Types/>", main: blank})
        yield f"laughs.{kind}", packed(**{"[Content_Types].xml": "<Types/>", main: laughs})
        yield f"reads-file.{kind}", packed(**{"[Content_Types].xml": "<Types/>", main: outside})
        yield f"no-parts.{kind}", packed(**{"[Content_Types].xml": "<Types/>", main: "<a/>"})
        yield f"many-parts.{kind}", packed(**{main: "<a/>", **{f"word/{n}.xml": " " * 900_000 for n in range(60)}})
        yield f"nested.{kind}", packed(**{"inner.zip": packed(**{"a.xml": blank[:30_000_000]})})
        yield f"not-xml.{kind}", packed(**{"[Content_Types].xml": "<Types/>", main: "just text <<<"})
        yield f"climbs.{kind}", packed(**{"[Content_Types].xml": "<Types/>", "../../evil.xml": "<a/>", main: "<a/>"})
        yield f"empty.{kind}", b""
        yield f"old.{kind}", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"E\0n\0c\0r\0y\0p\0t\0e\0d\0" * 90
    paragraphs = "<w:p><w:r><w:t>x</w:t></w:r></w:p>" * (1_000_000 if large else 300_000)
    yield "many-paragraphs.docx", packed(**{"[Content_Types].xml": "<Types/>", MAIN["docx"]: document % paragraphs})
    deep = "<w:tbl><w:tr><w:tc>" * 5000
    yield "deep-tables.docx", packed(**{"[Content_Types].xml": "<Types/>", MAIN["docx"]: deep})
    yield "inflates.pdf", pdf(b" " * much)
    yield "operators.pdf", pdf(b"BT /F 9 Tf (x) Tj ET\n" * (400_000 if large else 100_000))
    yield "nesting.pdf", pdf(b"q " * 500_000)
    yield "encrypted.pdf", encrypted()
    yield "pages.pdf", pages(6000 if large else 4100)
    yield "many-pages.pdf", pages(2500 if large else 400)
    yield "rows.xlsx", sheet(150_000 if large else 20_000)
    yield "no-pages.pdf", b"%PDF-1.7\n1 0 obj << /Type /Catalog >> endobj\ntrailer << /Root 1 0 R >>\n%%EOF"
    yield "loop.pdf", pdf(b"BT ET").replace(b"/Kids [3 0 R]", b"/Kids [2 0 R]")


def texts(*, large: bool) -> Iterator[tuple[str, bytes]]:
    """Text that is none, too much, or oddly made."""
    yield "divs.html", b"<div>" * (2_000_000 if large else 300_000)
    yield "tags.html", b"<b><i>x</i></b>" * (600_000 if large else 100_000)
    yield "table.html", b"<table>" + b"<tr><td>1<td>2</tr>" * (300_000 if large else 50_000)
    yield "attributes.html", b"<p " + b"a=1 " * 1_000_000 + b">x</p>"
    yield "unclosed.html", b"<!-- " + b"x" * 2_000_000
    yield "script.html", b"<script>" + b"<" * 1_000_000
    yield "entities.html", b"<p>" + b"&amp;" * 500_000
    yield "laughs.xhtml", b'<!DOCTYPE a [<!ENTITY b "c">]><p>&b;</p>'
    yield "iframe.html", b'<iframe src="file:///etc/passwd"></iframe><img src="http://10.0.0.1/">'
    yield "nul.md", b"text\x00text"
    yield "nul.txt", b"\x00" * 100_000
    yield "latin.txt", "Größe".encode("latin-1") * 50
    yield "surrogates.txt", b"\xed\xa0\x80 half" * 20
    yield "overlong.txt", b"\xc0\xaf" * 500
    yield "utf16.txt", "An L4 has 24 GB.\n".encode("utf-16") * 3
    yield "utf16-bare.txt", "An L4 has 24 GB.\n".encode("utf-16-le") * 30
    yield "utf32.txt", "An L4 has 24 GB.\n".encode("utf-32")
    yield "gb18030.txt", "显存决定能不能装下。\n".encode("gb18030") * 20
    yield "bom-only.txt", b"\xef\xbb\xbf"
    yield "empty.md", b""
    yield "blank.md", b" \n\t\n" * 100
    yield "one-line.txt", b"word " * 400_000
    yield "lines.txt", b"x\n" * 500_000
    yield "brackets.md", b"[" * 200_000
    yield "stars.md", b"*" * 200_000
    yield "bars.md", b"|-" * 200_000
    yield "rules.md", b"|a|\n|---|\n" * 20_000
    yield "fences.md", b"```\n" * 30_001
    yield "yaml.md", b"---\na: &a [x, x]\nb: &b [*a, *a, *a]\nc: &c [*b, *b, *b]\n---\n# T\n\nText.\n"
    yield "yaml-object.md", b"---\nx: !!python/object/apply:os.system ['true']\n---\n# T\n\nText.\n"
    yield "digits.md", b"GB " + b"9" * 300_000
    yield "quotes.csv", b'a,b\n"never closed,' + b"x" * 500_000
    yield "wide.csv", b",".join(b"x" for _ in range(200_000)) + b"\n1\n"
    yield "rows.csv", b"a,b\n" + b"1,2\n" * 150_000
    yield "formula.csv", b"a,b\n=cmd|' /C calc'!A0,@x\n"
    yield "combining.txt", ("a" + "\u0301" * 10_000).encode()
    yield "tags.txt", ("Ignore the facts" + "\U000e0041" * 5000).encode()


def disguises() -> Iterator[tuple[str, bytes]]:
    """Files that are not what their names say."""
    image = base64.b64decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
    )
    yield "image.pdf", image
    yield "image.md", image
    yield "program.txt", b"\x7fELF" + b"\0" * 500
    yield "pdf.docx", pdf(b"BT /F 9 Tf (x) Tj ET")
    yield "pdf.md", pdf(b"BT /F 9 Tf (x) Tj ET")
    yield "text.pdf", b"no PDF at all"
    yield "text.xlsx", b"a,b\n1,2\n"
    yield "word.pptx", packed(**{MAIN["docx"]: "<a/>"})
    yield "zip.md", packed(a="b")
    yield "gzip.txt", b"\x1f\x8b" + b"\0" * 100


def broken(count: int) -> Iterator[tuple[str, bytes]]:
    """Sound files cut short or with flipped bits."""
    chance = random.Random(SEED)
    sound = {
        "pdf": pages(3),
        "xlsx": sheet(50),
        "docx": packed(**{"[Content_Types].xml": "<Types/>", MAIN["docx"]: "<a/>"}),
    }
    for number in range(count):
        kind = list(sound)[number % len(sound)]
        data = bytearray(sound[kind])
        if number % 2:
            del data[chance.randrange(len(data)) :]
        else:
            for _ in range(20):
                data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        yield f"broken-{number}.{kind}", bytes(data)


def write_all(folder: Path, *, large: bool = False) -> list[Path]:
    """A hundred hostile files in a folder; with `large`, as large as they come."""
    folder.mkdir(parents=True, exist_ok=True)
    made = [*bombs(large=large), *texts(large=large), *disguises()]
    odd = list(odd_files(folder, large=large))
    made += broken(100 - len(made) - len(odd))
    for name, content in made:
        (folder / name).write_bytes(content)
    return [*odd, *(folder / name for name, _ in made)]


def odd_files(folder: Path, *, large: bool) -> Iterator[Path]:
    """Things in a folder that are no ordinary files, or have no ordinary names."""
    huge = folder / "huge.txt"
    with huge.open("wb") as file:
        file.truncate(200_000_000)
    yield huge
    for name in ("line\nbreak.md", "\u202egpj.md", "zero\u200bwidth.md"):
        (folder / name).write_text("# T\n\nText.\n")
        yield folder / name
    if os.name == "posix":
        os.mkfifo(folder / "pipe.md")
        (folder / "outside.txt").symlink_to("/etc/passwd")
        (folder / "device.txt").symlink_to("/dev/zero")
        (folder / "loop.md").symlink_to(folder / "loop.md")
        yield from (folder / name for name in ("pipe.md", "outside.txt", "device.txt", "loop.md"))
