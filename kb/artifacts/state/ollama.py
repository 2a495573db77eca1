"""The lists `ollama ps`, `ollama list` and `ollama show`."""

import re
from collections.abc import Iterable, Iterator

from kb.artifacts.amounts import EXACT, count, number, size_bytes
from kb.artifacts.artifact import Block, Fact, Format, Read, Spot
from kb.artifacts.sheet import Line, Sheet
from kb.artifacts.state.tables import ROWS_MAX, grown, stated

_ROW = re.compile(
    r"\s{0,4}(?P<name>[\w./\-]{1,120}(?::[\w.\-]{1,80})?)\s+(?P<id>[0-9a-f]{12})\s+(?P<size>[\d.]{1,8}\s?[KMGT]i?B)"
    r"(?:\s+(?:(?P<cpu>\d{1,3})%\s?/\s?(?P<gpu>\d{1,3})%\s+CPU/GPU|(?P<whole>\d{1,3})%\s+(?P<where>GPU|CPU)))?"
    r"(?:\s+(?P<context>\d{3,8})(?=\s|$))?",
    re.IGNORECASE,
)
_HEAD = re.compile(r"\s*NAME\s+ID\s+SIZE\b", re.IGNORECASE)


def _is_row(line: Line) -> bool:
    return bool(_ROW.match(line.text) or _HEAD.match(line.text) or re.match(r"\s*ollama (?:ps|list|ls)\s*$", line.text))


def _detects(sheet: Sheet) -> Iterable[Spot]:
    rows = [one for word in ("gb", "mb") for one in sheet.at(word) if _ROW.match(sheet.lines[one].text)]
    return grown(sheet, sorted(set(rows)), _is_row)


def _read(block: Block) -> Read:
    facts: list[Fact] = []
    for line in block.lines[:ROWS_MAX]:
        if (row := _ROW.match(line.text)) is not None:
            facts += _row(row, line)
    return Read(tuple(facts))


def _row(row: re.Match[str], line: Line) -> Iterator[Fact]:
    """A model. Ollama writes sizes in decimal units."""
    of = f"model {row['name']}"
    share = None
    if row["cpu"]:
        share = int(row["cpu"]) / 100
    elif row["where"]:
        share = 0.0 if row["where"].upper() == "GPU" else 1.0
    loaded = share is not None
    size = size_bytes(row["size"].replace(" ", ""), units=EXACT)
    yield from stated(
        {
            "model": row["name"], "loaded_bytes" if loaded else "file_bytes": size, "cpu_share_ratio": share,
            "context_tokens": count(row["context"]) if row["context"] else None,
        }, line, of,
    )  # fmt: skip


_SHOW = {"architecture": "architecture_name", "parameters": "params", "context length": "context_max_tokens",
         "embedding length": "hidden_size", "quantization": "weight_format"}  # fmt: skip
_SHOWN = re.compile(
    r"\s{2,12}(architecture|parameters|context length|embedding length|quantization)\s{2,}(\S{1,40})\s*$", re.I
)


def _detects_show(sheet: Sheet) -> Iterable[Spot]:
    rows = [one for one in sheet.at("quantization") if _SHOWN.match(sheet.lines[one].text)]
    spots = grown(sheet, rows, lambda line: line.text.startswith("  ") and bool(line.text.strip()), gap=1)
    return (spot for spot in spots if spot.last - spot.first >= 2)


def _read_show(block: Block) -> Read:
    facts: list[Fact] = []
    for line in block.lines[:200]:
        row = _SHOWN.match(line.text)
        if row is None:
            continue
        name = _SHOW[row[1].lower()]
        value: str | int | None = row[2]
        if name == "params":
            match = re.match(r"([\d.]+)\s?([BMT])", row[2])
            amount = number(match[1]) if match else None
            value = round(amount * {"B": 1e9, "M": 1e6, "T": 1e12}[match[2]]) if match and amount else None
        elif name in ("context_max_tokens", "hidden_size"):
            value = count(row[2])
        facts += stated({name: value}, line)
    return Read(tuple(facts))


FORMAT = Format("ollama_list", "state", ("gb", "mb"), _detects, _read)
SHOW = Format("ollama_show", "state", ("quantization",), _detects_show, _read_show)
