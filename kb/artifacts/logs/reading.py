"""What a log states, as data: where a figure stands and which fact it is."""

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import Field

from kb.artifacts.amounts import BINARY, EXACT, SECONDS, count, duration, number, ratio, size_bytes
from kb.artifacts.artifact import Fact, Value
from kb.artifacts.logs.joined import Joined
from kb.artifacts.vocabulary import fact, vocabulary
from kb.base import Frozen
from kb.catalog import load_yaml
from kb.units import GIB

AHEAD = 420
"""Characters after its word within which a reading must lie."""
FIRST_KEPT, LAST_KEPT = 8, 56
"""Of what a log repeats, how much at either end is read."""
_SLOT = re.compile(r"<(int|num|size|gb|pct|time|word|name|dev|of):([a-z_0-9]+)>")
_NUMBER = r"-?\d{1,12}(?:,\d{3}){0,4}(?:\.\d{1,9})?(?:e[+-]?\d{1,2})?"
_PATTERNS = {
    "int": r"-?\d{1,3}(?:,\d{3}){1,4}|-?\d{1,15}",
    "num": _NUMBER,
    "pct": r"\d{1,3}(?:\.\d{1,4})?",
    "word": r"[^\s,;:'\"()\[\]<>|]{1,120}",
    "name": r"[^'\"\n,;|<>]{1,80}?",
    "dev": r"(?:CUDA|ROCm|HIP|Vulkan|SYCL|MUSA|CANN|Metal|MTL|RPC|BLAS|CPU|OpenCL)\w{0,20}",
    "of": r"\d{1,5}",
}
_SIZED = {"size": sorted(BINARY, key=len, reverse=True), "gb": sorted(EXACT, key=len, reverse=True)}


IGNORED = "ignored"
DERIVED = {
    "params_billion": ("params", 1e9), "step_ms": ("step_s", 1e-3), "ttft_ms": ("first_token_s", 1e-3),
    "tpot_ms": ("inter_token_s", 1e-3), "timeout_ms": ("timeout_s", 1e-3), "eval_ms": ("duration_s", 1e-3),
    "free_gib": ("memory_free_bytes", GIB),
}  # fmt: skip
"""Names that wordings use for a figure in a unit of its own: the fact it is, and times what."""


class Reading(Frozen):
    """One wording of a log."""

    at: str
    """Lower-case words that must stand there: what is looked for."""
    read: str
    """Pattern, without regard to case, blanks folded. `<int:name>`, `<num:…>`, `<size:…>` (binary units), `<gb:…>`
    (decimal ones), `<pct:…>`, `<time:…>`, `<word:…>` and `<name:…>` are facts; `<of:gpu>` and
    `<dev:buffer>` (CUDA0) say of which one."""
    set: dict[str, Value] = Field(default_factory=dict)
    """Facts that the words themselves say."""
    times: float = 1
    """What figures are multiplied with."""
    back: int = 0
    """How far before its word the pattern may begin."""
    alone: bool = True
    """Whether it shows by itself that a log lies there; else it counts only among lines of a log."""


class Log(Frozen):
    """A kind of log."""

    kind: str
    marks: tuple[str, ...] = ()
    """Lower-case words that lines of it hold."""
    readings: tuple[Reading, ...] = ()


class Hit(Frozen):
    """Where a reading was found, in the joined text, and what it states."""

    kind: str
    start: int
    end: int
    alone: bool
    facts: tuple[Any, ...]


@lru_cache(maxsize=1)
def logs() -> tuple[Log, ...]:
    """Every kind of log."""
    return tuple(Log.model_validate(load_yaml(path)) for path in sorted(Path(__file__).parent.glob("*.yaml")))


def present(log: Log, lowered: str) -> Log | None:
    """The log with the readings alone whose words stand in the text; None where nothing of it does."""
    readings = tuple(one for one in log.readings if one.at in lowered)
    if not readings and not any(mark in lowered for mark in log.marks):
        return None
    return log.model_copy(update={"readings": readings})


def hits(log: Log, joined: Joined) -> Iterator[Hit]:
    """Everything the log's readings find."""
    for reading in log.readings:
        for match in _matches(reading, joined):
            yield Hit(
                kind=log.kind, start=match.start(), end=match.end(), alone=reading.alone,
                facts=tuple(_facts(reading, match, joined)),
            )  # fmt: skip


def _matches(reading: Reading, joined: Joined) -> Iterator[re.Match[str]]:
    places = list(_places(reading.at, joined.lowered))
    if len(places) > FIRST_KEPT + LAST_KEPT:
        places = places[:FIRST_KEPT] + places[-LAST_KEPT:]
    pattern, after = compiled(reading.read), 0
    for place in places:
        if place < after:
            continue
        match = pattern.search(joined.text, max(place - reading.back, after), place + AHEAD)
        if match is not None and match.start() <= place + len(reading.at):
            yield match
            after = match.end()


def _places(word: str, text: str) -> Iterator[int]:
    place = text.find(word)
    while place >= 0:
        yield place
        place = text.find(word, place + len(word))


def _facts(reading: Reading, match: re.Match[str], joined: Joined) -> Iterator[Fact]:
    of = _of(match)
    for name, value in reading.set.items():
        yield fact(name, value, joined.lines[joined.index(match.start())], of)
    for group in match.re.groupindex:
        slot, _, name = group.partition("__")
        if slot in ("unit", "of", "dev") or match[group] is None or name == IGNORED:
            continue
        value = _value(slot, match[group], match.groupdict().get(f"unit__{name}") or "")
        name, times = DERIVED.get(name, (name, reading.times))
        if value is not None:
            value = round(value * times, 9) if times != 1 and not isinstance(value, str) else value
            whole = vocabulary()[name].type == "int" and isinstance(value, float)
            yield fact(name, round(value) if whole else value, joined.lines[joined.index(match.start(group))], of)


def _of(match: re.Match[str]) -> str | None:
    """Which card, rank or process the wording names."""
    for name in match.re.groupindex:
        if name[:4] == "of__" and match[name]:
            return f"{name[4:]} {int(match[name])}"
        if name[:5] == "dev__" and match[name]:
            device = re.fullmatch(r"(?!CPU|BLAS)[A-Za-z]+?(\d{0,3})", match[name])
            return "host" if device is None or "host" in match[name].lower() else f"gpu {int(device[1] or 0)}"
    return None


def _value(slot: str, words: str, unit: str) -> Value | None:
    if slot == "size":
        return size_bytes(words, unit)
    if slot == "gb":
        return size_bytes(words, unit, units=EXACT)
    if slot == "time":
        return duration(words)
    plain = {"int": count, "num": number, "pct": ratio}.get(slot)
    return words.strip() if plain is None else plain(words)


@lru_cache(maxsize=2048)
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern of a reading with its slots as named groups."""
    return re.compile(_SLOT.sub(_group, pattern), re.IGNORECASE)


def _group(match: re.Match[str]) -> str:
    slot, name = match[1], match[2]
    if slot in _SIZED:
        return rf"(?P<{slot}__{name}>{_NUMBER}) ?(?P<unit__{name}>{'|'.join(filter(None, _SIZED[slot]))})\b"
    if slot == "time":
        units = "|".join(sorted(SECONDS, key=len, reverse=True))
        return rf"(?P<time__{name}>(?:\d{{1,3}}h)?(?:\d{{1,3}}m)?{_NUMBER} ?(?:{units})\b)"
    return rf"(?P<{slot}__{name}>{_PATTERNS[slot]})"
