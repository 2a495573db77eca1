"""Which known errors a log holds: the wordings of `facts/oom.yaml` and `facts/observation/errors.yaml`."""

import re
from collections.abc import Iterator, Sequence

from kb.artifacts.artifact import Fact
from kb.artifacts.sheet import Line
from kb.artifacts.vocabulary import fact
from kb.observation import observation_facts, wording
from kb.oom import compiled, oom_facts

READ_MAX = 8_000
"""Characters of lines that tell of errors, read at either end of a log."""
_TELLS = re.compile(
    r"err|fail|memory|oom|kill|timeout|timed out|xid|abort|fatal|exception|not |unable|cannot|insufficient|mismatch"
    r"|refused|exceed|lost|bus|nan|limit|ecc|throttl|watchdog|too old",
    re.IGNORECASE,
)
_XID = re.compile(r"\bxid\b[^0-9]{0,60}(?:\([^)]{0,60}\)[: ]{0,3})?(\d{1,3})\b", re.IGNORECASE)
PLAIN = ("plain", "killed")
"""Wordings that are ordinary words: told only where nothing more particular is."""


def errors_of(lines: Sequence[Line]) -> list[Fact]:
    """The errors that lines of a log tell, each once, in the order of the knowledge."""
    telling = [line for line in lines if _TELLS.search(line.text)]
    telling = _ends(telling)
    if not telling:
        return []
    return list(_found(telling))


def _ends(lines: list[Line]) -> list[Line]:
    """Lines at both ends, up to `READ_MAX` characters each."""
    if sum(len(line.text) for line in lines) <= 2 * READ_MAX:
        return lines
    head: list[Line] = []
    tail: list[Line] = []
    for into, every in ((head, lines), (tail, lines[::-1])):
        room = READ_MAX
        for line in every:
            room -= len(line.text)
            if room < 0:
                break
            into.append(line)
    return [*head, *(line for line in tail[::-1] if not head or line.index > head[-1].index)]


def _found(lines: list[Line]) -> Iterator[Fact]:
    starts, at = [], 0
    parts = []
    for line in lines:
        starts.append(at)
        part = " ".join(line.text.split())[:2000] + " "
        parts.append(part)
        at += len(part)
    text = "".join(parts)

    def line_of(place: int) -> Line:
        return max(
            (index, line) for index, (start, line) in enumerate(zip(starts, lines, strict=True)) if start <= place
        )[1]

    told = False
    for one in oom_facts().signatures:
        if (match := compiled(one.pattern).search(text)) is not None and (one.id not in PLAIN or not told):
            told = True
            yield fact("error", one.id, line_of(match.start()))
    for known in observation_facts().wordings:
        if (match := wording(known.pattern).search(text)) is not None:
            yield fact("error", known.id, line_of(match.start()))
    for match in _XID.finditer(text):
        yield fact("error", "xid", line_of(match.start()))
        yield fact("xid", int(match[1]), line_of(match.start()))
