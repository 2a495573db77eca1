"""What a message asks by its wording: runs of words in its clauses, names of one kind taken as one word.

A linear model beside the network, which learns slowly what few messages ask: the chance of each ask is that of the
clause where it is likeliest. Learned in seconds, see `tests/bench/reading/phrases.py`.
"""

import zlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assistant.reading.embedded.network import Floats, rows_of
from assistant.reading.embedded.tokens import PASTED, Message, Token, word_of

NAMED = frozenset({"card", "model", "format"})
"""Tags of names that are taken as one word."""
LONGEST = 3
"""Words of a run."""
ENDS = frozenset(".?!;,。？！；，")
"""Marks that end a clause."""
CLAUSE_MIN = 2
"""Tokens of a clause."""
NUMBERS = 1 << 30


class Wording(NamedTuple):
    """What the wording says of each ask, as logarithms of the odds."""

    asked: Floats
    """(A,): in the clause where it is likeliest."""
    first: Floats
    """(A,): logarithms of the chance that it is what the message asks before all."""
    place: Floats
    """(A,): the number of the clause where it is likeliest."""


def clauses(text: str, tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Tokens `[start, end)` of each clause: up to a mark, or to the end of a line."""
    found, start = [], 0
    for n, token in enumerate(tokens):
        last = n + 1 == len(tokens)
        if not (last or token.text in ENDS or "\n" in text[token.end : tokens[n + 1].start]):
            continue
        if n + 1 - start >= CLAUSE_MIN:
            found.append((start, n + 1))
        start = n + 1
    return found or [(0, len(tokens))]


def runs(tokens: Sequence[Token], tags: Sequence[str]) -> frozenset[int]:
    """The runs of one to three words, as numbers."""
    words = ["^"]
    for token, tag in zip(tokens, tags, strict=True):
        kind = tag[1:]
        if kind not in NAMED:
            words.append(PASTED if token.text == PASTED else word_of(token))
        elif tag[0] == "B" or words[-1] != f"<{kind}>":
            words.append(f"<{kind}>")
    words.append("$")
    return frozenset(
        zlib.crc32(" ".join(words[at : at + length]).encode()) % (NUMBERS - 1) + 1
        for length in range(1, LONGEST + 1)
        for at in range(len(words) - length + 1)
    )


class Phrases:
    """The weights of runs, and what they say.

    Args:
        weights: arrays by name: of the runs that learning met, how rare each is and what it says of a clause's asks
            and of a message's first, in bytes with one scale a run.
    """

    def __init__(self, weights: Mapping[str, NDArray[Any]]) -> None:
        self._known, self._table = weights["phrases.known"], weights["phrases"]
        self._scales, self._rare = weights["phrases.scales"], weights["phrases.rare"].astype(np.float32)
        self._base = weights["phrases.b"].astype(np.float32)

    def read(self, text: str, message: Message) -> Wording:
        """What they say of a message."""
        tokens, tags = message.tokens, message.tags
        asks = len(self._base) // 2
        said = [self._said(tokens[a:b], tags[a:b])[:asks] for a, b in clauses(text, tokens)]
        first = self._said(tokens, tags)[asks:]
        top = first.max()
        place = np.argmax(said, axis=0).astype(np.float32)
        return Wording(np.max(said, axis=0), first - top - np.log(np.exp(first - top).sum()), place)

    def _said(self, tokens: Sequence[Token], tags: Sequence[str]) -> Floats:
        """(2 A,): of the runs of some tokens together, rarer ones counting more, whatever their number."""
        rows = rows_of(np.array(sorted(runs(tokens, tags)), dtype=np.int64), self._known)
        rows = rows[rows > 0]
        rare = self._rare[rows]
        weights = rare * self._scales[rows] / max(float(np.linalg.norm(rare)), 1e-6)
        total: Floats = (weights @ self._table[rows].astype(np.float32) + self._base).astype(np.float32)
        return total
