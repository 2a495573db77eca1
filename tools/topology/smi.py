"""Cards and programs of a pasted table of `nvidia-smi`, `npu-smi`, `rocm-smi` …, by the facts of its artifacts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from kb.artifacts import Fact, find_artifacts

CARDS_MAX = 128
KINDS = ("nvidia_smi", "nvidia_smi_q", "npu_smi", "rocm_smi", "amd_smi", "xpu_smi")
FIELDS = {
    "gpu_name": "name", "memory_used_bytes": "memory_used_bytes", "memory_total_bytes": "memory_total_bytes",
    "temperature": "temperature_c", "power_w": "power_w", "power_limit_w": "power_cap_w", "utilisation": "utilisation",
    "persistence": "persistence", "ecc_errors": "ecc_errors", "mig": "mig", "health": "health",
    "card_lost": "fallen_off", "numa_node": "numa_node",
}  # fmt: skip
"""Fact → field of `Device`."""
_LOST = re.compile(r"has fallen off the bus|\bGPU is lost|unable to determine the device handle", re.I)
_CARD = re.compile(r"gpu (\d{1,3})")
_PROGRAM = re.compile(r"gpu (\d{1,3}) pid (\d{1,10})")


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
    table = Table(lost=_LOST.search(text) is not None)
    facts = [fact for one in find_artifacts(text).artifacts if one.kind in KINDS for fact in one.facts]
    said = {fact.name: str(fact.value) for fact in reversed(facts) if fact.of is None}
    table.driver, table.cuda = said.get("driver_version") or said.get("tool_version"), said.get("cuda_version")
    for fact in facts:
        match = _CARD.fullmatch(fact.of or "")
        if match is not None and fact.name in FIELDS and int(match[1]) < CARDS_MAX:
            table.cards.setdefault(int(match[1]), {})[FIELDS[fact.name]] = fact.value
    table.processes = list(_programs(facts))
    return table if table.cards or table.driver or table.lost else None


def numa_nodes(text: str) -> dict[int, int]:
    """Card → the NUMA node that a list of `rocm-smi` names for it."""
    found = {}
    for fact in (fact for one in find_artifacts(text).artifacts if one.kind == "rocm_smi" for fact in one.facts):
        match = _CARD.fullmatch(fact.of or "")
        if fact.name == "numa_node" and match is not None and isinstance(fact.value, int):
            found[int(match[1])] = fact.value
    return found


def _programs(facts: list[Fact]) -> Iterator[dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    for fact in facts:
        match = _PROGRAM.fullmatch(fact.of or "")
        if match is None:
            continue
        row = rows.setdefault(
            match[0], {"device": int(match[1]), "pid": int(match[2]), "name": "", "memory_bytes": None}
        )
        if fact.name == "process_name":
            row["name"] = str(fact.value)
        elif fact.name == "process_memory_bytes":
            row["memory_bytes"] = fact.value
    yield from rows.values()
