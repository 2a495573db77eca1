"""Word and PowerPoint as Markdown lines, through markitdown; every slide keeps its number."""

import io
import re
import zipfile
from typing import Any

from ingest.child import Refused

UNPACKED_MAX_BYTES = 50_000_000
"""Bytes of XML in an Office file; pictures and fonts are not unpacked."""
RATIO_MAX, RATIO_FROM_BYTES = 200, 1_000_000
"""How much smaller than its content a packed part may be; small ones are repetitive by nature."""
PARTS_MAX = 20_000
MAIN = {"docx": "word/document.xml", "pptx": "ppt/presentation.xml", "xlsx": "xl/workbook.xml"}
_XML = re.compile(r"\.(?:xml|rels|vml)$", re.IGNORECASE)
_SLIDE = re.compile(r"<!-- Slide number: (\d+) -->")
_PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_EMPTY_ROW, _RULE = re.compile(r"\|[\s|]*\|"), re.compile(r"\|[\s|:-]*-[\s|:-]*\|")
_DATE = re.compile(rb"<dcterms:modified[^>]*>(\d{4}-\d\d-\d\d)")
_TITLE = re.compile(r"<dc:title>([^<]{1,300})</dc:title>")


def read(data: bytes, kind: str) -> dict[str, Any]:
    """Title, date and lines of a document or a presentation, numbered through.

    Raises:
        Refused: it is encrypted, damaged, another type, or unpacks to more than a document may.
    """
    core = checked(data, kind)
    # Only the two converters are used: the rest of markitdown guesses types and may reach for addresses.
    from markitdown import StreamInfo
    from markitdown.converters import DocxConverter, PptxConverter

    converters: dict[str, Any] = {"docx": DocxConverter, "pptx": PptxConverter}
    converter = converters[kind]()
    try:
        text = converter.convert(io.BytesIO(data), StreamInfo(extension=f".{kind}")).markdown
    except (MemoryError, RecursionError):
        raise
    except Exception:
        raise Refused(f"is damaged: its {MAIN[kind]} cannot be read.") from None
    lines: list[list[object]] = []
    page = None
    for line in text.split("\n"):
        if slide := _SLIDE.fullmatch(line.strip()):
            page = int(slide[1])
            line = ""
        lines.append([len(lines) + 1, _PICTURE.sub("", line).rstrip(), page])
    _head_tables(lines)
    return {**core, "lines": lines}


def _head_tables(lines: list[list[Any]]) -> None:
    """Give a table whose header the converter left empty its first row as header."""
    for place in range(len(lines) - 2):
        if (
            _EMPTY_ROW.fullmatch(lines[place][1])
            and _RULE.fullmatch(lines[place + 1][1])
            and "|" in lines[place + 2][1]
        ):
            rule, header = lines[place + 1][1], lines[place + 2][1]
            lines[place][1], lines[place + 1][1], lines[place + 2][1] = "", header, rule


def checked(data: bytes, kind: str) -> dict[str, Any]:
    """Title and date of an Office file that is safe to unpack.

    Raises:
        Refused: it is no such file, or a bomb.
    """
    try:
        package = zipfile.ZipFile(io.BytesIO(data))
        parts = package.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError):
        raise Refused("is damaged: the archive inside is incomplete.") from None
    if len(parts) > PARTS_MAX:
        raise Refused(f"has more than {PARTS_MAX:,} parts.")
    names = {part.filename for part in parts}
    if "EncryptedPackage" in names or any(part.flag_bits & 1 for part in parts):
        raise Refused("is encrypted; save it without a password.")
    if MAIN[kind] not in names:
        other = next((name for name, main in MAIN.items() if main in names), None)
        raise Refused(f"is really a .{other} file; rename it." if other else f"is an archive, but no .{kind} file.")
    unpacked = sum(part.file_size for part in parts if _XML.search(part.filename))
    if unpacked > UNPACKED_MAX_BYTES:
        raise Refused(f"unpacks to {unpacked:,} bytes; at most {UNPACKED_MAX_BYTES:,} are read.")
    for part in parts:
        if part.file_size > max(RATIO_FROM_BYTES, RATIO_MAX * part.compress_size):
            raise Refused(f"is packed too tightly to be a document: {part.filename[:60]}.")
        if _XML.search(part.filename):
            _without_entities(package, part)
    return _core(package, names)


def _without_entities(package: zipfile.ZipFile, part: zipfile.ZipInfo) -> None:
    """Office writes no document type; whoever does wants entities to grow or files to be read."""
    try:
        with package.open(part) as file:
            start = file.read(4096)
    except Exception:  # what zipfile, zlib and the decoders raise has no other common base
        raise Refused("is damaged: a part of it cannot be unpacked.") from None
    if b"<!DOCTYPE" in start or b"<!ENTITY" in start or b"<\x00!\x00D\x00O" in start:
        raise Refused("declares XML entities, which no Office program writes.")


def _core(package: zipfile.ZipFile, names: set[str]) -> dict[str, Any]:
    if "docProps/core.xml" not in names:
        return {"title": "", "date": None}
    text = package.read("docProps/core.xml")
    date, title = _DATE.search(text), _TITLE.search(text.decode("utf-8", "replace"))
    return {"title": title[1].strip() if title else "", "date": date[1].decode() if date else None}
