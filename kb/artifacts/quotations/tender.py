"""Parameters of tenders: numbered demands, and tables of demands."""

import re
from collections.abc import Iterable

from kb.artifacts.artifact import Block, Format, Read, Spot
from kb.artifacts.mask import masked_line
from kb.artifacts.quotations.parts import ROWS_MAX, split, words
from kb.artifacts.sheet import Line, Sheet
from kb.artifacts.state.tables import stated

_DEMAND = re.compile(
    r"^\s{0,8}(?:[▲★※*◆●]\s?)?(?:[(（]?\d{1,3}[)）.、．]|\d{1,2}(?:\.\d{1,2}){1,3}|[①-⑳]|[▲★※◆●])\s?(?=\S{2})"
)
_BOUND = re.compile(
    r"[≥≤＞＜>=]|不低于|不少于|不小于|不超过|不大于|至少|须|必须|应(?:当|支持|具备|配)|at least|no less than|must|shall|minimum|or better",
    re.I,
)


def _detects(sheet: Sheet) -> Iterable[Spot]:
    run: list[int] = []
    for line in sheet.lines:
        if _DEMAND.match(line.text) and len(line.text) < 600:
            run.append(line.index)
        elif run and (
            line.edge or not line.text.strip() or len(line.text) >= 600 or not line.text.startswith((" ", "\t"))
        ):
            yield from _spot(sheet, run)
            run = []
    yield from _spot(sheet, run)
    yield from _tables(sheet)


def _spot(sheet: Sheet, run: list[int]) -> Iterable[Spot]:
    """Three numbered lines of which most set bounds, or say must."""
    bounds = sum(bool(_BOUND.search(sheet.lines[one].text)) for one in run)
    if len(run) >= 3 and bounds * 2 > len(run):
        yield Spot(run[0], run[-1])


def _tables(sheet: Sheet) -> Iterable[Spot]:
    end = -1
    for index in sheet.at_any(words().parameter):
        line = sheet.lines[index]
        if index <= end:
            continue
        cells = [re.sub(r"[:：\s（()）]", "", one).lower() for one in split(line)] if 3 < len(line.text) < 400 else []
        if len(cells) < 2 or not any(cell in words().parameter for cell in cells):
            continue
        last = index
        for below in sheet.lines[index + 1 : index + 1 + ROWS_MAX]:
            if below.edge or len(split(below)) != len(cells):
                break
            last = below.index
        end = last
        if last > index + 1:
            yield Spot(index, last)


def _read(block: Block) -> Read:
    facts = []
    for line in block.lines[:ROWS_MAX]:
        demand = _demand(line)
        facts += stated({"parameter": demand[:400]} if demand else {}, line)
    return Read(tuple(facts))


def _demand(line: Line) -> str | None:
    written = masked_line(line.raw.lstrip("> "))  # as written: full-width signs are part of a demand
    if (head := _DEMAND.match(written)) is not None:
        return written[head.end() :].strip()
    cells = [one for one in split(line) if one]
    if len(cells) >= 2 and not all(set(one) <= set("-:= ") for one in cells):
        plain = [re.sub(r"[:：\s（()）]", "", one).lower() for one in cells]
        return None if any(one in words().parameter for one in plain) else " | ".join(cells)
    return None


FORMAT = Format("tender", "quotation", (), _detects, _read)
