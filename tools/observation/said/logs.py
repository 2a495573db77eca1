"""Figures that something pasted states, by the facts of its artifacts."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from kb.artifacts import Artifact, Fact, find_artifacts
from kb.base import AdvisorError
from kb.lexicon import CardCount, read_cards
from kb.observation import Reading, observation_facts

WHOLE = ("memory_bytes", "kv_pool_tokens", "context_tokens")
"""Figures that are counted."""


@lru_cache(maxsize=32)
def pasted(text: str) -> tuple[Artifact, ...]:
    """What was pasted in a text; several steps of one explanation ask for the same."""
    return find_artifacts(text).artifacts


def read_log(text: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """(what was seen, fields of the set-up) as something pasted states them; the first reading of a figure counts."""
    found = pasted(text)
    seen: dict[str, Any] = {}
    fields: dict[str, Any] = {}
    for reading in observation_facts().readings:
        name = reading.seen or reading.field or ""
        into = seen if reading.seen else fields
        if name in into:
            continue
        values = [value for value in _values(reading, found) if value > 0 or (reading.zero and value == 0)]
        if values:
            value = max(values) if reading.of == "largest" else values[-1]
            into[name] = round(value) if name in WHOLE else value
    return seen, fields


def cards_of(text: str) -> tuple[CardCount, ...]:
    """Cards that a pasted table lists by name; none where a name is cut short or unknown."""
    listed: dict[str, str] = {}
    for one in pasted(text):
        if one.family == "state":
            listed |= {fact.of: str(fact.value) for fact in one.facts if fact.name == "gpu_name" and fact.of}
    cards: list[CardCount] = []
    for name, count in Counter(listed.values()).items():
        try:
            cards += read_cards(f"{count}x {name}", field="cards")
        except AdvisorError:
            return ()
    return tuple(cards)


def _values(reading: Reading, found: Sequence[Artifact]) -> Iterator[float]:
    for one in found:
        if reading.family in (None, one.family):
            for fact in one.facts:
                if fact.name == reading.fact and (value := _value(reading, fact, one)) is not None:
                    yield value


def _value(reading: Reading, fact: Fact, one: Artifact) -> float | None:
    if not isinstance(fact.value, int | float):
        return None
    value = float(fact.value)
    if reading.over is not None:
        whole = next((other.value for other in one.facts if (other.name, other.line) == (reading.over, fact.line)), None)
        if not isinstance(whole, int | float) or not whole:
            return None
        value /= whole
    return 1 - value if reading.rest else value
