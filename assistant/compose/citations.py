"""Markers in the text and the sources behind them: every marker is used, every use has a marker."""

import re
from collections.abc import Iterable

from assistant.answer import Citation

_MARKER = re.compile(r"\[(\d+)\]")


class Citations:
    """Collects sources while an answer is written; the same source keeps its marker."""

    def __init__(self) -> None:
        self._markers: dict[tuple[str, str, str], int] = {}
        self._citations: list[Citation] = []

    def cite(
        self, kind: str, title: str, locator: str, quote: str, *, url: str | None = None, date: str | None = None
    ) -> str:
        """The marker for a source, e.g. `[2]`; the same place and quote give the same marker again."""
        key = (kind, locator, quote)
        if key not in self._markers:
            marker = len(self._citations) + 1
            self._markers[key] = marker
            self._citations.append(
                Citation.model_validate(
                    {
                        "marker": marker,
                        "kind": kind,
                        "title": title,
                        "locator": locator,
                        "url": url,
                        "quote": quote,
                        "date": date,
                    }
                )
            )
        return f"[{self._markers[key]}]"

    def used_in(self, text: str) -> tuple[str, tuple[Citation, ...]]:
        """The text with its markers renumbered in order of appearance, and the citations it uses."""
        by_marker = {citation.marker: citation for citation in self._citations}
        order = list(dict.fromkeys(number for number in map(int, _MARKER.findall(text)) if number in by_marker))
        renumbered = {old: new for new, old in enumerate(order, start=1)}
        written = _MARKER.sub(lambda match: _renumber(match, renumbered), text)
        citations = tuple(by_marker[old].model_copy(update={"marker": new}) for old, new in renumbered.items())
        return written, citations


def _renumber(match: re.Match[str], renumbered: dict[int, int]) -> str:
    number = int(match.group(1))
    return f"[{renumbered[number]}]" if number in renumbered else match.group(0)


def joined(markers: Iterable[str]) -> str:
    """Several markers side by side, each once, with a space before: " [1][3]"."""
    kept = [marker for marker in dict.fromkeys(markers) if marker]
    return " " + "".join(kept) if kept else ""
