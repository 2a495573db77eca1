"""The turns of the corpus, and where in a message's tokens a quotation stands."""

import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from assistant.reading.annotation import Marked
from assistant.reading.embedded.tokens import Token
from assistant.reading.held import found
from kb.snapshot import load_yaml

CORPUS = Path(__file__).parents[2] / "corpus"

WORDINGS = "wordings"
"""The folder of ways of asking by themselves, and who is said to have written them."""


@dataclass(frozen=True)
class Line:
    """One turn of the corpus."""

    thread: str
    writer: str
    marker: str
    """Who marked it up: the writer, or who went through the marks again by the guide."""
    language: str
    text: str
    later: bool
    marked: Marked


def corpus(paths: Iterable[Path]) -> list[Line]:
    """Every turn."""
    lines = []
    for path in paths:
        for written in path.read_text("utf-8").splitlines():
            if written.strip():
                row = json.loads(written)
                lines.append(
                    Line(
                        row.get("thread", row["id"]), row.get("writer", "?"), row.get("marker", row.get("writer", "?")),
                        row.get("language", "?"), row["text"], bool(row["turn"]), Marked.model_validate(row),
                    )
                )  # fmt: skip
    return lines


def to_learn() -> list[Path]:
    """The files that are learned from; nothing is ever learned from those in `left_out`."""
    return sorted(CORPUS.glob("*.jsonl"))


def wordings() -> list[Line]:
    """Ways of asking, each as a message of its own that says nothing else."""
    lines = []
    for path in sorted((CORPUS / WORDINGS).glob("*.yaml")):
        for ask, said in load_yaml(path).items():
            for one in said:
                marked = Marked.model_validate({"asks": [{"ask": ask, "quote": one}]})
                lines.append(Line(WORDINGS, WORDINGS, WORDINGS, path.stem, one, False, marked))
    return lines


def draw(thread: str) -> float:
    """A number in [0, 1) of a thread, as if drawn."""
    return zlib.crc32(thread.encode()) % 997 / 997


def span_of(tokens: Sequence[Token], text: str, quote: str, nth: int | None, taken: set[int]) -> tuple[int, int] | None:
    """The tokens of a quotation, the first place that is free."""
    for place in found(text, quote, nth):
        inside = [n for n, token in enumerate(tokens) if token.start < place.end and place.start < token.end]
        if inside and not taken & set(inside):
            return inside[0], inside[-1] + 1
    return None
