"""Questions that sections of the guidance answer, in words their text does not use (`kb/index/questions/`).

A person asks in words of everyday life, a document answers in those of the trade. What a passage is known to answer is
indexed beside it, as words and as vectors: document expansion by queries (arXiv:1904.08375), written by hand.
"""

from collections.abc import Sequence
from pathlib import Path

from kb.index.archive import Chunk
from kb.snapshot import parse_yaml

QUESTIONS = Path(__file__).parent / "questions"


def asked_file(topic: str) -> Path:
    """Where the questions of a topic of the guidance stand."""
    return QUESTIONS / f"{topic}.yaml"


def with_questions(chunks: Sequence[Chunk], topic: str) -> tuple[Chunk, ...]:
    """The chunks of a document of the guidance, each with the questions that its section answers, in both languages.

    Sections are told apart by their order, which both languages share.
    """
    if not asked_file(topic).exists():
        return tuple(chunks)
    rows = parse_yaml(asked_file(topic).read_text(encoding="utf-8"))
    numbers = sorted({one.section for one in chunks})
    known = {number: (*row["en"], *row["zh"]) for number, row in zip(numbers, rows, strict=True)}
    return tuple(one.model_copy(update={"asked": known[one.section]}) for one in chunks)
