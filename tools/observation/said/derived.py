"""What follows from the figures of a text: the machine behind a limit, how long a file takes to write."""

from collections.abc import Iterator, Mapping
from typing import Any

from kb.observation import observation_facts
from kb.units import GIB, MIB

NEAR = 0.06
"""How far a memory size that was reckoned may be from one that is sold."""


def derived(facts: Mapping[str, Any]) -> Iterator[tuple[str, float | int]]:
    """(name, value) of each fact that follows from others.

        write_s        checkpoint / rate of the disk
        mac_memory_gib (limit / high watermark) / share that Metal recommends, to the nearest size that is sold

    Source: PyTorch's MPS environment variables (1.7 by default) and `recommendedMaxWorkingSetSize` of Macs.
    """
    size, rate = facts.get("checkpoint_gib"), facts.get("disk_mb_per_s")
    if size and rate:
        yield "write_s", round(size * GIB / (rate * 1e6))
    mac = observation_facts().settings["mac"]
    allowed, working = facts.get("mps_allowed_gib"), facts.get("working_set_mb")
    recommended = allowed / mac["mps_high_watermark"] if allowed else working * MIB / GIB if working else None
    if recommended:
        yield "working_set_gib", round(recommended, 2)
        sold = _sold(recommended, mac)
        if sold is not None:
            yield "mac_memory_gib", sold


def _sold(recommended: float, mac: Mapping[str, Any]) -> int | None:
    """The size sold of which Metal recommends so much; None where none comes near."""
    found = []
    for size in mac["sizes_gib"]:
        ratio = next(row["ratio"] for row in mac["working_set"] if size <= row["to_gib"])
        found.append((abs(size * ratio / recommended - 1), size))
    off, size = min(found)
    return size if off <= NEAR else None
