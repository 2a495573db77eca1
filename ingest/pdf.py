"""PDF as text lines with their pages: ruled tables as tables, larger type as headings, running heads dropped.

Text comes from pdfium, which takes a millisecond a page. Only pages with rulings go through pdfplumber, whose tables
cost a hundred times as much, and only for as long as there is time.
"""

import ctypes
import io
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pypdfium2  # type: ignore[import-untyped]
from pypdfium2 import raw

from ingest.child import Refused

PAGES_MAX = 4000
TABLES_S = 6.0
"""Time that tables may take; later ones are read as running text."""
RULINGS_MIN = 4
OBJECTS_MAX = 4000
"""Drawing objects of a page; one with more is a picture."""
HEADING_RATIO = 1.15
HEADING_MAX = 120
MARGIN = 0.09
"""Share of a page's height, at the top and at the bottom, in which running heads stand."""
RUNNING_SHARE, RUNNING_PAGES_MIN = 0.5, 3
"""Share of the pages, and how many, on which a line in the margin is a running head."""
WRAP_SHARE = 0.75
"""Share of a page's longest line from which a line counts as full."""
_HAN = re.compile(r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")
_ENDS = re.compile(r"[.。!！?？:：;；]\s*$")
_ITEM = re.compile(r"\s*(?:[-*+•·–]|\d{1,3}[.)、])\s")
_DIGITS = re.compile(r"\d+")
_HYPHEN = re.compile("\u0002|\ufffe")


@dataclass
class _Line:
    text: str
    size: float
    """Type size in points, 0 for a row of a table."""
    page: int
    is_edge: bool = False
    """Whether it stands in the margin at the top or the bottom."""


def read(data: bytes, kind: str) -> dict[str, Any]:
    """Title, date and lines, numbered through the document; each line carries its page.

    Raises:
        Refused: it is encrypted, damaged, has too many pages, or holds pictures only.
    """
    document = _opened(data)
    count = len(document)
    if count > PAGES_MAX:
        raise Refused(f"has {count:,} pages; at most {PAGES_MAX:,} are read.")
    pages = [list(page) for page in _pages(document, data, count)]
    if not any(line.text.strip() for page in pages for line in page):
        raise Refused("holds no text, only pictures; run a text recognition on it first.")
    _drop_running_heads(pages)
    lines = [line for page in pages for line in _unwrapped(page)]
    meta = document.get_metadata_dict()
    return {
        "title": meta.get("Title", "").strip()[:300],
        "date": _date(meta.get("ModDate") or meta.get("CreationDate") or ""),
        "lines": [[number, text, page] for number, (text, page) in enumerate(_marked(lines), 1)],
    }


def _opened(data: bytes) -> pypdfium2.PdfDocument:
    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as problem:
        if "password" in str(problem).lower() or "security" in str(problem).lower():
            raise Refused("is encrypted; save it without a password.") from None
        raise Refused("is damaged, or no PDF at all.") from None


def _pages(document: pypdfium2.PdfDocument, data: bytes, count: int) -> Iterator[Iterator[_Line]]:
    tables = _Tables(data)
    for index in range(count):
        try:
            page = document[index]
        except pypdfium2.PdfiumError:
            continue
        drawn = _rulings(page)
        if drawn >= RULINGS_MIN and (found := tables.read(index)) is not None:
            yield iter(found)
        else:
            yield _text(page, index + 1)
        page.close()


def _rulings(page: pypdfium2.PdfPage) -> int:
    """Paths drawn on a page; 0 when there are so many that they make a picture."""
    total = raw.FPDFPage_CountObjects(page)
    if total > OBJECTS_MAX:
        return 0
    kinds = (raw.FPDFPageObj_GetType(raw.FPDFPage_GetObject(page, index)) for index in range(total))
    return sum(kind == raw.FPDF_PAGEOBJ_PATH for kind in kinds)


def _text(page: pypdfium2.PdfPage, number: int) -> Iterator[_Line]:
    """Lines of running text with the size of their first letter."""
    text, height = page.get_textpage(), page.get_height()
    whole = text.get_text_range()
    place = 0
    for line in whole.split("\n"):
        size = raw.FPDFText_GetFontSize(text, ctypes.c_int(place)) if line.strip() else 0.0
        low = text.get_charbox(place)[1] if line.strip() else height / 2
        # pdfium counts UTF-16 units; a letter beyond them counts twice.
        place += len(line) + 1 + sum(letter > "\uffff" for letter in line)
        yield _Line(_HYPHEN.sub("", line.rstrip("\r")).rstrip(), float(size), number, _in_margin(low, height))
    text.close()


def _in_margin(place: float, height: float) -> bool:
    return not MARGIN * height <= place <= (1 - MARGIN) * height


class _Tables:
    """Pages with ruled tables, read by pdfplumber while there is time."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._plumber: Any = None
        self._left_s = TABLES_S

    def read(self, index: int) -> list[_Line] | None:
        """Lines of a page with its tables as rows; null when it has none, or time is up."""
        if self._left_s <= 0:
            return None
        started = time.monotonic()
        try:
            if self._plumber is None:
                import pdfplumber

                self._plumber = pdfplumber.open(io.BytesIO(self._data))
            return self._page(self._plumber.pages[index], index + 1)
        except (MemoryError, RecursionError):
            raise
        except Exception:
            self._left_s = 0.0  # pdfium reads what pdfplumber cannot
            return None
        finally:
            self._left_s -= time.monotonic() - started

    def _page(self, page: Any, number: int) -> list[_Line] | None:
        tables = [(table.bbox, rows) for table in page.find_tables() if (rows := _rows(table.extract()))]
        if not tables:
            return None

        def outside(one: dict[str, Any]) -> bool:
            middle = (one["top"] + one["bottom"]) / 2
            return not any(box[0] <= one["x0"] <= box[2] and box[1] <= middle <= box[3] for box, _ in tables)

        prose = page.filter(outside).extract_text_lines(return_chars=True)
        placed = [
            (line["top"], [_Line(line["text"], line["chars"][0]["size"], number, _in_margin(line["top"], page.height))])
            for line in prose
        ]
        placed += [(box[1], [_Line(row, 0.0, number) for row in ("", *rows, "")]) for box, rows in tables]
        page.close()
        return [line for _, lines in sorted(placed, key=lambda one: one[0]) for line in lines]


def _rows(cells: Sequence[Sequence[str | None]]) -> list[str]:
    """Markdown rows; a frame around a paragraph, with one column or row, is no table."""
    if len(cells) < 2 or max(map(len, cells)) < 2:
        return []
    rows = ["| " + " | ".join(" ".join((cell or "").replace("|", "/").split()) for cell in row) + " |" for row in cells]
    return [rows[0], "|" + "---|" * len(cells[0]), *rows[1:]]


def _drop_running_heads(pages: list[list[_Line]]) -> None:
    """Take out lines of the margins that most pages share, whatever the page number in them."""
    if len(pages) < RUNNING_PAGES_MIN:
        return

    def keys(page: list[_Line]) -> set[str]:
        return {_DIGITS.sub("#", line.text.strip()) for line in page if line.is_edge and line.text.strip()}

    seen = Counter(key for page in pages for key in keys(page))
    running = {key for key, count in seen.items() if count >= max(RUNNING_PAGES_MIN, RUNNING_SHARE * len(pages))}
    for page in pages:
        page[:] = [line for line in page if not (line.is_edge and _DIGITS.sub("#", line.text.strip()) in running)]


def _unwrapped(page: Sequence[_Line]) -> Iterator[_Line]:
    """Lines of a page with those joined that only the margin parted, so that sentences stay whole."""
    full = WRAP_SHARE * max((_width(line.text) for line in page if line.size), default=0)
    held: _Line | None = None
    last = ""
    for line in page:
        if held and line.size and _goes_on(last, line.text, full) and round(held.size, 1) == round(line.size, 1):
            glue = "" if _HAN.search(held.text[-1]) or _HAN.match(line.text) else " "
            held = _Line(held.text + glue + line.text.strip(), held.size, held.page)
        else:
            if held:
                yield held
            held = line
        last = line.text
    if held:
        yield held


def _goes_on(text: str, following: str, full: float) -> bool:
    """Whether a line reaches the margin in the middle of a sentence."""
    inside = bool(text.strip() and following.strip()) and not _ENDS.search(text) and not _ITEM.match(following)
    return inside and _width(text) >= full


def _width(text: str) -> int:
    """Letters, a Han one as two."""
    return len(text) + len(_HAN.findall(text))


def _marked(lines: Sequence[_Line]) -> Iterator[tuple[str, int]]:
    """Text and page, larger type marked as headings: the largest as the first level."""
    letters: Counter[float] = Counter()
    for line in lines:
        letters[round(line.size, 1)] += len(line.text) if line.size else 0
    body = letters.most_common(1)[0][0] if letters else 0.0
    larger = sorted({size for size in letters if size >= HEADING_RATIO * body > 0}, reverse=True)[:6]
    for line in lines:
        size = round(line.size, 1)
        short = 1 < len(line.text.strip()) <= HEADING_MAX and any(map(str.isalpha, line.text))
        heading = f"{'#' * (larger.index(size) + 1)} " if size in larger and short else ""
        yield heading + line.text.strip() if heading else line.text, line.page


def _date(text: str) -> str | None:
    """`D:20260504…` as 2026-05-04."""
    match = re.match(r"D:(20\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])", text)
    return "-".join(match.groups()) if match else None
