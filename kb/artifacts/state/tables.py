"""What printed tables have in common: runs of lines that belong together, trees of keys, rows under a header."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from kb.artifacts.artifact import Fact, Spot, Value
from kb.artifacts.sheet import Line, Sheet
from kb.artifacts.vocabulary import fact

ROWS_MAX = 1_500
"""Rows of one table that are read."""
_TREE = re.compile(r"^(\s*)(\S[^:]{0,80}?)\s*:(?:\s+(.*))?$")


class Leaf(NamedTuple):
    """A key of a tree with the keys above it."""

    line: Line
    path: tuple[str, ...]
    """Keys from the outermost to its own, in lower case."""
    value: str


def grown(
    sheet: Sheet, anchors: Iterable[int], belongs: Callable[[Line], bool], *, gap: int = 0, up: bool = True
) -> Iterator[Spot]:
    """Runs of lines around anchors that belong together, over gaps of so many other lines; never over a fence."""
    end = -1
    for anchor in anchors:
        if anchor <= end:
            continue
        first = anchor
        if up:
            first = _reach(sheet, anchor, -1, belongs, gap, end)
        last = _reach(sheet, anchor, 1, belongs, gap, end)
        yield Spot(first, last)
        end = last


def _reach(sheet: Sheet, anchor: int, step: int, belongs: Callable[[Line], bool], gap: int, floor: int) -> int:
    edge, missed, index = anchor, 0, anchor + step
    while floor < index < len(sheet.lines) and index >= 0 and not sheet.lines[index].edge and missed <= gap:
        if belongs(sheet.lines[index]):
            edge, missed = index, 0
        else:
            missed += 1
        index += step
    return edge


def tree(lines: Iterable[Line]) -> Iterator[Leaf]:
    """Leaves and branches of an indented `Key : value` tree."""
    above: list[tuple[int, str]] = []
    for line in lines:
        match = _TREE.match(line.text[:400])
        if match is None:
            match = re.match(r"^(\s*)(\S.{0,80}?)\s*()$", line.text[:100])
            if match is None or not line.text.strip():
                continue
        depth, key, value = len(match[1].expandtabs(8)), match[2].strip().lower(), (match[3] or "").strip()
        while above and above[-1][0] >= depth:
            above.pop()
        above.append((depth, key))
        yield Leaf(line, tuple(name for _, name in above), value)


def stated(rows: Mapping[str, Value | None], line: Line, of: str | None = None) -> Iterator[Fact]:
    """Facts of name → value, what is not known left out."""
    for name, value in rows.items():
        if value is not None and value != "":
            yield fact(name, value, line, of)


def cells(text: str) -> list[str]:
    """Words of a line that two or more blanks, a tab or a bar part."""
    return [one.strip() for one in re.split(r"\s{2,}|\t|\s*\|\s*", text.strip().strip("|").strip()) if one.strip()]
