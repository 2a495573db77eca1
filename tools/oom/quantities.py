"""The figures of an error text, as bytes."""

import re
from collections.abc import Iterator, Mapping

from kb.units import GIB, KIB, MIB, TIB
from tools.oom.labelled import labelled
from tools.oom.result import Quantities

READ_MAX = 50_000
"""Characters read at each end of a log: the cause is at its first error or at its last."""
_SIZE = r"(\d{1,15}(?:\.\d{1,6})?)\s{0,2}(bytes|[kmgt]i?b)\b"
_UNITS = {"k": KIB, "m": MIB, "g": GIB, "t": TIB}
_FIELDS = {
    "requested_bytes": (
        rf"(?:tried|trying) to allocate {_SIZE}", rf"allocating {_SIZE} on device", rf"cannot allocate {_SIZE}",
        r"buffer of size (\d{1,15})()", r"requested amount of gpu memory \((\d{1,15}) (bytes)\)",
    ),
    "total_bytes": (rf"total capac\w{{1,6}} of {_SIZE}", rf"{_SIZE} total capacity", rf"max allowed: {_SIZE}"),
    "free_bytes": (rf"of which {_SIZE} is free", rf"{_SIZE} free(?![^,;.]{{0,24}}[:=])",
                   rf"available memory is only {_SIZE}"),
    "process_bytes": (rf"this process has {_SIZE} memory in use",),
    "allocated_bytes": (rf"{_SIZE} is allocated by pytorch", rf"{_SIZE} already allocated", rf"mps allocated: {_SIZE}",
                        rf"{_SIZE} memory has been allocated"),
    "reserved_bytes": (rf"{_SIZE} reserved in total", rf"{_SIZE} cached\b"),
    "idle_bytes": (rf"{_SIZE} is reserved by pytorch but unallocated", rf"{_SIZE} is reserved by pytorch but"),
    "cache_needed_bytes": (rf"{_SIZE} (?:of )?kv cache is needed",),
    "cache_available_bytes": (rf"available kv cache memory \({_SIZE}\)",),
}  # fmt: skip
_OTHER = re.compile(rf"process \d{{1,10}} has {_SIZE} memory in use", re.I)
_DEVICE = re.compile(r"(?:\bgpu|\bnpu|\bon device|device cuda:|cuda:)\s?(\d{1,3})\b", re.I)
_TOKENS = re.compile(r"max(?:imum)?[_ ](?:seq|model)[_ ]len(?:gth)?\s?[=:]?\s?\(?(\d{1,10})\)?", re.I)
_CACHE_TOKENS = re.compile(r"stored in kv cache \((\d{1,10})\)|maximum model length is (\d{1,10})", re.I)
_OVER = re.compile(
    r"(?<![\d.,])(\d{4,7})(?: tokens?)?\s?(?:>|exceeds?|大于|超过|超出)[^.\d]{0,40}?(\d{3,7})(?![\d.])", re.I
)
"""A context over what the cache holds, as people copy it out in short."""
_NOT_FREE = re.compile(
    rf"free memory on device[^(]{{0,40}}\((\d{{1,5}}(?:\.\d{{1,4}})?)/{_SIZE}\).{{0,60}}utili[sz]ation"
    r" \((0?\.\d{1,4}|1(?:\.0)?)",
    re.I,
)


def folded(text: str) -> str:
    """The two ends of a text, runs of blanks as one: terminals wrap lines anywhere."""
    ends = text if len(text) <= 2 * READ_MAX else text[:READ_MAX] + "\n" + text[-READ_MAX:]
    return " ".join(ends.split())


def quantities(text: str) -> Quantities:
    """Read the figures of a folded text; the last statement counts, which is the error that ended the run."""
    found: dict[str, int | float | None] = {field: _last(patterns, text) for field, patterns in _FIELDS.items()}
    found |= dict(_server(text))
    found |= {field: value for field, value in _labelled(text, found).items() if found.get(field) is None}
    if match := _DEVICE.search(text):
        found["device"] = int(match[1])
    total, allocated, reserved = found["total_bytes"], found["allocated_bytes"], found["reserved_bytes"]
    if found["idle_bytes"] is None and allocated is not None and reserved is not None and reserved >= allocated:
        found["idle_bytes"] = reserved - allocated
    if reserved is None and allocated is not None and found["idle_bytes"] is not None:
        found["reserved_bytes"] = allocated + found["idle_bytes"]
    listed = [_bytes(match) for match in _OTHER.finditer(text)]
    mine = found["process_bytes"]
    if listed and mine is None:
        # Without a line of its own, this process is among those listed; the rest cannot be told from it.
        listed = []
    if listed:
        found["others_bytes"] = sum(listed)
    elif total and found["free_bytes"] is not None and mine is not None and total - found["free_bytes"] >= mine:
        found["others_bytes"] = total - found["free_bytes"] - mine
    return Quantities.model_validate({key: value for key, value in found.items() if value is not None})


def _labelled(text: str, found: Mapping[str, int | float | None]) -> dict[str, int]:
    """What the words beside sizes tell, where no wording that is known tells a size of the card itself.

    Which of allocated and total is meant is only certain in order: what is free is less than the whole, so that figures
    which contradict that are left out together.
    """
    if any(found.get(field) is not None for field in ("requested_bytes", "total_bytes", "allocated_bytes")):
        return {}
    told = labelled(text)
    total = told.get("total_bytes")
    parts = ("free_bytes", "allocated_bytes", "reserved_bytes")
    if total is not None and any(told.get(part, 0) > total for part in parts):
        return {}
    return told


def _server(text: str) -> Iterator[tuple[str, int | float]]:
    if match := _TOKENS.search(text):
        yield "context_tokens", int(match[1])
    if match := _CACHE_TOKENS.search(text):
        yield "cache_tokens", int(match[1] or match[2])
    elif (match := _OVER.search(text)) and int(match[1]) > int(match[2]):
        yield "context_tokens", int(match[1])
        yield "cache_tokens", int(match[2])
    if match := _NOT_FREE.search(text):
        unit = GIB
        yield "free_bytes", round(float(match[1]) * unit)
        yield "total_bytes", round(float(match[2]) * unit)
        yield "memory_utilisation", float(match[4])


def _last(patterns: tuple[str, ...], text: str) -> int | None:
    for pattern in patterns:
        matches = list(re.finditer(pattern, text, re.I))
        if matches:
            return _bytes(matches[-1])
    return None


def _bytes(match: re.Match[str]) -> int:
    """PyTorch writes GiB as "GB" in places: every unit is binary."""
    return round(float(match[1]) * _UNITS.get(match[2][:1].lower(), 1))
