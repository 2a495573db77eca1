"""Find what was pasted in a text: formats claim their lines by structure, what is left is looked through for logs."""

from bisect import bisect_left
from collections.abc import Iterable
from functools import lru_cache

from kb.artifacts.artifact import Artifact, Block, Format, Found, Span, Spot
from kb.artifacts.sheet import Line, Sheet

MOST = 300
"""Artifacts of one text; nobody pastes more, and what follows stays prose."""


@lru_cache(maxsize=1)
def formats() -> tuple[Format, ...]:
    """Every format but logs, whose lines are what the others leave."""
    from kb.artifacts import models, quotations, setups, state

    return (*state.FORMATS, *setups.FORMATS, *models.FORMATS, *quotations.FORMATS)


def find_artifacts(text: str) -> Found:
    """Artifacts in a text, in its order, and the prose around them.

    Linear in the text; at most the first million characters are read. Nothing in it is executed or looked up, secrets
    are hidden in all that is kept.
    """
    from kb.artifacts.logs import find_logs

    sheet = Sheet(text)
    taken: list[Artifact] = []
    claimed = [False] * len(sheet.lines)
    for form, spot in _claims(sheet):
        if len(taken) >= MOST:
            break
        if any(claimed[spot.first : spot.last + 1]):
            continue
        taken.append(_artifact(form, spot, sheet))
        claimed[spot.first : spot.last + 1] = [True] * (spot.last - spot.first + 1)
    taken += find_logs(sheet, claimed)
    taken.sort(key=lambda one: (one.start, -one.end))
    return Found(tuple(taken), tuple(_prose(sheet, taken)))


def _claims(sheet: Sheet) -> list[tuple[Format, Spot]]:
    """Claims of all formats, the heaviest first, then the widest."""
    found = [
        (form, spot)
        for form in formats()
        if not form.marks or any(mark in sheet.lowered for mark in form.marks)
        for spot in form.detects(sheet)
    ]
    return sorted(found, key=lambda one: (-one[0].weight, one[1].first - one[1].last, one[1].first, one[0].kind))


def _artifact(form: Format, spot: Spot, sheet: Sheet) -> Artifact:
    lines = tuple(line for line in sheet.lines[spot.first : spot.last + 1] if not line.edge)
    start, end = sheet.lines[spot.first].start, sheet.lines[spot.last].end
    if spot.columns is not None:
        start, end = sheet.place(lines[0], *spot.columns)
        lines = (_part(lines[0], spot.columns),)
    block = Block(lines)
    read = form.read(block)
    return Artifact(
        form.kind, form.family, start, end, sheet.lines[spot.first].number, read.facts, block.text, read.unread
    )


def _part(line: Line, columns: tuple[int, int]) -> Line:
    from dataclasses import replace

    return replace(line, text=line.text[columns[0] : columns[1]])


def _prose(sheet: Sheet, artifacts: Iterable[Artifact]) -> Iterable[Span]:
    """Stretches between artifacts that hold more than blanks and fences."""
    place = 0
    edges = [(line.start, line.end) for line in sheet.lines if line.edge]
    gaps = []
    for one in artifacts:
        gaps.append((place, one.start))
        place = max(place, one.end)
    for start, end in [*gaps, (place, len(sheet.text))]:
        yield from _without(sheet.text, start, end, edges)


def _without(text: str, start: int, end: int, edges: list[tuple[int, int]]) -> Iterable[Span]:
    """The parts of a stretch that fences' own lines leave, blanks at their ends taken off."""
    place = start
    for first, last in [*edges[bisect_left(edges, (start, 0)) : bisect_left(edges, (end, 0))], (end, end)]:
        words = text[place:first]
        if words.strip():
            left = len(words) - len(words.lstrip())
            yield Span(place + left, place + len(words.rstrip()))
        place = last
