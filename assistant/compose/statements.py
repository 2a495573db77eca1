"""The statements of retrieved passages, word for word, ranked by what they share with the question."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kb.names import normalise
from kb.records.passage import Passage

SHORTEST, LONGEST = 12, 320
"""Characters of a statement worth quoting."""
PER_PASSAGE = 2
"""Statements taken from one passage, so that several documents speak."""
_NOTE = re.compile(r"\s*\[\^[^\]]{1,60}\]\s*$")
_SENTENCE = re.compile(r"[^。！？!?]+?(?:[。！？!?]+|(?<=[^\d\s])\.(?= |$)|$)")
_LATIN = re.compile(r"[a-z0-9][a-z0-9.+\-]*")
_HAN = re.compile(r"[一-鿿]+")


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement and the passage it stands in."""

    text: str
    passage: Passage


def best(passages: Sequence[Passage], question: str, most: int) -> list[Statement]:
    """The statements that share the rarest words with the question; none that shares nothing."""
    found = [Statement(text, passage) for passage in passages for text in _statements(passage.text)]
    words = [terms(statement.text) for statement in found]
    wanted = terms(question)
    common = Counter(word for one in words for word in one)

    def score(index: int) -> float:
        length = float(8 + len(words[index]))
        shared = words[index] & wanted
        rarity = sum(math.log(1 + len(found) / common[word]) for word in shared)
        return rarity * found[index].passage.score / math.sqrt(length)

    ranked = sorted((index for index in range(len(found)) if words[index] & wanted), key=lambda index: -score(index))
    return _spread([found[index] for index in ranked], most)


def terms(text: str) -> set[str]:
    """Words of Latin script and pairs of Han characters."""
    plain = normalise(text)
    pairs = {run[place : place + 2] for run in _HAN.findall(plain) for place in range(len(run) - 1)}
    return pairs | {word for word in _LATIN.findall(plain) if len(word) > 1}


def _spread(ranked: Sequence[Statement], most: int) -> list[Statement]:
    kept: list[Statement] = []
    for statement in ranked:
        same = [one for one in kept if one.passage == statement.passage]
        if len(same) < PER_PASSAGE and all(one.text != statement.text for one in kept):
            kept.append(statement)
        if len(kept) == most:
            break
    return kept


def _statements(text: str) -> Iterator[str]:
    """Bullets whole, prose by the sentence; no headings, tables, code or half sentences."""
    for line in text.splitlines():
        stripped = line.strip()
        if not stripped or stripped.startswith(("#", "|", "```", ">", "!", "<")):
            continue
        bullet = re.match(r"(?:[-*+]|\d{1,2}[.)、])\s+", stripped)
        pieces = [stripped[bullet.end() :]] if bullet else _SENTENCE.findall(stripped)
        for piece in pieces:
            statement = _NOTE.sub("", piece).strip()
            if SHORTEST <= len(statement) <= LONGEST and not statement.endswith((":", "：")) and "[^" not in statement:
                yield statement
