"""What `rocm-smi` prints of AMD's cards, line by line: `GPU[0] : Card Series: AMD Instinct MI300X`."""

import re
from typing import Any

CARDS_MAX = 128
_LINE = re.compile(r"^GPU\s?\[?(\d{1,3})\]?\s{0,8}:\s{1,8}([^:\n]{3,60}):\s{0,4}(\S[^\n]{0,80})$", re.M)
_BOARD = re.compile(r"\s+(?:VF|HF|OAM|MCM)\b.*|\s*\(.*")
"""What stands behind the name: how the board is built, or that the card is lent to a guest."""
_KEYS = (
    (re.compile(r"card series", re.I), "name", str),
    (re.compile(r"VRAM Total Used Memory \(B\)", re.I), "memory_used_bytes", int),
    (re.compile(r"VRAM Total Memory \(B\)", re.I), "memory_total_bytes", int),
    (re.compile(r"Temperature \(Sensor junction\) \(C\)", re.I), "temperature_c", float),
    (re.compile(r"(?:Average|Current Socket) Graphics Package Power \(W\)", re.I), "power_w", float),
    (re.compile(r"Max Graphics Package Power \(W\)", re.I), "power_cap_w", float),
    (re.compile(r"\(Topology\) Numa Node", re.I), "numa_node", int),
)
"""The keys that are read, the field each fills and its kind."""


def read_rocm(text: str) -> dict[int, dict[str, Any]]:
    """Card → what the lines say of it, as fields of `Device`; nothing where there is no such line."""
    found: dict[int, dict[str, Any]] = {}
    for row in _LINE.finditer(text):
        index, key, value = int(row[1]), row[2].strip(), row[3].strip()
        for pattern, name, kind in _KEYS:
            if not pattern.fullmatch(key) or index >= CARDS_MAX:
                continue
            try:
                read = kind(value)
            except ValueError:
                continue
            found.setdefault(index, {})[name] = _BOARD.sub("", read) if isinstance(read, str) else read
    return found
