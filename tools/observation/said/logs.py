"""Figures that a pasted log or table states, by the table of readings."""

from typing import Any

from kb.observation import Reading, observation_facts, wording

WHOLE = ("memory_bytes", "kv_pool_tokens", "context_tokens")
"""Figures that are counted."""


def read_log(flat: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """(what was seen, fields of the set-up) as a text with runs of blanks as one states them; the first reading of a
    figure counts."""
    seen: dict[str, Any] = {}
    fields: dict[str, Any] = {}
    for reading in observation_facts().readings:
        name = reading.seen or reading.field or ""
        into = seen if reading.seen else fields
        if name in into:
            continue
        value = _value(reading, flat)
        if value is not None:
            into[name] = round(value) if name in WHOLE else value
    return seen, fields


def _value(reading: Reading, flat: str) -> float | None:
    """The last or the largest figure that the pattern finds; None where it finds none above zero but by a constant."""
    found = []
    for match in wording(reading.pattern).finditer(flat):
        if reading.constant is not None:
            found.append(reading.constant)
            continue
        value = float(match["value"].replace(",", "")) * reading.times
        if reading.over:
            value /= max(float(match["over"]), 1.0)
        found.append(1 - value if reading.rest else value)
    kept = [value for value in found if value > 0 or (reading.seen == "cpu_share_ratio" and value >= 0)]
    if not kept:
        return None
    return max(kept) if reading.of == "largest" else kept[-1]
