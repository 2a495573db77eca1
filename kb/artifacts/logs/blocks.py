"""Which lines are a log, and what they state."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from kb.artifacts.artifact import Artifact, Fact
from kb.artifacts.logs.errors import errors_of
from kb.artifacts.logs.joined import Joined
from kb.artifacts.logs.reading import Hit, Log, hits, logs, present
from kb.artifacts.sheet import Line, Sheet

_SHAPED = re.compile(
    r"\s*(?:Traceback \(most recent|File \"[^\"]{1,200}\", line \d|\^+\s*$|During handling of|The above exception"
    r"|(?:[A-Za-z_]\w{0,40}\.){0,6}[A-Za-z_]\w{0,60}(?:Error|Exception|Warning)(?:: |\s*$)"
    r"|[a-z]\w{0,20}_[a-z_]\w{0,60}\s{0,12}: ?\S"
    r"|NVRM: |panic: |FATAL|\*\*\* |terminate called|Aborted|Segmentation fault|Killed\s*$|\d{1,3}%\|)"
)
"""What lines of programs look like that no logger marked."""
BEFORE_MAX = 4
"""Words on its line before a wording, from which on it is quoted within a sentence."""
_WORD = re.compile(r"[^\W\d_]{2,}|[\u4e00-\u9fff]")
ERRORS_MAX = 20
"""Logs at either end of a text that are looked through for known errors."""
GAP_MAX = 2
"""Lines between two lines of a log that belong to it whatever they look like, if they are no sentences."""


def find_logs(sheet: Sheet, claimed: Sequence[bool]) -> list[Artifact]:
    """Logs among the lines that nothing else claimed."""
    there = [one for log in logs() if (one := present(log, sheet.lowered)) is not None]
    return [one for lines in _regions(sheet, claimed) for one in _in_region(sheet, lines, there)]


def _regions(sheet: Sheet, claimed: Sequence[bool]) -> Iterator[list[Line]]:
    """Runs of lines that nothing claimed, within one fence or outside."""
    run: list[Line] = []
    for line in sheet.lines:
        if claimed[line.index] or line.edge:
            if run:
                yield run
            run = []
        else:
            run.append(line)
    if run:
        yield run


def _in_region(sheet: Sheet, lines: list[Line], there: Sequence[Log]) -> Iterator[Artifact]:
    joined = Joined(lines)
    found = [
        hit
        for log in there
        for hit in hits(log, joined)
    ]
    of_log = [line.logged or line.prompt or bool(_SHAPED.match(line.text)) for line in lines]
    quoted: list[Hit] = []
    for hit in found:
        if not hit.alone:
            continue
        first, last = joined.index(hit.start), joined.index(max(hit.end - 1, hit.start))
        if lines[first].fence is None and not of_log[first] and _quoted(joined, hit):
            quoted.append(hit)
        else:
            of_log[first : last + 1] = [True] * (last - first + 1)
    _beside(joined, [hit for hit in found if not hit.alone], of_log)
    blocks = list(_blocks(lines, of_log))
    found.sort(key=lambda hit: hit.start)
    starts = [joined.index(hit.start) for hit in found]
    for place, (first, last) in enumerate(blocks):
        within = found[bisect_left(starts, first) : bisect_right(starts, last)]
        looked_at = place < ERRORS_MAX or place >= len(blocks) - ERRORS_MAX
        yield from _log(joined.lines[first : last + 1], within, errors=looked_at)
    inside = {index for first, last in blocks for index in range(first, last + 1)}
    yield from _in_sentences(joined, [hit for hit in quoted if joined.index(hit.start) not in inside])


def _beside(joined: Joined, found: Iterable[Hit], of_log: list[bool]) -> None:
    """Lines that say something only beside a log are of it where they follow or precede one of its lines."""
    places = sorted({joined.index(hit.start) for hit in found})
    for order in (places, places[::-1]):
        for index in order:
            near = of_log[max(index - GAP_MAX, 0) : index + GAP_MAX + 1]
            of_log[index] = of_log[index] or any(near)


def _quoted(joined: Joined, hit: Hit) -> bool:
    """Whether a wording stands within a sentence: words stand before it on its line."""
    before = joined.text[hit.start - joined.column(hit.start) : hit.start]
    return len(_WORD.findall(before)) >= BEFORE_MAX


def _blocks(lines: Sequence[Line], of_log: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """Runs of log lines (indices among the lines), small gaps of what is no sentence filled; a fence is one."""
    first = last = None
    for index, line in enumerate(lines):
        if not of_log[index]:
            continue
        if first is None or last is None:
            first = last = index
        elif index - last - 1 <= GAP_MAX or all(_inner(one) for one in lines[last + 1 : index]):
            if any(_sentence(one) for one in lines[last + 1 : index]) and line.fence is None:
                yield first, last
                first = index
            last = index
        else:
            yield first, last
            first = last = index
    if first is not None and last is not None:
        yield first, last


def _inner(line: Line) -> bool:
    """Whether a line between two of a log goes on with it: blank, indented, or within the same fence."""
    return not line.text.strip() or line.text[0] in " \t|+-{}[]" or line.fence is not None


def _sentence(line: Line) -> bool:
    """Whether a line reads as words of a person."""
    words = line.text.strip()
    return line.fence is None and words[-1:] in ".?!。？！:：" and len(_WORD.findall(words)) >= BEFORE_MAX


def _log(lines: Sequence[Line], within: Sequence[Hit], *, errors: bool) -> Iterator[Artifact]:
    facts = _distinct(fact for hit in within for fact in hit.facts)
    facts += errors_of(lines) if errors else []
    if not facts and sum(line.logged for line in lines) < 2:
        return
    kinds = Counter(hit.kind for hit in within)
    text = "\n".join(line.text for line in lines)
    lowered = text.lower()
    for log in logs():
        kinds[log.kind] += sum(mark in lowered for mark in log.marks)
    kind = max(kinds, key=lambda one: kinds[one], default="log") if kinds and max(kinds.values()) else "log"
    facts.sort(key=lambda fact: fact.line)
    yield Artifact(kind, "log", lines[0].start, lines[-1].end, lines[0].number, tuple(facts), text)


def _in_sentences(joined: Joined, found: Sequence[Hit]) -> Iterator[Artifact]:
    """Wordings within sentences: those of one line are an artifact of just its words."""
    by_line: dict[int, list[Hit]] = {}
    for hit in found:
        by_line.setdefault(joined.index(hit.start), []).append(hit)
    for index, hits_there in sorted(by_line.items()):
        first, start = joined.lines[index], min(hit.start for hit in hits_there)
        end = max(hit.end for hit in hits_there)
        last = joined.lines[joined.index(max(end - 1, start))]
        head, tail = joined.text[start:end][:12], joined.text[start:end][-12:]
        place = first.start + max(first.raw.find(head), 0)
        stop = last.raw.rfind(tail)
        stop = last.end if stop < 0 else last.start + stop + len(tail)
        facts = _distinct(fact for hit in hits_there for fact in hit.facts)
        facts = sorted([*facts, *errors_of([first])], key=lambda fact: fact.line)
        yield Artifact(
            hits_there[0].kind, "log", place, max(stop, place), first.number, tuple(facts), joined.text[start:end]
        )


def _distinct(facts: Iterable[Fact]) -> list[Fact]:
    """Each statement once: two readings may see the same."""
    kept: dict[tuple[object, ...], Fact] = {}
    for one in facts:
        kept.setdefault((one.name, one.value, one.line, one.of), one)
    return list(kept.values())
