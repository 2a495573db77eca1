"""What loggers, containers, launchers and shells write before a line: taken off, and which rank or pod it names."""

import re
from dataclasses import dataclass

_DAY = r"\d{4}[-/]\d{2}[-/]\d{2}"
_TIME = r"\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?"
_ZONE = r"(?:\s?(?:Z|UTC|[+-]\d{2}:?\d{2}))?"
_LEVEL = r"(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL|CRITICAL|NOTICE)"
_LOGGER = re.compile(
    rf"\s{{0,4}}(?:"
    rf"\[?{_DAY}[T ]{_TIME}{_ZONE}(?P<rank>(?:\s(?:[TDEP]P|DP|PP|EP)\d{{1,4}}){{1,4}})?\]?[:,|]?(?:\s|$)"
    rf"|\[?{_TIME}\]?[:,]?\s"
    rf"|{_LEVEL}\s\d{{2}}-\d{{2}}\s{_TIME}\s(?:\[[^\]\s]{{1,100}}\]|\S{{1,80}}\.py:\d{{1,6}}\])\s?"
    rf"|{_LEVEL}(?:\s{{0,8}}[:|\-]\s|\s{{2,8}}|\s(?=[A-Z\[(]))"
    rf"|\[{_LEVEL}\s{{0,4}}\][:,]?\s{{0,3}}"
    r"|\[[\w./\-]{1,80}\.(?:py|cc|cpp|cu|go|rs|c)(?::\d{1,6})(?::\w{1,60})?\]:?\s"
    r"|[\w./\-]{1,60}\.(?:py|cc|cpp|cu):\d{1,6}\]\s"
    r"|[A-Z][a-z]{2}\s{1,2}\d{1,2}\s\d{2}:\d{2}:\d{2}\s[\w.\-]{1,80}\s[\w./\-]{1,60}(?:\[\d{1,10}\])?:\s"
    r"|[A-Z][a-z]{2}\s{1,2}\d{1,2}\s\d{2}:\d{2}:\d{2}\s[\w.\-]{1,80}\s(?=kernel)"
    r"|\[\s{0,10}\d{1,9}\.\d{3,6}\]\s"
    r"|\[[A-Z][a-z]{2}\s[A-Z][a-z]{2}\s{1,2}\d{1,2}\s\d{2}:\d{2}:\d{2}\s\d{4}\]\s"
    r"|\[(?:rank|default)?(?P<rank_number>\d{1,5})\]:\s?"
    r"|\[[^\]\s]{1,40},(?P<rank_mpi>\d{1,5})\]<std(?:out|err)>:\s?"
    r"|\((?P<worker>[A-Z]\w{1,40}(?:[ _][\w=]{1,40}){0,4}\s?(?:pid|rank|ip)[^)\n]{1,80})\)\s?"
    r"|\[pod/(?P<pod>[\w.\-]{1,100})/[\w.\-]{1,100}\]\s"
    r"|(?P<stern>[a-z][a-z0-9\-]{2,80}-[a-z0-9]{6,10}-[a-z0-9]{5})\s[a-z][\w\-]{1,60}\s(?:\|\s)?"
    r"|(?P<compose>[a-z][\w.\-]{0,60}[-_]\d{1,3})\s{1,20}\|(?:\s|$)"
    r"|[\w.\-]{1,80}:\d{1,9}:\d{1,9}\s\[(?P<rank_device>\d{1,4})\]\s(?=NCCL)"
    rf"|time={_DAY}T{_TIME}{_ZONE}\slevel={_LEVEL}\s(?:source=\S{{1,120}}\s)?"
    r"|[EWIF]\d{4}\s(?:\d{2}:\d{2}:\d{2}\.\d{1,9})\s{1,8}\d{1,10}\s(?:\S{1,100}\]\s)?"
    r"|\[\d{1,5}\]\s(?=\d{4}-|\[)"
    r")"
)
_PROMPT = re.compile(
    r"\s{0,4}(?:\([\w.\-]{1,40}\)\s)?(?:\[?[\w.\-]{1,60}@[\w.\-]{1,80}(?:[: ]\S{0,120}?)?\]?[$#%>]\s"
    r"|PS [A-Z]:\\[^>\n]{0,120}>\s?"
    r"|[A-Z]:\\[^>\n]{0,120}>\s?|[$%]\s(?=\S)|#\s(?=(?:nvidia|rocm|amd|npu|xpu|kubectl|docker|ollama|vllm|free|ls)\S*\s))"
)
_WORKER = re.compile(r"(rank)=(\d{1,5})|[_ ](TP|PP|EP)(\d{1,5})|(pid)=(\d{1,10})")
"""A replica's number (DP0) stands beside every process of it and names none."""
_OPENING = frozenset("[(0123456789")
_SIGNS = frozenset("$#%>")
_NAMES = ("INFO", "WARN", "ERROR", "DEBUG", "TRACE", "FATAL", "CRITICAL", "NOTICE", "Jan", "Feb", "Mar", "Apr", "May") + (
    "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
)  # fmt: skip
_MOST = 8
"""Prefixes that may stand before one another."""


@dataclass(frozen=True, slots=True)
class Stripped:
    """A line without its prefixes."""

    text: str
    of: str | None = None
    logged: bool = False
    prompt: bool = False


def unprefixed(text: str) -> Stripped:
    """The line without what loggers, containers, launchers and shells wrote before it."""
    of, place, logged = None, 0, False
    for _ in range(_MOST if _may_begin(text) else 0):
        match = _LOGGER.match(text, place)
        if match is None or match.end() == place:
            break
        place, logged, of = match.end(), True, _named(match) or of
    rest = text[place:] if logged else text
    prompt = _PROMPT.match(rest) if not logged and not _SIGNS.isdisjoint(rest[:200]) else None
    if prompt is not None and rest[prompt.end() :].strip():
        return Stripped(rest[prompt.end() :], of, logged, True)
    return Stripped(rest, of, logged)


def _may_begin(text: str) -> bool:
    """A cheap look at how the line begins, which most lines without a prefix do not pass."""
    head = text.lstrip()[:100]
    first = head[:1]
    if first in _OPENING:
        return True
    if first.isupper():
        return head.startswith(_NAMES) or head[1:5].isdecimal()
    return (
        "|" in head or "NCCL" in head or head.startswith("time=") or (first.islower() and "-" in head) or ".py:" in head
    )


def _named(match: re.Match[str]) -> str | None:
    """Which rank, pod or process the prefix names."""
    for group in ("rank_number", "rank_mpi", "rank_device"):
        if match[group]:
            return f"rank {int(match[group])}"
    if match["rank"]:
        return match["rank"].strip().lower()
    if match["worker"]:
        return _worker(match["worker"])
    name = match["pod"] or match["stern"] or match["compose"]
    return f"container {name}" if name else None


def _worker(words: str) -> str | None:
    found = _WORKER.search(words)
    if found is None:
        return None
    if found[1]:
        return f"rank {int(found[2])}"
    return f"{found[3].lower()}{int(found[4])}" if found[3] else f"pid {found[6]}"
