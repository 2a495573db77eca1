"""The table of `nvidia-smi`: driver, cards, programs; with what `npu-smi info` and `rocm-smi` say of theirs."""

import re
from dataclasses import dataclass, field
from typing import Any

from kb.units import MIB
from tools.topology.npu import read_npus
from tools.topology.rocm import read_rocm

CARDS_MAX = 128
_DRIVER = re.compile(r"Driver Version:\s{0,4}([\d.]{1,16})", re.I)
_CUDA = re.compile(r"CUDA (?:UMD )?Version:\s{0,4}([\d.]{1,8})", re.I)
_FIRST = re.compile(
    r"^\|\s{1,4}(\d{1,3})\s{1,4}(\S[^|]{0,60}?)\s+(On|Off|N/A)?\s{0,4}\|"
    r"\s*([0-9A-F:.]{7,16})\s[^|]*\|([^|]*)\|",
    re.I,
)
"""A card's first line: index, name, persistence; bus; uncorrected errors."""
_SECOND = re.compile(
    r"^\|\s{0,6}(N/A|ERR!|\d{1,3}%|\[[^]]*\])\s+(N/A|ERR!|\d{1,3})C?\s+(\S{1,4})\s+(\d{1,5}W|N/A|ERR!|Unknown)"
    r"\s?/\s{0,4}(\d{1,5}W|N/A|ERR!)\s*\|\s*(\d{1,8})MiB\s?/\s{0,6}(\d{1,8})MiB\s*\|\s*(\d{1,3}%|N/A|ERR!)?",
    re.I,
)
"""Its second line: fan, temperature, state, power; memory; utilisation."""
_MIG = re.compile(r"\|\s{2,}\|\s{2,}\|\s*(Enabled|Disabled)\s*\|", re.I)
_PROCESS = re.compile(
    r"^\|\s{1,6}(\d{1,3})\s+(?:N/A\s+N/A\s+)?(\d{1,10})\s+([CGM+]{1,5})\s+(\S[^|]{0,120}?)"
    r"\s+(\d{1,8}MiB|N/A)\s*\|",
    re.I,
)
_LOST = re.compile(r"has fallen off the bus|\bGPU is lost|unable to determine the device handle", re.I)
LINE_MAX = 400
"""Characters of a line; the table is far narrower."""


@dataclass
class Table:
    """What the table says, card by card."""

    driver: str | None = None
    cuda: str | None = None
    cards: dict[int, dict[str, Any]] = field(default_factory=dict)
    processes: list[dict[str, Any]] = field(default_factory=list)
    lost: bool = False


def read_table(text: str) -> Table | None:
    """The table of a text; null when there is none."""
    table, last = Table(lost=_LOST.search(text) is not None), None
    if match := _DRIVER.search(text):
        table.driver = match[1]
    if match := _CUDA.search(text):
        table.cuda = match[1]
    for line in text.splitlines():
        if len(line) > LINE_MAX:
            continue
        if match := _PROCESS.match(line):
            table.processes.append(_process(match))
        elif match := _FIRST.match(line):
            if len(table.cards) >= CARDS_MAX:
                break
            last = table.cards.setdefault(int(match[1]), {})
            last |= {"name": match[2].strip(), **_flags(match)}
        elif last is not None and (match := _SECOND.match(line)):
            last |= _figures(match)
            last["fallen_off"] = "ERR!" in line.upper()
        elif last is not None and (match := _MIG.search(line)):
            last["mig"] = match[1].lower() == "enabled"
    version, cards, processes = read_npus(text)
    table.driver = table.driver or version
    table.processes += processes
    for index, card in [*cards.items(), *read_rocm(text).items()]:
        table.cards[index] = table.cards.get(index, {}) | card
    return table if table.cards or table.driver or table.lost else None


def _flags(match: re.Match[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if match[3] and match[3].lower() in {"on", "off"}:
        found["persistence"] = match[3].lower() == "on"
    errors = match[5].strip()
    if errors.isdecimal():
        found["ecc_errors"] = int(errors)
    return found


def _figures(match: re.Match[str]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "memory_used_bytes": int(match[6]) * MIB, "memory_total_bytes": int(match[7]) * MIB,
    }  # fmt: skip
    for key, group in (("temperature_c", 2), ("power_w", 4), ("power_cap_w", 5)):
        digits = re.sub(r"\D", "", match[group] or "")
        if digits:
            found[key] = float(digits)
    if match[8] and match[8][:-1].isdecimal():
        found["utilisation"] = min(1.0, int(match[8][:-1]) / 100)
    return found


def _process(match: re.Match[str]) -> dict[str, Any]:
    size = match[5][:-3]
    return {
        "device": int(match[1]), "pid": int(match[2]), "name": match[4].strip(),
        "memory_bytes": int(size) * MIB if size.isdecimal() else None,
    }  # fmt: skip
