"""Lines of a log as one text, so that what a terminal broke is read as one, with the way back to the lines."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from kb.artifacts.sheet import Line

WIDTHS = range(50, 260)
"""Columns that terminals have."""


class Joined:
    """The words of lines behind one another, runs of blanks as one."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines = lines
        width = _width(lines)
        parts: list[str] = []
        self._starts: list[int] = []
        at = 0
        for line in lines:
            words = " ".join(line.text.split())
            broken = width is not None and len(line.raw.rstrip("\r")) == width and not line.text.endswith(" ")
            self._starts.append(at)
            part = words if broken and words else words + " "
            parts.append(part)
            at += len(part)
        self.text = "".join(parts)
        lowered = self.text.lower()
        if len(lowered) != len(self.text):  # few letters grow: places must stay what they are
            lowered = "".join(one.lower() if len(one.lower()) == 1 else one for one in self.text)
        self.lowered = lowered

    def index(self, place: int) -> int:
        """Index among the lines of the one that holds the character."""
        return max(bisect_right(self._starts, place) - 1, 0)

    def column(self, place: int) -> int:
        """How far into its line, blanks folded, a character is."""
        return place - self._starts[self.index(place)]


def _width(lines: Sequence[Line]) -> int | None:
    """The column at which a terminal broke lines: several are that long, none is longer, and words run on."""
    if len(lines) < 3:
        return None
    longest = Counter(len(line.raw.rstrip("\r")) for line in lines)
    width = max(longest)
    if width not in WIDTHS or longest[width] < 2:
        return None
    broken = [
        (line, after) for line, after in pairwise(lines) if len(line.raw.rstrip("\r")) == width and after.text.strip()
    ]
    running = [after for _, after in broken if not after.logged and not after.text.startswith((" ", "|", "+"))]
    return width if len(running) >= 2 and len(running) * 2 > len(broken) else None
