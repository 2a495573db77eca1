"""What `rocm-smi` and `amd-smi` print of AMD's cards."""

import re
from collections.abc import Callable, Iterable, Iterator

from kb.artifacts.amounts import count, number, ratio, size_bytes
from kb.artifacts.artifact import Block, Fact, Format, Read, Spot, Value
from kb.artifacts.sheet import Line, Sheet
from kb.artifacts.state.tables import ROWS_MAX, grown, stated, tree

_TEMPERATURE = re.compile(r"(?<![\w.])(\d{1,3}(?:\.\d)?)\s?°?\s?[cC](?![\w/])")
_WATTS = re.compile(r"(?<![\w.])(\d{1,4}(?:\.\d{1,3})?)\s?W\b")
_SHARE = re.compile(r"(?<![\w.])(\d{1,3})\s?%")
_ROW = re.compile(r"\s{0,6}(\d{1,3})\s+\S.*%")
_LINE = re.compile(r"\s*GPU\s?\[?(\d{1,3})\]?\s{0,8}:\s{1,8}([^:\n]{3,60}):\s{0,4}(\S[^\n]{0,80})$", re.I)
_BOARD = re.compile(r"\s+(?:VF|HF|OAM|MCM)\b.*|\s*\(.*")
"""What stands behind the name: how the board is built, or that the card is lent to a guest."""
_KEYS: tuple[tuple[re.Pattern[str], str, Callable[[str], Value | None]], ...] = (
    (re.compile(r"card series", re.I), "gpu_name", lambda words: _BOARD.sub("", words)),
    (re.compile(r"VRAM Total Used Memory \(B\)", re.I), "memory_used_bytes", count),
    (re.compile(r"VRAM Total Memory \(B\)", re.I), "memory_total_bytes", count),
    (re.compile(r"Temperature \(Sensor (?:junction|edge)\) \(C\)", re.I), "temperature", number),
    (re.compile(r"Temperature \(Sensor memory\) \(C\)", re.I), "memory_temperature", number),
    (re.compile(r"(?:Average|Current Socket) Graphics Package Power \(W\)", re.I), "power_w", number),
    (re.compile(r"Max Graphics Package Power \(W\)", re.I), "power_limit_w", number),
    (re.compile(r"GPU use \(%\)", re.I), "utilisation", ratio),
    (re.compile(r"GPU Memory Allocated \(VRAM%\)|GPU memory use \(%\)", re.I), "memory_used_ratio", ratio),
    (re.compile(r"\(Topology\) Numa Node", re.I), "numa_node", count),
    (re.compile(r"Driver version", re.I), "driver_version", str),
    (re.compile(r"GFX Version", re.I), "architecture", str),
)


def _is_concise(line: Line) -> bool:
    text = line.text.strip()
    return bool(_ROW.match(text)) or text[:3] == "===" or bool(re.match(r"(?:GPU|Device|\(DID|WARNING)", text))


def _detects(sheet: Sheet) -> Iterable[Spot]:
    heads = [one for one in sheet.at("vram%") if "gpu%" in sheet.lines[one].text.lower()]
    yield from grown(sheet, heads, _is_concise, gap=1)
    rows = [one for one in sheet.at("gpu") if _LINE.match(sheet.lines[one].text)]
    yield from grown(sheet, rows, lambda line: bool(_LINE.match(line.text)) or line.text.strip()[:3] == "===", gap=1)


def _read(block: Block) -> Read:
    facts: list[Fact] = []
    for line in block.lines[:ROWS_MAX]:
        if (row := _LINE.match(line.text)) is not None:
            facts += _keyed(row, line)
        elif _ROW.match(line.text.strip()):
            facts += _concise(line)
    version = next((line for line in block.lines if "Driver version:" in line.text), None)
    if version is not None and not _LINE.match(version.text):
        facts += stated({"driver_version": version.text.rsplit(":", 1)[-1].strip()}, version)
    return Read(tuple(facts))


def _keyed(row: re.Match[str], line: Line) -> Iterator[Fact]:
    for pattern, name, read in _KEYS:
        if pattern.fullmatch(row[2].strip()):
            yield from stated({name: read(row[3].strip())}, line, f"gpu {int(row[1])}")


def _concise(line: Line) -> Iterator[Fact]:
    """A row of the short table: versions order the columns differently, their units tell them apart."""
    text = line.text
    heat, watts, shares = _TEMPERATURE.search(text), _WATTS.findall(text), _SHARE.findall(text)
    row = _ROW.match(text.strip())
    yield from stated(
        {
            "temperature": float(heat[1]) if heat else None, "power_w": float(watts[0]) if watts else None,
            "power_limit_w": float(watts[1]) if len(watts) > 1 else None,
            "memory_used_ratio": ratio(shares[-2]) if len(shares) > 1 else None,
            "utilisation": ratio(shares[-1]) if shares else None,
            "fan": ratio(shares[0]) if len(shares) > 2 else None,
        }, line, f"gpu {int(row[1]) if row else 0}",
    )  # fmt: skip


_NAME = re.compile(r"\|\s*(?P<bus>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.\d)\s+(?P<name>\S[^|]{2,50}?)\s*\|\s*(?P<mem>\d{1,3}|N/A)\s?%?\s+"
                   r"(?P<heat>\d{1,3}|N/A)\s?°?C?\s+(?P<ecc>\d{1,6}|N/A)\s+(?P<power>\d{1,4}|N/A)\s?/\s?(?P<limit>\d{1,4}|N/A)\s?W?", re.I)  # fmt: skip
_USE = re.compile(r"\|\s*(?P<gpu>\d{1,3})\s+[\d/A-N]+\s+[^|]{0,40}\|\s*(?P<use>\d{1,3}|N/A)\s?%?\s+(?P<fan>\d{1,3}\s?%|N/A)\s+"
                  r"(?P<used>\d{1,8})\s?/\s?(?P<total>\d{1,8})\s?MB", re.I)  # fmt: skip
_VERSION = re.compile(r"amdgpu version:\s*(\S{1,30})", re.I)
_ROCM = re.compile(r"ROCm version:\s*([\d.]{1,12})", re.I)


def _detects_table(sheet: Sheet) -> Iterable[Spot]:
    return grown(
        sheet, sheet.at("amd-smi "), lambda line: line.text.strip()[:1] in ("|", "+") and line.text.strip() != ""
    )


def _read_table(block: Block) -> Read:
    facts: list[Fact] = []
    named: tuple[re.Match[str], Line] | None = None
    for line in block.lines[:ROWS_MAX]:
        for name, pattern in (("driver_version", _VERSION), ("rocm_version", _ROCM)):
            if (match := pattern.search(line.text)) is not None:
                facts += stated({name: match[1]}, line)
        if (first := _NAME.match(line.text.strip())) is not None:
            named = (first, line)
        elif named is not None and (use := _USE.match(line.text.strip())) is not None:
            facts += _pair(named[0], named[1], use, line)
            named = None
    return Read(tuple(facts))


def _pair(first: re.Match[str], line: Line, use: re.Match[str], second: Line) -> Iterator[Fact]:
    of = f"gpu {int(use['gpu'])}"
    yield from stated(
        {
            "gpu_name": _BOARD.sub("", first["name"]), "bus_id": first["bus"], "temperature": number(first["heat"]),
            "power_w": number(first["power"]), "power_limit_w": number(first["limit"]),
            "ecc_errors": count(first["ecc"]), "memory_utilisation": ratio(first["mem"]),
        }, line, of,
    )  # fmt: skip
    sizes = {"memory_used_bytes": size_bytes(use["used"], "MB"), "memory_total_bytes": size_bytes(use["total"], "MB")}
    yield from stated({"utilisation": ratio(use["use"]), **sizes}, second, of)


_TREE_KEYS: dict[str, tuple[str, Callable[[str], Value | None]]] = {
    "market_name": ("gpu_name", str), "product_name": ("gpu_name", str), "total_vram": ("memory_total_bytes", size_bytes),
    "used_vram": ("memory_used_bytes", size_bytes), "free_vram": ("memory_free_bytes", size_bytes),
    "gfx_activity": ("utilisation", ratio), "umc_activity": ("memory_utilisation", ratio),
    "socket_power": ("power_w", lambda words: number(words.rstrip(" W"))),
    "max_power": ("power_limit_w", lambda words: number(words.rstrip(" W"))),
    "hotspot": ("temperature", lambda words: number(words.rstrip(" °C"))),
    "target_graphics_version": ("architecture", str), "bdf": ("bus_id", str),
}  # fmt: skip


def _detects_tree(sheet: Sheet) -> Iterable[Spot]:
    heads = [one for one in sheet.at("gpu:") if re.match(r"\s*GPU:\s\d{1,3}\s*$", sheet.lines[one].text)]
    spots = grown(sheet, heads, lambda line: bool(re.match(r"\s*GPU:\s\d|\s{2,}\S", line.text)), gap=1, up=False)
    return (spot for spot in spots if spot.last > spot.first)


def _read_tree(block: Block) -> Read:
    facts: list[Fact] = []
    of = "gpu 0"
    for leaf in tree(block.lines[:ROWS_MAX]):
        if leaf.path == ("gpu",):
            of = f"gpu {leaf.value}"
        elif leaf.path[-1] in _TREE_KEYS and leaf.value not in ("", "N/A"):
            name, read = _TREE_KEYS[leaf.path[-1]]
            facts += stated({name: read(leaf.value)}, leaf.line, of)
        elif leaf.path[-2:] == ("vram", "size"):
            facts += stated({"memory_total_bytes": size_bytes(leaf.value)}, leaf.line, of)
    return Read(tuple(facts))


FORMAT = Format("rocm_smi", "state", ("vram%", "gpu"), _detects, _read, weight=1)
TABLE = Format("amd_smi", "state", ("amd-smi ",), _detects_table, _read_table, weight=1)
TREE = Format("amd_smi_tree", "state", ("gpu:",), _detects_tree, _read_tree)
