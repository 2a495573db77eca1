"""A conversation as a PDF: its Markdown set as pages, Chinese in the font every reader of PDF brings."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from html import escape
from io import BytesIO
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from reportlab.lib import colors
from reportlab.lib.enums import TA_LEFT
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.platypus import Flowable, ListFlowable, ListItem, Paragraph, SimpleDocTemplate, Spacer, Table

from assistant.answer import Answer
from ui.words.markdown import as_markdown

HAN = "STSong-Light"
LATIN = "Helvetica"
GREEN, LINE, SOFT = colors.HexColor("#0a6b50"), colors.HexColor("#dbe3df"), colors.HexColor("#eef3f1")
ROOM = A4[0] - 40 * mm
_INK = colors.HexColor("#14211d")


def pdf(turns: Sequence[Answer]) -> bytes:
    """The turns on A4 pages, each question as a heading."""
    pdfmetrics.registerFont(UnicodeCIDFont(HAN))
    story: list[Flowable] = []
    for number, answer in enumerate(turns):
        if number:
            story.append(Spacer(1, 8 * mm))
        story.append(Paragraph(_mixed(" ".join(answer.question.split())[:1000]), _style("question")))
        story += _flow(_markdown().parse(as_markdown(answer)))
    out = BytesIO()
    title = " ".join(turns[0].question.split())[:80] if turns else "GPU Advisor"
    document = SimpleDocTemplate(
        out, pagesize=A4, leftMargin=20 * mm, rightMargin=20 * mm, topMargin=18 * mm, bottomMargin=18 * mm,
        title=title, author="GPU Advisor", invariant=True,
    )  # fmt: skip
    document.build(story, onFirstPage=_numbered, onLaterPages=_numbered)
    return out.getvalue()


def _numbered(canvas: Any, document: Any) -> None:
    canvas.setFont(LATIN, 8)
    canvas.setFillColor(colors.HexColor("#55645e"))
    canvas.drawRightString(A4[0] - 20 * mm, 10 * mm, str(document.page))
    canvas.drawString(20 * mm, 10 * mm, "GPU Advisor")


@lru_cache(maxsize=1)
def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False, "breaks": True}).enable("table").disable("image")


@lru_cache(maxsize=8)
def _style(name: str) -> ParagraphStyle:
    base = {"fontName": LATIN, "fontSize": 9.5, "leading": 15, "textColor": _INK, "alignment": TA_LEFT, "spaceAfter": 5}
    change: dict[str, dict[str, Any]] = {
        "question": {"fontSize": 13, "leading": 19, "textColor": GREEN, "spaceAfter": 8},
        "heading": {"fontSize": 11, "leading": 16, "spaceBefore": 6},
        "cell": {"fontSize": 8, "leading": 11, "spaceAfter": 0},
        "code": {"fontSize": 8, "leading": 11, "backColor": SOFT, "borderPadding": 4},
    }
    return ParagraphStyle(name, **(base | change.get(name, {})), wordWrap="CJK")


def _flow(tokens: Sequence[Token]) -> Iterator[Flowable]:
    """The blocks of the text as what the page is made of."""
    index = 0
    while index < len(tokens):
        token = tokens[index]
        end = _end(tokens, index)
        if token.type in {"paragraph_open", "heading_open"}:
            style = "heading" if token.type == "heading_open" else "body"
            yield Paragraph(_inline(tokens[index + 1]), _style(style))
        elif token.type in {"bullet_list_open", "ordered_list_open"}:
            yield _listed(tokens[index + 1 : end], ordered=token.type.startswith("ordered"))
        elif token.type == "table_open":
            yield _table(tokens[index:end])
            yield Spacer(1, 3 * mm)
        elif token.type in {"fence", "code_block"}:
            lines = "<br/>".join(_mixed(line).replace("  ", "&nbsp; ") for line in token.content.rstrip().split("\n"))
            yield Paragraph(lines, _style("code"))
        elif token.type == "blockquote_open":
            yield from _flow(tokens[index + 1 : end])
        index = end + 1


def _end(tokens: Sequence[Token], start: int) -> int:
    """Where the block that opens at `start` closes."""
    if tokens[start].nesting != 1:
        return start
    depth = 0
    for index in range(start, len(tokens)):
        depth += tokens[index].nesting
        if depth == 0:
            return index
    return len(tokens) - 1


def _listed(tokens: Sequence[Token], *, ordered: bool) -> Flowable:
    items, index = [], 0
    while index < len(tokens):
        end = _end(tokens, index)
        items.append(ListItem(list(_flow(tokens[index + 1 : end])), leftIndent=12))
        index = end + 1
    return ListFlowable(items, bulletType="1" if ordered else "bullet", bulletFontSize=8, leftIndent=12)


def _table(tokens: Sequence[Token]) -> Flowable:
    rows: list[list[Paragraph]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and rows:
            rows[-1].append(Paragraph(_inline(token), _style("cell")))
    columns = max(map(len, rows), default=1)
    rows = [row + [Paragraph("", _style("cell"))] * (columns - len(row)) for row in rows]
    table = Table(rows, colWidths=[ROOM / columns] * columns, repeatRows=1)
    table.setStyle(
        [
            ("GRID", (0, 0), (-1, -1), 0.4, LINE),
            ("BACKGROUND", (0, 0), (-1, 0), SOFT),
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ]
    )
    return table


def _inline(token: Token) -> str:
    """Words with emphasis and links as the page's own markup."""
    parts = []
    for child in token.children or []:
        if child.type in {"strong_open", "strong_close"}:
            parts.append(f"<{'/' if child.nesting < 0 else ''}b>")
        elif child.type in {"em_open", "em_close"}:
            parts.append(f"<{'/' if child.nesting < 0 else ''}i>")
        elif child.type in {"softbreak", "hardbreak"}:
            parts.append("<br/>")
        elif child.type == "link_open" and str(child.attrGet("href")).startswith(("https://", "http://")):
            parts.append(f'<link href="{escape(str(child.attrGet("href")))}" color="#0a6b50">')
        elif child.type == "link_close":
            parts.append("</link>" if parts and any(part.startswith("<link") for part in parts) else "")
        else:
            parts.append(_mixed(child.content))
    return "".join(parts)


def _mixed(text: str) -> str:
    """Escaped text, with everything the Latin font cannot draw in the Chinese one."""
    return re.sub(
        r"[^\x00-\x7f\xa0-\xff‐-―‘-”•…€]+",
        lambda match: f'<font name="{HAN}">{match[0]}</font>',
        escape(text, quote=False),
    )
