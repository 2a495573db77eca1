"""The table of `npu-smi info`: Ascend cards, their health and programs."""

import re
from typing import Any

from kb.units import MIB

CARDS_MAX = 128
_VERSION = re.compile(r"^\|\s{0,4}npu-smi\s+(\S{1,30})\s", re.M)
_FIRST = re.compile(
    r"^\|\s{1,4}(\d{1,3})\s{1,8}([A-Za-z0-9-]{2,30})\s{0,40}\|\s{0,20}([A-Za-z]{2,20})\s{0,20}\|"
    r"\s{0,10}([\d.]{1,8}|-|NA)\s{1,20}(\d{1,3}|-|NA)\s",
)
"""A card's first line: number, name; health; watts and degrees."""
_SECOND = re.compile(
    r"^\|\s{1,4}(\d{1,3})(?:\s{1,8}(\d{1,3}))?\s{1,40}\|\s{0,20}(?:[0-9A-Fa-f:.]{7,16}|NA)\s{0,10}\|"
    r"\s{0,10}(\d{1,3}|-|NA)\s([^|]{1,80})\|"
)
"""Its second line: chip and, where a card has several, the number of the device; bus; use and memory."""
_PROCESS = re.compile(
    r"^\|\s{1,8}(\d{1,3})\s{1,12}\d{1,3}\s{1,40}\|\s{0,10}(\d{1,10})\s{1,20}\|\s{0,10}(\S[^|]{0,80}?)\s{0,60}\|"
    r"\s{0,10}(\d{1,8})\s{0,40}\|"
)
_SHARE = re.compile(r"(\d{1,8})\s{0,6}/\s{0,6}(\d{1,8})")


def read_npus(text: str) -> tuple[str | None, dict[int, dict[str, Any]], list[dict[str, Any]]]:
    """Version of the driver's tool, device → fields of `Device`, and programs; all empty where there is no table."""
    version = _VERSION.search(text)
    if version is None:
        return None, {}, []
    cards: dict[int, dict[str, Any]] = {}
    processes: list[dict[str, Any]] = []
    first: re.Match[str] | None = None
    for line in text.splitlines():
        if match := _PROCESS.match(line):
            processes.append({"device": int(match[1]), "pid": int(match[2]), "name": match[3].strip(),
                              "memory_bytes": int(match[4]) * MIB})  # fmt: skip
        elif match := _FIRST.match(line):
            first = match
        elif first is not None and (match := _SECOND.match(line)) and len(cards) < CARDS_MAX:
            cards[int(match[2] or first[1])] = _card(first, match)
            first = None
    return version[1], cards, processes


def _card(first: re.Match[str], second: re.Match[str]) -> dict[str, Any]:
    name = first[2] if first[2].lower().startswith("ascend") else f"Ascend {first[2]}"
    found: dict[str, Any] = {"name": name, "health": first[3]}
    if first[4][0].isdecimal():
        found["power_w"] = float(first[4])
    if first[5].isdecimal():
        found["temperature_c"] = float(first[5])
    if second[3].isdecimal():
        found["utilisation"] = min(1.0, int(second[3]) / 100)
    # Two pairs where the card has memory of both kinds: the last that is not empty is the one that models use.
    shares = [(int(used), int(total)) for used, total in _SHARE.findall(second[4]) if int(total)]
    if shares:
        found |= {"memory_used_bytes": shares[-1][0] * MIB, "memory_total_bytes": shares[-1][1] * MIB}
    return found
