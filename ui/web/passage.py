"""A document opened at the cited lines: the text around them, with what is cited marked."""

from html import escape
from typing import Any

from kb.base import BadInput
from kb.retrieval.search import reading
from ui.words.labels import label

AROUND = 14
"""Lines shown before and after the cited ones."""
LONGEST_DOCUMENT = 400


def passage(document: str, first: int, last: int) -> str:
    """The lines `first`..`last` of an ingested document with those around them.

    The text is that of the index, so what is shown is what was cited, and no file of this machine is opened.

    Raises:
        BadInput: no such document, or no such lines in it.
        IndexUnavailable: nothing has been ingested.
    """
    if not document or len(document) > LONGEST_DOCUMENT or first < 1 or last < first:
        raise BadInput("document", "is not a place in a document.")
    with reading() as connection:
        row = connection.execute("SELECT id, title, date, name FROM documents WHERE name = ?", (document,)).fetchone()
        if row is None:
            raise BadInput("document", "is not in the library any more.", "Ask again to have it looked up anew.")
        chunks = connection.execute(
            "SELECT line_start, line_end, page, text FROM chunks WHERE document = ? AND line_end >= ? "
            "AND line_start <= ? ORDER BY ordinal",
            (row["id"], first - AROUND, last + AROUND),
        ).fetchall()
    lines = _lines([dict(chunk) for chunk in chunks], first - AROUND, last + AROUND)
    if not any(first <= number <= last for number in lines):
        raise BadInput("first", "is not a line of that document.")
    rows = "".join(_row(number, text, cited=first <= number <= last) for number, text in sorted(lines.items()))
    date = f" · <time>{escape(row['date'])}</time>" if row["date"] else ""
    page = next((chunk["page"] for chunk in chunks if chunk["line_start"] <= first <= chunk["line_end"]), None)
    where = f" · {label('page')} {page}" if page else ""
    return (
        f'<h2 id="panel-title">{escape(row["title"])}</h2>'
        f'<p class="quiet"><code>{escape(row["name"])}:{first}-{last}</code>{where}{date}</p>'
        f'<ol class="lines">{rows}</ol>'
    )


def _lines(chunks: list[dict[str, Any]], first: int, last: int) -> dict[int, str]:
    """Line number → text, from chunks that may overlap."""
    lines: dict[int, str] = {}
    for chunk in chunks:
        for offset, text in enumerate(chunk["text"].split("\n")):
            number = chunk["line_start"] + offset
            if first <= number <= last:
                lines.setdefault(number, text)
    return lines


def _row(number: int, text: str, *, cited: bool) -> str:
    shown = escape(text) or "&nbsp;"
    if cited:
        return f'<li value="{number}" class="cited"><mark>{shown}</mark></li>'
    return f'<li value="{number}">{shown}</li>'
