"""The table of `npu-smi info` and those of `xpu-smi`."""

import re
from collections.abc import Callable, Iterable, Iterator

from kb.artifacts.amounts import count, number, ratio, size_bytes
from kb.artifacts.artifact import Block, Fact, Format, Read, Spot, Value
from kb.artifacts.sheet import Line, Sheet
from kb.artifacts.state.tables import ROWS_MAX, grown, stated

_VERSION = re.compile(r"npu-smi\s+([\w.]{1,30})\s")
_FIRST = re.compile(
    r"\|?\s{0,4}(\d{1,3})\s{1,12}([A-Za-z0-9-]{2,30})\s*\|\s*([A-Za-z]{2,20})\s*\|\s*([\d.]{1,8}|-|NA)\s+(\d{1,3}|-|NA)(?:\s|\|)"
)
"""A card's first line: number, name; health; watts and degrees."""
_SECOND = re.compile(
    r"\|?\s{0,4}(\d{1,3})(?:\s{1,12}(\d{1,3}))?\s*\|\s*(?:[0-9A-Fa-f:.]{7,16}|NA)\s*\|\s*(\d{1,3}|-|NA)\s([^|]{1,80})\|?"
)
"""Its second line: chip and, where a card has several, the number of the device; bus; use and memory."""
_PROCESS = re.compile(
    r"\|?\s{0,10}(\d{1,3})\s+\d{1,3}\s*\|\s*(\d{1,10})\s*\|\s*(\S[^|]{0,80}?)\s*\|\s*(\d{1,8})\s*\|?\s*$"
)
_SHARE = re.compile(r"(\d{1,8})\s*/\s*(\d{1,8})")


def _boxed(line: Line) -> bool:
    return line.text.strip()[:1] in ("|", "+") and bool(line.text.strip())


def _detects(sheet: Sheet) -> Iterable[Spot]:
    heads = [one for one in sheet.at("npu") if _boxed(sheet.lines[one])]
    return grown(sheet, heads, _boxed)


def _read(block: Block) -> Read:
    facts: list[Fact] = []
    first: tuple[re.Match[str], Line] | None = None
    for line in block.lines[:ROWS_MAX]:
        text = line.text.strip()
        if (version := _VERSION.search(text)) is not None:
            facts += stated({"tool_version": version[1]}, line)
        elif (process := _PROCESS.match(text)) is not None:
            rows = {"process_name": process[3], "process_memory_bytes": size_bytes(process[4], "MB")}
            facts += stated(rows, line, f"gpu {process[1]} pid {process[2]}")
        elif (one := _FIRST.match(text)) is not None:
            first = (one, line)
        elif first is not None and (second := _SECOND.match(text)) is not None:
            facts += _card(first[0], first[1], second, line)
            first = None
    return Read(tuple(facts))


def _card(first: re.Match[str], line: Line, second: re.Match[str], below: Line) -> Iterator[Fact]:
    of = f"gpu {int(second[2] or first[1])}"
    name = first[2] if first[2].lower().startswith("ascend") else f"Ascend {first[2]}"
    yield from stated(
        {"gpu_name": name, "health": first[3], "power_w": number(first[4]), "temperature": number(first[5])}, line, of
    )
    # Two pairs where the card has memory of both kinds: the last that is not empty is the one that models use.
    shares = [(used, total) for used, total in _SHARE.findall(second[4]) if int(total)]
    sizes = {}
    if shares:
        sizes = {
            "memory_used_bytes": size_bytes(shares[-1][0], "MB"), "memory_total_bytes": size_bytes(shares[-1][1], "MB"),
        }  # fmt: skip
    yield from stated({"utilisation": ratio(second[3]), **sizes}, below, of)


_XPU_KEYS: dict[str, tuple[str, Callable[[str], Value | None]]] = {
    "device name": ("gpu_name", str), "pci bdf address": ("bus_id", str),
    "memory physical size": ("memory_total_bytes", size_bytes), "gpu utilization (%)": ("utilisation", ratio),
    "gpu power (w)": ("power_w", number), "gpu core temperature (c)": ("temperature", number),
    "gpu memory temperature (c)": ("memory_temperature", number),
    "gpu memory used (mib)": ("memory_used_bytes", lambda words: size_bytes(words, "MiB")),
    "gpu memory util (%)": ("memory_used_ratio", ratio), "driver version": ("driver_version", str),
    "number of tiles": ("tiles", count), "number of eus": ("execution_units", count),
}  # fmt: skip
_PAIR = re.compile(r"\|?\s*(?:\|?\s*(\d{1,3})\s*\|)?\s*\|?\s*([A-Za-z][^|:]{2,60}?)\s*[:|]\s*([^|]{1,80}?)\s*\|?\s*$")


def _detects_xpu(sheet: Sheet) -> Iterable[Spot]:
    words = ("device id", "device name:", "gpu utilization (%)", "gpu memory used (mib)")
    heads = sorted({one for word in words for one in sheet.at(word) if _boxed(sheet.lines[one])})
    return grown(sheet, heads, _boxed)


def _read_xpu(block: Block) -> Read:
    facts: list[Fact] = []
    of = "gpu 0"
    for line in block.lines[:ROWS_MAX]:
        row = _PAIR.match(line.text.strip())
        if row is None:
            continue
        if row[1]:
            of = f"gpu {row[1]}"
        key = row[2].lower()
        if key == "device id" and row[3].isdecimal():
            of = f"gpu {row[3]}"
        elif key in _XPU_KEYS and row[3] not in ("N/A", "unknown"):
            name, read = _XPU_KEYS[key]
            facts += stated({name: read(row[3].split(";")[0].rsplit(":", 1)[-1].strip())}, line, of)
    return Read(tuple(facts))


FORMAT = Format("npu_smi", "state", ("npu-smi", "npu "), _detects, _read, weight=2)
XPU = Format("xpu_smi", "state", ("device id", "device name", "gpu utilization"), _detects_xpu, _read_xpu, weight=1)
