"""The tree of `nvidia-smi -q`."""

import re
from collections.abc import Callable, Iterable, Iterator

from kb.artifacts.amounts import count, number, ratio, size_bytes
from kb.artifacts.artifact import Block, Fact, Format, Read, Spot, Value
from kb.artifacts.sheet import Line, Sheet
from kb.artifacts.state.tables import ROWS_MAX, Leaf, grown, stated, tree

_GPU = re.compile(r"\s{0,8}GPU\s+([0-9A-F]{4,8}:[0-9A-F]{2}:[0-9A-F]{2}\.\d)\s*$", re.IGNORECASE)
_ROW = re.compile(r"\s{0,40}\S[^:|]{1,60}\s*:(?:\s|$)|\s{4,}\S[^|]{2,60}$|\s*$|=+NVSMI LOG=+$")


def _on(words: str) -> bool | None:
    return {"enabled": True, "disabled": False, "active": True, "not active": False, "yes": True, "no": False}.get(
        words.lower()
    )


def _watts(words: str) -> float | None:
    return number(words.rstrip(" W"))


def _lanes(words: str) -> int | None:
    return count(words.rstrip("x"))


def _text(words: str) -> str | None:
    return None if words in ("N/A", "") else words


def _first_number(words: str) -> float | None:
    return number(words.split(" ", 1)[0])


_Rule = tuple[tuple[str, ...], str, Callable[[str], Value | None]]
RULES: tuple[_Rule, ...] = (
    (("driver version",), "driver_version", _text), (("cuda version",), "cuda_version", _text),
    (("attached gpus",), "gpu_count", count), (("product name",), "gpu_name", _text),
    (("product architecture",), "architecture", _text), (("persistence mode",), "persistence", _on),
    (("mig mode", "current"), "mig", _on), (("ecc mode", "current"), "ecc", _on),
    (("compute mode",), "compute_mode", _text), (("performance state",), "performance_state", _text),
    (("fan speed",), "fan", ratio), (("vbios version",), "vbios_version", _text),
    (("fb memory usage", "total"), "memory_total_bytes", size_bytes),
    (("fb memory usage", "used"), "memory_used_bytes", size_bytes),
    (("fb memory usage", "free"), "memory_free_bytes", size_bytes),
    (("bar1 memory usage", "total"), "bar1_bytes", size_bytes),
    (("utilization", "gpu"), "utilisation", ratio), (("utilization", "memory"), "memory_utilisation", ratio),
    (("gpu current temp",), "temperature", _first_number), (("gpu slowdown temp",), "slowdown_temperature", _first_number),
    (("memory current temp",), "memory_temperature", _first_number),
    (("power draw",), "power_w", _watts), (("instantaneous power draw",), "power_w", _watts),
    (("average power draw",), "power_w", _watts),
    (("power limit",), "power_limit_w", _watts), (("current power limit",), "power_limit_w", _watts),
    (("default power limit",), "power_default_w", _watts), (("max power limit",), "power_max_w", _watts),
    (("clocks", "sm"), "sm_clock_hz", lambda words: _mhz(words)),
    (("clocks", "memory"), "memory_clock_hz", lambda words: _mhz(words)),
    (("max clocks", "sm"), "sm_clock_max_hz", lambda words: _mhz(words)),
    (("pcie generation", "current"), "pcie_generation", count), (("pcie generation", "max"), "pcie_generation_max", count),
    (("link width", "current"), "pcie_lanes", _lanes), (("link width", "max"), "pcie_lanes_max", _lanes),
    (("uncorrectable error",), "remapped_uncorrectable", count), (("remapping failure occurred",), "remap_failed", _on),
    (("pending",), "remap_pending", _on),
    (("volatile", "dram uncorrectable"), "ecc_errors", count), (("volatile", "sram uncorrectable"), "ecc_errors", count),
    (("bus id",), "bus_id", _text), (("sw power cap",), "throttled_power_cap", _on),
    (("hw thermal slowdown",), "throttled_hot", _on), (("sw thermal slowdown",), "throttled_hot_soft", _on),
    (("hw power brake slowdown",), "throttled_power_brake", _on), (("hw slowdown",), "throttled_hardware", _on),
)  # fmt: skip
"""Last keys of a path → fact, and how its words are read."""
_RULES = {rule[0][-1]: [one for one in RULES if one[0][-1] == rule[0][-1]] for rule in RULES}


def _mhz(words: str) -> int | None:
    value = number(words.removesuffix("MHz"))
    return None if value is None else round(value * 1e6)


def _detects(sheet: Sheet) -> Iterable[Spot]:
    anchors = [
        *sheet.at("nvsmi log"),
        *(one for one in sheet.at("fb memory usage")),
        *sheet.at("clocks throttle reasons"),
    ]
    anchors += [*sheet.at("clocks event reasons"), *sheet.at("gpu power readings")]
    heads = [one for one in anchors if _ROW.match(sheet.lines[one].text)]
    for spot in grown(
        sheet, sorted(set(heads)), lambda line: bool(_ROW.match(line.text) or _GPU.match(line.text)), gap=0
    ):
        first, last = spot.first, spot.last
        while last > first and not sheet.lines[last].text.strip():
            last -= 1
        while first < last and not _begins(sheet.lines[first]):
            first += 1
        if last - first >= 2:
            yield Spot(first, last)


def _begins(line: Line) -> bool:
    return bool(line.text.strip()) and (
        " :" in line.text or "NVSMI" in line.text or line.text[0] in " \t" or bool(_GPU.match(line.text))
    )


def _read(block: Block) -> Read:
    return Read(tuple(list(_facts(block))[:ROWS_MAX]))


def _facts(block: Block) -> Iterator[Fact]:
    of: str | None = None
    index = -1
    process: str | None = None
    for leaf in tree(block.lines):
        if (match := _GPU.match(leaf.line.text)) is not None:
            index, process = index + 1, None
            of = f"gpu {index}"
            yield from stated({"bus_id": match[1].upper()}, leaf.line, of)
        elif leaf.path[-1] == "process id":
            process = f"{of or 'gpu 0'} pid {leaf.value}"
        elif process is not None and leaf.path[-1] == "name":
            yield from stated({"process_name": _text(leaf.value)}, leaf.line, process)
        elif process is not None and leaf.path[-1] == "used gpu memory":
            yield from stated({"process_memory_bytes": size_bytes(leaf.value)}, leaf.line, process)
        else:
            yield from _ruled(leaf, of)


def _ruled(leaf: Leaf, of: str | None) -> Iterator[Fact]:
    for keys, name, read in _RULES.get(leaf.path[-1], ()):
        if len(keys) > 1 and not any(keys[0] in part for part in leaf.path[:-1]):
            continue
        if keys[0] == "pending" and not any("remapped" in part for part in leaf.path):
            continue
        if keys == ("clocks", "sm") and "max clocks" in leaf.path:
            continue
        if keys[0] in ("clocks",) and leaf.path[-2:-1] != ("clocks",):
            continue
        if name.startswith("throttled") and leaf.value == "":
            continue
        if leaf.value and leaf.value not in ("N/A", "[N/A]", "[Not Supported]"):
            yield from stated({name: read(leaf.value)}, leaf.line, of)
            return


FORMAT = Format("nvidia_smi_q", "state", ("nvsmi log", "fb memory usage", "reasons", "power readings"), _detects, _read)
