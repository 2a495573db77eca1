"""The person's own figure beside the one that was worked out."""

from collections.abc import Sequence
from typing import NamedTuple

from assistant.reading.situation import Known, Situation, Thing
from assistant.reading.slots import Stance
from assistant.writing.accounts.sentences import memory, sentences
from assistant.writing.words import Words

THOUGHT: tuple[Stance, ...] = ("expected", "claimed", "proposed", "mentioned")
ALIKE = 1.15
"""Ratio of two memories up to which one is right about the other."""
GIB, GB = 2**30, 10**9


class Own(NamedTuple):
    """What a person takes something to need."""

    quote: str
    bytes: float


def own_memory(situation: Situation, things: Sequence[Thing]) -> Own | None:
    """The memory that the person, or a document, says it takes; the latest."""
    known: list[Known] = [one for thing in things for one in thing.known] + list(situation.known)
    found = [
        one
        for one in known
        if one.slot in ("memory", "total_memory") and one.stance in THOUGHT and isinstance(one.value, (int, float))
    ]
    return Own(found[-1].quote, float(found[-1].value)) if found else None


def judged(own: Own | None, needed: float, words: Words) -> list[str]:
    """Whether that figure is right, in one sentence; nothing where none was told."""
    if own is None or not needed or not own.bytes:
        return []
    ratio = max(own.bytes / needed, needed / own.bytes)
    decimal = own.bytes / GIB * GB  # "GB" are counted either way: the nearer reading is meant
    ratio = min(ratio, max(decimal / needed, needed / decimal))
    name = "own_right" if ratio <= ALIKE else "own_low" if own.bytes < needed else "own_high"
    return [sentences(words).say(name, own=own.quote, needed=memory(needed))]
