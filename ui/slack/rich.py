"""Markdown as Slack's rich text: a tree of elements in which no text is parsed, so that none can mention or link."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from ui.slack.fitting import LONGEST_SECTION, pieces

Block = dict[str, Any]
MOST_ROWS, MOST_COLUMNS = 100, 20
"""Of a table block. Source: https://docs.slack.dev/reference/block-kit/blocks/table-block"""
LONGEST_CELL = 300
_BOLD = re.compile(r"\*\*([^*\n]+?)([。！？；：，、）」』”]+)\*\*(?=\w)")
"""CommonMark does not end an emphasis between Chinese punctuation and a letter: the punctuation goes outside."""
_STYLES = {"strong": "bold", "em": "italic", "s": "strike"}


@lru_cache(maxsize=1)
def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable(["image", "autolink"])


def blocks(text: str, *, tables: bool = True) -> list[Block]:
    """Markdown as blocks. Slack takes one table a message: it becomes a table, any other is set in fixed width."""
    tree = SyntaxTreeNode(_markdown().parse(_BOLD.sub(r"**\1**\2", text)))
    found: list[Block] = []
    for node in tree.children:
        if node.type == "table":
            rows = _rows(node)
            fits = len(rows) <= MOST_ROWS and len(rows[0]) <= MOST_COLUMNS
            free = tables and not any(block["type"] == "table" for block in found)
            found.append(table(rows, _right(node)) if fits and free else fixed(rows))
        elif elements := _elements(node):
            found += [{"type": "rich_text", "elements": [element]} for element in elements]
    return found


def paragraph(text: str, **style: bool) -> Block:
    """One paragraph of plain text."""
    return {"type": "rich_text", "elements": [section([run(text, style)])]}


def quoted(text: str) -> Block:
    """Somebody's words, set off."""
    return {"type": "rich_text", "elements": [{"type": "rich_text_quote", "elements": [run(text, {})]}]}


def bullets(lines: Sequence[str]) -> Block:
    """A list of plain lines."""
    items = [section([run(line, {})]) for line in lines]
    return {"type": "rich_text", "elements": [{"type": "rich_text_list", "style": "bullet", "elements": items}]}


def table(rows: Sequence[Sequence[Sequence[Block]]], right: Sequence[bool] = ()) -> Block:
    """Rows of cells of runs; the first row is the head."""
    settings = [{"align": "right" if side else "left", "is_wrapped": not side} for side in right]
    cells = [[_cell(runs) for runs in row] for row in rows]
    return {"type": "table", "rows": cells, **({"column_settings": settings} if settings else {})}


def _cell(runs: Sequence[Block]) -> Block:
    """A cell, in the short form where nothing in it is styled: a message has room for little JSON."""
    if any("style" in part for part in runs):
        return {"type": "rich_text", "elements": [section(runs)]}
    return {"type": "raw_text", "text": "".join(part["text"] for part in runs)}


def fixed(rows: Sequence[Sequence[Sequence[Block]]]) -> Block:
    """The same rows in fixed width, columns aligned; a Chinese character is two wide."""
    words = [["".join(part["text"] for part in cell) for cell in row] for row in rows]
    widths = [max(_width(row[place]) for row in words if place < len(row)) for place in range(len(words[0]))]
    lines = [
        "  ".join(cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=False)).rstrip()
        for row in words
    ]
    return {"type": "rich_text", "elements": [
        {"type": "rich_text_preformatted", "elements": [run(piece, {})]} for piece in _by_lines(lines)
    ]}  # fmt: skip


def run(text: str, style: dict[str, bool]) -> Block:
    """Some text in one style; Slack refuses empty text."""
    return {"type": "text", "text": text or "–", **({"style": dict(style)} if style else {})}


def section(runs: Sequence[Block]) -> Block:
    """Runs of text in one line."""
    return {"type": "rich_text_section", "elements": list(runs) or [run("", {})]}


def readable(block: Block) -> str:
    """The text of a block as a person reads it, one line a row or paragraph."""
    if block["type"] == "raw_text":
        return str(block["text"])
    if block["type"] == "table":
        return "\n".join(" | ".join(readable(cell) for cell in row) for row in block["rows"])
    return "\n".join(_words(element) for element in block["elements"])


def _words(element: Block) -> str:
    if "elements" in element:
        inner = [_words(part) for part in element["elements"]]
        return "\n".join(f"• {line}" for line in inner) if element["type"] == "rich_text_list" else "".join(inner)
    return str(element.get("text", ""))


def _elements(node: SyntaxTreeNode, depth: int = 0) -> list[Block]:
    """A node as the elements of a rich text block."""
    if node.type in ("paragraph", "heading"):
        style = {"bold": True} if node.type == "heading" else {}
        runs = [part for child in node.children for part in _runs(child, style)]
        return [section(part) for part in _short(runs)] if runs else []
    if node.type in ("bullet_list", "ordered_list"):
        return _list(node, depth)
    if node.type in ("fence", "code_block"):
        return [{"type": "rich_text_preformatted", "elements": [run(part, {})]}
                for part in _by_lines(node.content.rstrip("\n").split("\n"))]  # fmt: skip
    if node.type == "blockquote":
        runs = [part for child in node.children for inner in child.children for part in _runs(inner, {})]
        return [{"type": "rich_text_quote", "elements": runs}] if runs else []
    return []


def _list(node: SyntaxTreeNode, depth: int) -> list[Block]:
    style = "ordered" if node.type == "ordered_list" else "bullet"
    found: list[Block] = []
    for item in node.children:
        for child in item.children:
            if child.type in ("bullet_list", "ordered_list"):
                found += _list(child, depth + 1)
                continue
            lines = [element for element in _elements(child) if element["type"] == "rich_text_section"]
            if found and found[-1]["indent"] == depth and found[-1]["style"] == style:
                found[-1]["elements"] += lines
            elif lines:
                found.append({"type": "rich_text_list", "style": style, "indent": depth, "elements": lines})
    return found


def _runs(node: SyntaxTreeNode, style: dict[str, bool]) -> list[Block]:
    """Inline text with its style; a link keeps its words and loses its address."""
    if node.type in ("text", "code_inline"):
        styled = {**style, "code": True} if node.type == "code_inline" else style
        return [run(node.content, styled)] if node.content else []
    if node.type in ("softbreak", "hardbreak"):
        return [run("\n", {})]
    inner = {**style, _STYLES[node.type]: True} if node.type in _STYLES else style
    return [part for child in node.children for part in _runs(child, inner)]


def _short(runs: list[Block]) -> list[list[Block]]:
    """Runs in sections that each stay within the limit."""
    sections: list[list[Block]] = [[]]
    size = 0
    for part in runs:
        for text in [part["text"]] if len(part["text"]) <= LONGEST_SECTION else pieces(part["text"]):
            if size + len(text) > LONGEST_SECTION and sections[-1]:
                sections.append([])
                size = 0
            sections[-1].append(part | {"text": text})
            size += len(text)
    return sections


def _rows(node: SyntaxTreeNode) -> list[list[list[Block]]]:
    lines = [row for part in node.children for row in part.children]
    rows = [[[part for inner in cell.children for part in _runs(inner, {})] for cell in row.children] for row in lines]
    for cell in rows[0]:
        for part in cell:
            part["style"] = {**part.get("style", {}), "bold": True}
    return [[cell or [run("", {})] for cell in row] for row in rows]


def _right(node: SyntaxTreeNode) -> list[bool]:
    return ["right" in str(cell.attrs.get("style", "")) for cell in node.children[0].children[0].children]


def _by_lines(lines: Sequence[str]) -> list[str]:
    """Lines joined into texts within the limit."""
    texts: list[str] = []
    short = (part for line in lines for part in ([line] if len(line) <= LONGEST_SECTION else pieces(line)))
    for line in short:
        if texts and len(texts[-1]) + 1 + len(line) <= LONGEST_SECTION:
            texts[-1] += "\n" + line
        else:
            texts.append(line)
    return texts or [""]


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)
