"""Samples of `nvidia-smi dmon` and `pmon`."""

from collections.abc import Callable, Iterable

from kb.artifacts.amounts import count, number, ratio, size_bytes
from kb.artifacts.artifact import Block, Fact, Format, Read, Spot, Value
from kb.artifacts.sheet import Line, Sheet
from kb.artifacts.state.tables import ROWS_MAX, grown, stated

_Reader = Callable[[str], Value | None]


def _mhz(words: str) -> int | None:
    value = number(words)
    return None if value is None else round(value * 1e6)


def _mib(words: str) -> int | None:
    return size_bytes(words, "MiB")


def _rate(words: str) -> float | None:
    value = number(words)
    return None if value is None else value * 1e6


COLUMNS: dict[str, tuple[str, _Reader]] = {
    "pwr": ("power_w", number), "gtemp": ("temperature", number), "temp": ("temperature", number),
    "mtemp": ("memory_temperature", number), "sm": ("utilisation", ratio), "mem": ("memory_utilisation", ratio),
    "mclk": ("memory_clock_hz", _mhz), "pclk": ("sm_clock_hz", _mhz), "fb": ("memory_used_bytes", _mib),
    "bar1": ("bar1_used_bytes", _mib), "rxpci": ("pcie_rx_bytes_per_s", _rate), "txpci": ("pcie_tx_bytes_per_s", _rate),
    "command": ("process_name", str), "sbecc": ("ecc_corrected", count), "dbecc": ("ecc_errors", count),
}  # fmt: skip


def _is_row(line: Line) -> bool:
    words = line.text.split()
    return bool(words) and (
        words[0].startswith("#") or (words[0].isdecimal() and all(_cell(word) for word in words[1:5]))
    )


def _cell(word: str) -> bool:
    return word == "-" or number(word) is not None or word in ("C", "G", "C+G", "M", "M+C")


def _detects(sheet: Sheet) -> Iterable[Spot]:
    heads = [one for one in sheet.at("gpu") if _columns(sheet.lines[one].text)]
    return (spot for spot in grown(sheet, heads, _is_row, up=False) if spot.last > spot.first)


def _columns(text: str) -> list[str]:
    words = text.replace("#", " ").lower().split()
    return words if "gpu" in words[:3] and text.lstrip().startswith("#") and len(words) >= 3 else []


def _read(block: Block) -> Read:
    names: list[str] = []
    facts: list[Fact] = []
    for line in block.lines[:ROWS_MAX]:
        if columns := _columns(line.text):
            names = columns
        elif not line.text.lstrip().startswith("#"):
            said = dict(zip(names, line.text.split(), strict=False))
            of = f"gpu {said.get('gpu', '0')}" + (f" pid {said['pid']}" if said.get("pid", "-") != "-" else "")
            known = {name: words for name, words in said.items() if name in COLUMNS and words != "-"}
            facts += stated({COLUMNS[name][0]: COLUMNS[name][1](words) for name, words in known.items()}, line, of)
    return Read(tuple(facts[:ROWS_MAX]))


FORMAT = Format("nvidia_smi_dmon", "state", ("# gpu", "#gpu", "# date", "#date"), _detects, _read)
