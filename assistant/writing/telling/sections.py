"""Sections one after the other: the answer to the first ask in bold, and nothing said twice."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

FIGURE = re.compile(r"\d[\d,]*(?:\.\d+)?")
KEY = re.compile(r"\s*\[\[R[\d.]+\]\]")
"""Of a passage: the same statement may be found for several asks."""
SENTENCE = re.compile(r"(?<=[。！？])|(?<=[.!?])\s+(?=[A-Z“\"*])")
TELLING_MIN = 2
"""Characters of a figure from which on it is one of the answer, and no small count."""
BLOCKS = ("```", "|", "- ", "1. ", "`")
"""How a block begins that is not cut into sentences."""


class Block(NamedTuple):
    """What one topic says to one ask."""

    topic: str
    lead: str
    lines: tuple[str, ...]


def text_of(blocks: Sequence[Block], notes: Sequence[str] = (), questions: Sequence[str] = ()) -> str:
    """Sections in the order of the asks; `notes` stand behind the first sentence, `questions` at the end.

    A sentence stands once. Of several asks of one topic the later tell only figures that the earlier did not: who asks
    whether it fits and how long it takes is told the memory once.
    """
    said: list[str] = []
    sentences: set[str] = set()
    figures: dict[str, set[str]] = {}
    asked = set(questions)
    for one in blocks:
        told = figures.setdefault(one.topic, set())
        again = bool(told)
        for line in _new(one, sentences, told, asked, again=again):
            said.append(line)
            told |= _figures(line)
        if one is blocks[0]:
            said += [note for note in notes if note not in said]
    said[0] = f"**{said[0]}**"
    return "\n\n".join([*said, *dict.fromkeys(questions)])


def _new(one: Block, sentences: set[str], told: set[str], asked: set[str], *, again: bool) -> Iterator[str]:
    """The lines of a section less what was said: its lead stays, unless it is said word for word."""
    if bare(one.lead) not in sentences:
        sentences.add(bare(one.lead))
        yield one.lead
        told |= _figures(one.lead)
    for line in one.lines:
        if again and _figures(line) and _figures(line) <= told:
            continue
        fresh = _fresh(line, sentences, asked)
        if fresh:
            yield fresh


def bare(line: str) -> str:
    """A statement without the key of its passage, by which it is known again."""
    return KEY.sub("", line).removeprefix("- ").strip()


def _fresh(line: str, sentences: set[str], asked: set[str]) -> str:
    """A line less the sentences, or the items, that stand already, here or among the questions at the end."""
    if line in asked:
        return ""
    listed = line.startswith("- ")
    if listed or line.startswith(BLOCKS):
        parts = line.split("\n") if listed else [line]
    else:
        parts = [part.strip() for part in SENTENCE.split(line) if part.strip()]
    kept = [part for part in parts if bare(part) not in sentences]
    sentences.update(map(bare, kept))
    if kept == parts:
        return line
    return ("\n" if listed else "" if re.search(r"[一-鿿]", line) else " ").join(kept)


def _figures(line: str) -> set[str]:
    return {one for one in FIGURE.findall(line) if len(one) >= TELLING_MIN}


def beside(listed: Iterable[str], text: str) -> tuple[str, ...]:
    """What of these the text still says, each once."""
    return tuple(dict.fromkeys(one for one in listed if one in text))
