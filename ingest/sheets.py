"""Spreadsheets and CSV as tables: the first row as header, each row with its number in the file."""

import csv
import io
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from ingest.child import Refused
from ingest.office import checked

ROWS_MAX, COLUMNS_MAX = 100_000, 200
CELL_MAX = 2000
_DELIMITERS = ",;\t|"

Row = tuple[int, list[str]]


def read(data: bytes, kind: str) -> dict[str, Any]:
    """Title, date and table lines; a workbook's sheets follow each other, each under its name.

    Raises:
        Refused: it is encrypted, damaged, a bomb, or has more rows than a document may.
    """
    if kind == "csv":
        return {"title": "", "date": None, "lines": list(_lines(_csv(data.decode("utf-8")), 0, None))}
    core = checked(data, kind)
    return {**core, "lines": list(_workbook(data))}


def _csv(text: str) -> Iterator[Row]:
    sample = "\n".join(text.split("\n")[:20])
    delimiter = max(_DELIMITERS, key=sample.count)
    csv.field_size_limit(1_000_000)
    reader = csv.reader(io.StringIO(text), delimiter=delimiter)
    former = 0
    try:
        for row in reader:
            yield former + 1, row
            former = reader.line_num
    except csv.Error:
        raise Refused(f"is no table: line {former + 1} cannot be read.") from None


def _workbook(data: bytes) -> Iterator[list[object]]:
    import openpyxl

    try:
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        shown = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
        base = 0
        for place, sheet in enumerate(shown, 1):
            if len(shown) > 1:
                base += 1
                yield [base, f"## {sheet.title}", place]
            last = base
            for line in _lines(_rows(sheet), base, place):
                last = max(last, int(str(line[0])))
                yield line
            base = last + 1
    except (MemoryError, RecursionError, Refused):
        raise
    except Exception:
        raise Refused("is damaged: its sheets cannot be read.") from None


def _rows(sheet: Any) -> Iterator[Row]:
    """Rows with a value; what the file declares as the sheet's size is not believed."""
    sheet.reset_dimensions()
    for number, row in enumerate(sheet.iter_rows(values_only=True, max_col=COLUMNS_MAX), 1):
        yield number, ["" if value is None else _shown(value) for value in row]


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.10g}"
    return str(value).removesuffix(" 00:00:00")


def _lines(rows: Iterable[Row], base: int, page: int | None) -> Iterator[list[object]]:
    """Markdown rows; an empty row ends a table, and the next one begins with a header of its own."""
    header = True
    for count, (number, cells) in enumerate(rows):
        if count >= ROWS_MAX:
            raise Refused(f"has more than {ROWS_MAX:,} rows.")
        clean = [" ".join(cell[:CELL_MAX].replace("|", "/").split()) for cell in islice(cells, COLUMNS_MAX)]
        while clean and not clean[-1]:
            clean.pop()
        if not clean:
            header = True
            yield [base + number, "", page]
            continue
        if header and len(clean) == 1:
            yield [base + number, clean[0], page]  # a line above the table: its title or a note
            continue
        yield [base + number, "| " + " | ".join(clean) + " |", page]
        if header:
            yield [base + number, "|" + "---|" * len(clean), page]
            header = False
