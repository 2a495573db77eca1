"""HTML as text lines with their line numbers, without scripts, menus and other boilerplate.

Streams and keeps no tree: a few megabytes of nested tags cost a tree gigabytes.
"""

import re
from html.parser import HTMLParser
from typing import Any

SKIPPED = {
    "script",
    "style",
    "noscript",
    "template",
    "svg",
    "math",
    "nav",
    "footer",
    "aside",
    "form",
    "iframe",
    "button",
}
"""Elements whose text is not the document's."""
BOILERPLATE = re.compile(
    r"\b(nav(bar|igation)?|menu|sidebar|footer|breadcrumb|cookie|advert(isement)?|ads?|share|social|comments?|related|"
    r"subscribe|newsletter|popup|modal)\b",
    re.IGNORECASE,
)
BLOCKS = {
    "p", "div", "section", "article", "main", "li", "ul", "ol", "dl", "dt", "dd", "br", "hr", "pre", "blockquote",
    "table", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "header", "figure", "figcaption", "caption", "body", "html",
}  # fmt: skip
VOID = {"br", "hr", "img", "input", "meta", "link", "source", "wbr", "col", "area", "base", "embed", "param", "track"}
HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0", re.IGNORECASE)
DATES = {"article:published_time", "article:modified_time", "date", "dc.date", "last-modified"}


class Reader(HTMLParser):
    """Collects lines while it streams; depth is counted, never recursed into."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[tuple[int, str]] = []
        self.title = ""
        self.date: str | None = None
        self._text: list[str] = []
        self._spoken = False
        """Whether the text held has any letter."""
        self._line = 1
        self._skipping: list[str] = []
        self._cells: list[str] | None = None
        self._row_line = 1
        self._first_row = False
        self._in_title = False
        self._prefix = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {key: value or "" for key, value in attrs}
        if self._skipping:
            if tag == self._skipping[0] and tag not in VOID:
                self._skipping.append(tag)
            return
        if tag == "meta":
            self._meta(attributes)
        elif tag == "title":
            self._in_title = True
        elif tag not in VOID and (tag in SKIPPED or _is_boilerplate(tag, attributes)):
            self._break()
            self._skipping = [tag]
        elif tag == "table":
            self._break()
            self._first_row = True
        elif tag == "tr":
            self._break()
            self._cells, self._row_line = [], self.getpos()[0]
        elif tag in {"td", "th"} and self._cells is not None:
            self._text, self._spoken = [], False
        elif tag in BLOCKS:
            self._break()
            self._prefix = "#" * int(tag[1]) + " " if re.fullmatch("h[1-6]", tag) else "- " if tag == "li" else ""

    def handle_endtag(self, tag: str) -> None:
        if self._skipping:
            if tag == self._skipping[-1]:
                self._skipping.pop()
            return
        if tag == "title":
            self._in_title = False
        elif tag in {"td", "th"} and self._cells is not None:
            self._cells.append(_squeeze("".join(self._text)).replace("|", "/"))
            self._text, self._spoken = [], False
        elif tag == "tr" and self._cells is not None:
            self._row()
        elif tag in BLOCKS:
            self._break()

    def handle_data(self, data: str) -> None:
        if self._skipping:
            return
        if self._in_title:
            self.title = _squeeze(self.title + data)[:300]
            return
        if self._cells is not None:
            self._text.append(data)
            return
        number = self.getpos()[0]
        for offset, part in enumerate(data.split("\n")):
            if offset:
                self._break(keep_prefix=True)
            if part.strip() and not self._spoken:
                self._line, self._spoken = number + offset, True
            self._text.append(part)

    def close(self) -> None:
        super().close()
        if self._cells is not None:
            self._row()
        self._break()

    def _row(self) -> None:
        cells, self._cells = self._cells or [], None
        self._text, self._spoken = [], False
        if any(cells):
            self.lines.append((self._row_line, "| " + " | ".join(cells) + " |"))
            if self._first_row:
                self.lines.append((self._row_line, "|" + "---|" * len(cells)))
            self._first_row = False

    def _break(self, *, keep_prefix: bool = False) -> None:
        if self._cells is not None:
            return
        text = _squeeze("".join(self._text))
        self._text, self._spoken = [], False
        if text:
            self.lines.append((self._line, self._prefix + text))
            self._prefix = ""
        elif not keep_prefix:
            self._prefix = ""

    def _meta(self, attributes: dict[str, str]) -> None:
        key = (attributes.get("property") or attributes.get("name") or "").lower()
        if key in DATES and (match := re.match(r"\d{4}-\d{2}(-\d{2})?", attributes.get("content", ""))):
            self.date = match[0]


def read(data: bytes, kind: str) -> dict[str, Any]:
    """Title, date and lines of a page in UTF-8, numbered as in its source."""
    text = data.decode()
    reader = Reader()
    for start in range(0, len(text), 65_536):
        reader.feed(text[start : start + 65_536])
    reader.close()
    return {"title": reader.title, "date": reader.date, "lines": [[*line, None] for line in reader.lines]}


def _is_boilerplate(tag: str, attributes: dict[str, str]) -> bool:
    if "hidden" in attributes or attributes.get("aria-hidden") == "true" or HIDDEN.search(attributes.get("style", "")):
        return True
    named = f"{attributes.get('class', '')} {attributes.get('id', '')} {attributes.get('role', '')}"
    return tag in {"div", "section", "ul", "span", "header"} and bool(BOILERPLATE.search(named.replace("-", " ")))


def _squeeze(text: str) -> str:
    return " ".join(text.split())
