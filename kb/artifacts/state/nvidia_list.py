"""Lists of cards and of their slices: `nvidia-smi -L`, `nvidia-smi mig -lgi`."""

import re
from collections.abc import Iterable

from kb.artifacts.artifact import Block, Format, Read, Spot
from kb.artifacts.sheet import Line, Sheet
from kb.artifacts.state.tables import ROWS_MAX, grown, stated

_CARD = re.compile(r"\s{0,8}GPU\s(\d{1,3}):\s(.{2,60}?)\s*\(UUID:", re.I)
_SLICE = re.compile(r"\s{0,12}MIG\s(\dc?(?:\.\d)?[\w.+]{1,16})\s+Device\s+(\d{1,3}):", re.I)
_INSTANCE = re.compile(
    r"\s*\|\s*(\d{1,3})\s+(?:(\d{1,3})\s+)?MIG\s(\d[\w.+]{1,16})\s+(\d{1,3})\s+(\d{1,3})\s+(?:\d{1,3}\s+)?(\d:\d)?"
)


def _is_card(line: Line) -> bool:
    return bool(_CARD.match(line.text) or _SLICE.match(line.text))


def _detects(sheet: Sheet) -> Iterable[Spot]:
    return grown(sheet, [one for one in sheet.at("uuid") if _is_card(sheet.lines[one])], _is_card, gap=1)


def _read(block: Block) -> Read:
    facts, of, cards = [], None, 0
    for line in block.lines[:ROWS_MAX]:
        if (card := _CARD.match(line.text)) is not None:
            of, cards = f"gpu {card[1]}", cards + 1
            facts += stated({"gpu_name": card[2]}, line, of)
        elif (part := _SLICE.match(line.text)) is not None:
            facts += stated({"mig_profile": part[1]}, line, f"{of or 'gpu 0'} mig {part[2]}")
    return Read(tuple(facts))


def _detects_instances(sheet: Sheet) -> Iterable[Spot]:
    rows = [one for one in sheet.at("mig ") if _INSTANCE.match(sheet.lines[one].text)]
    return grown(sheet, rows, lambda line: line.text.strip()[:1] in ("|", "+") and bool(line.text.strip()), gap=0)


def _read_instances(block: Block) -> Read:
    facts = []
    for line in block.lines[:ROWS_MAX]:
        if (row := _INSTANCE.match(line.text)) is not None:
            facts += stated({"mig_profile": row[3]}, line, f"gpu {row[1]} mig {row[5]}")
    return Read(tuple(facts))


FORMAT = Format("nvidia_smi_list", "state", ("uuid",), _detects, _read, weight=1)
INSTANCES = Format("mig_instances", "state", ("mig ",), _detects_instances, _read_instances, weight=1)
