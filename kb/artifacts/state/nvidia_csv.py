"""Rows of `nvidia-smi --query-gpu=… --format=csv`, with their header or after the command that asked for them."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from kb.artifacts.amounts import count, number, ratio, size_bytes
from kb.artifacts.artifact import Block, Fact, Format, Read, Spot, Value
from kb.artifacts.sheet import Line, Sheet
from kb.artifacts.state.tables import ROWS_MAX, stated

_ASKED = re.compile(r"--query-(?:gpu|compute-apps)[= ]([\w.,\- ]{2,600}?)(?:\s+--?\w|\s*$)")
_UNITS = re.compile(r"\s*\[[^\]]{1,12}\]\s*$")


def _watts(words: str) -> float | None:
    return number(words.rstrip(" W"))


def _mib(words: str) -> int | None:
    return size_bytes(words if words.rstrip()[-1:].isalpha() else words + " MiB")


def _mhz(words: str) -> int | None:
    value = number(words.removesuffix("MHz"))
    return None if value is None else round(value * 1e6)


def _text(words: str) -> str | None:
    return None if words in ("", "N/A", "[N/A]", "[Not Supported]") else words


def _on(words: str) -> bool | None:
    return {"enabled": True, "disabled": False, "active": True, "not active": False}.get(words.lower())


FIELDS: dict[str, tuple[str, Callable[[str], Value | None]]] = {
    "name": ("gpu_name", _text), "gpu_name": ("gpu_name", _text), "count": ("gpu_count", count),
    "driver_version": ("driver_version", _text), "memory.total": ("memory_total_bytes", _mib),
    "memory.used": ("memory_used_bytes", _mib), "memory.free": ("memory_free_bytes", _mib),
    "utilization.gpu": ("utilisation", ratio), "utilization.memory": ("memory_utilisation", ratio),
    "temperature.gpu": ("temperature", number), "temperature.memory": ("memory_temperature", number),
    "power.draw": ("power_w", _watts), "power.draw.instant": ("power_w", _watts),
    "power.draw.average": ("power_w", _watts), "power.limit": ("power_limit_w", _watts),
    "enforced.power.limit": ("power_limit_w", _watts), "power.default_limit": ("power_default_w", _watts),
    "power.max_limit": ("power_max_w", _watts), "pstate": ("performance_state", _text),
    "clocks.sm": ("sm_clock_hz", _mhz), "clocks.current.sm": ("sm_clock_hz", _mhz),
    "clocks.gr": ("graphics_clock_hz", _mhz), "clocks.current.graphics": ("graphics_clock_hz", _mhz),
    "clocks.mem": ("memory_clock_hz", _mhz), "clocks.current.memory": ("memory_clock_hz", _mhz),
    "clocks.max.sm": ("sm_clock_max_hz", _mhz), "pci.bus_id": ("bus_id", _text), "gpu_bus_id": ("bus_id", _text),
    "pcie.link.gen.current": ("pcie_generation", count), "pcie.link.gen.gpucurrent": ("pcie_generation", count),
    "pcie.link.gen.max": ("pcie_generation_max", count), "pcie.link.gen.gpumax": ("pcie_generation_max", count),
    "pcie.link.width.current": ("pcie_lanes", count), "pcie.link.width.max": ("pcie_lanes_max", count),
    "fan.speed": ("fan", ratio), "compute_cap": ("compute_capability", _text), "mig.mode.current": ("mig", _on),
    "persistence_mode": ("persistence", _on), "ecc.mode.current": ("ecc", _on), "compute_mode": ("compute_mode", _text),
    "ecc.errors.uncorrected.volatile.total": ("ecc_errors", count), "process_name": ("process_name", _text),
    "used_memory": ("process_memory_bytes", _mib), "used_gpu_memory": ("process_memory_bytes", _mib),
    "vbios_version": ("vbios_version", _text),
}  # fmt: skip
"""Field of the query → fact, and how its words are read."""
KNOWN = {
    *FIELDS,
    "index",
    "uuid",
    "timestamp",
    "pid",
    "gpu_uuid",
    "serial",
    "gpu_serial",
    "display_mode",
    "display_active",
}


def _fields(text: str) -> list[str]:
    return [_UNITS.sub("", one).strip().lower() for one in text.split(",")]


def _header(line: Line) -> list[str] | None:
    """Fields of a header's line; None where it is none."""
    if "," not in line.text and "[" not in line.text:
        return None
    names = _fields(line.text)
    known = [one for one in names if one in KNOWN or re.fullmatch(r"[a-z_]+(?:\.[a-z_]+)+", one)]
    telling = [one for one in names if one in KNOWN]
    return names if len(known) == len(names) and telling else None


def _asked(line: Line) -> list[str] | None:
    match = _ASKED.search(line.text)
    return _fields(match[1]) if match else None


def _detects(sheet: Sheet) -> Iterable[Spot]:
    end = -1
    for index in sorted({*sheet.at("--query-"), *sheet.at("memory."), *sheet.at("utilization."), *sheet.at("name,"),
                         *sheet.at("index,"), *sheet.at("power."), *sheet.at("pcie.")}):  # fmt: skip
        line = sheet.lines[index]
        names = None if index <= end else _asked(line) or _header(line)
        if names is None:
            continue
        last = end = _last(sheet, index, len(names))
        if last > index:
            yield Spot(index, last)


def _last(sheet: Sheet, index: int, width: int) -> int:
    last = index
    for line in sheet.lines[index + 1 : index + 1 + ROWS_MAX]:
        if line.edge and last == index:
            continue
        if line.edge or not _is_row(line, width):
            break
        last = line.index
    return last


def _is_row(line: Line, width: int) -> bool:
    parts = line.text.split(",")
    if len(parts) == width and all(len(part) < 80 for part in parts):
        return width > 1 or bool(re.match(r"\s*(?:\d|NVIDIA|Tesla|Quadro|GeForce)", parts[0]))
    return _header(line) is not None and len(parts) == width


def _read(block: Block) -> Read:
    names: list[str] = []
    facts: list[Fact] = []
    rows = 0
    for line in block.lines:
        head = _asked(line) or _header(line)
        if head is not None:
            names, rows = head, 0
            continue
        facts += _row(names, [one.strip() for one in line.text.split(",")], line, rows)
        rows += 1
    return Read(tuple(facts[:ROWS_MAX]))


def _row(names: Sequence[str], values: Sequence[str], line: Line, place: int) -> Iterator[Fact]:
    said = dict(zip(names, values, strict=False))
    if "pid" in said:
        of = f"pid {said['pid']}"
    else:
        of = f"gpu {said['index']}" if said.get("index", "").isdecimal() else f"gpu {place}"
    for name, words in said.items():
        if name in FIELDS and words not in ("N/A", "[N/A]", "[Not Supported]", ""):
            into, read = FIELDS[name]
            yield from stated({into: read(words)}, line, of)


FORMAT = Format(
    "nvidia_smi_csv", "state",
    ("--query-", "memory.", "utilization.", "name,", "index,", "power.", "pcie."), _detects, _read, weight=1,
)  # fmt: skip
