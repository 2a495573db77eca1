"""What share of a question a text holds: its concepts, each weighed by how rare it is, wherever the text has them."""

import json
import math
import re
import sqlite3
from collections.abc import Iterable, Set
from dataclasses import dataclass
from typing import NamedTuple

from rapidfuzz import process
from rapidfuzz.distance import OSA

from kb.index.archive import LANGUAGES
from kb.index.connection import Reading
from kb.index.index_words import QUERY_MAX, STOP_EN, Concept, glossary_words, words

BODY_CREDIT, HEAD_CREDIT, ABOUT_CREDIT = 0.6, 0.98, 0.5
"""What a word of the question is worth in the text, in the section's heading, in the document's title or keywords."""
SYNONYM_CREDIT, PART_CREDIT = 0.6, 0.5
"""What another word for the same thing is worth, and a full share of a longer word's parts."""
UNKNOWN_WEIGHT, UNKNOWN_OTHER_WEIGHT = 0.7, 0.2
"""Weight of a word no document holds, relative to the rarest one."""
TYPO_LETTERS_MIN = 5
"""Letters from which a word may be a misspelt one; from twice as many about, by two letters."""
TWO_TYPOS_LETTERS_MIN = 9
_ENGLISH = re.compile(rf"(?<![A-Za-z0-9])[A-Za-z]{{{TYPO_LETTERS_MIN},24}}(?![A-Za-z0-9])")


@dataclass(frozen=True, slots=True)
class Weighted:
    """A concept of the question with its rarity, which is what it says about relevance."""

    concept: Concept
    weight: float


def weigh(connection: sqlite3.Connection, wanted: list[Concept], language: str, *, own: bool) -> list[Weighted]:
    """The concepts as rare as texts of `language` have them; `own` when the question is asked in it."""
    total = _total(connection, language)
    if not total:
        return []
    scale = math.log(1 + total / 0.5)
    weighted = []
    for concept in wanted:
        frequency = max(_frequency(connection, way, language) for way in concept.ways)
        weight = math.log(1 + total / (frequency + 0.5)) / scale
        if not frequency:
            # A translation may miss words that the other language does without; a name it may not.
            weight *= UNKNOWN_WEIGHT if own or concept.named else UNKNOWN_OTHER_WEIGHT
        weighted.append(Weighted(concept, weight))
    return weighted


def passages(connection: sqlite3.Connection) -> int:
    """How many chunks words are looked up in."""
    return sum(_total(connection, language) for language in LANGUAGES)


def _total(connection: sqlite3.Connection, language: str) -> int:
    counted = connection.counted if isinstance(connection, Reading) else {}
    if (found := counted.get((language, ""))) is None:
        # Counting the index's own sizes is a hundred times faster than counting its rows.
        row = connection.execute(f"SELECT count(*) FROM words_{language}_docsize").fetchone()  # noqa: S608 - own names
        found = counted[language, ""] = int(row[0])
    return found


def known_words(connection: sqlite3.Connection, wanted: Iterable[str]) -> frozenset[str]:
    """Those of the words that some chunk has."""
    return frozenset(
        word for word in wanted if any(_frequency(connection, (word,), language) for language in LANGUAGES)
    )


def holds(connection: sqlite3.Connection, word: str) -> bool:
    """Whether any chunk has the word."""
    return any(_frequency(connection, words(word)[:1], language) for language in LANGUAGES)


def _frequency(connection: sqlite3.Connection, way: Iterable[str], language: str) -> int:
    """How many chunks hold the rarest of these words."""
    return min((frequency(connection, word, language) for word in way), default=0)


def count(connection: sqlite3.Connection, wanted: Iterable[str], language: str) -> None:
    """Count the chunks that hold each of the words, in one go."""
    if not isinstance(connection, Reading):
        return
    missing = [word for word in dict.fromkeys(wanted) if (language, word) not in connection.counted]
    if len(missing) > 1:
        (found,) = connection.execute(
            f"SELECT json_group_object(term, doc) FROM vocabulary_{language} "  # noqa: S608 - own names
            "WHERE term IN (SELECT value FROM json_each(?))",
            (json.dumps(missing),),
        ).fetchone()
        counts: dict[str, int] = json.loads(found)
        connection.counted.update({(language, word): counts.get(word, 0) for word in missing})


def frequency(connection: sqlite3.Connection, word: str, language: str) -> int:
    """How many chunks of a language hold the word."""
    counted = connection.counted if isinstance(connection, Reading) else {}
    if (found := counted.get((language, word))) is None:
        row = connection.execute(f"SELECT doc FROM vocabulary_{language} WHERE term = ?", (word,)).fetchone()  # noqa: S608
        found = counted[language, word] = row["doc"] if row else 0
    return found


def spelt(connection: sqlite3.Connection, query: str) -> str:
    """A query with every unknown English word replaced by the closest one of the index, if one is very close."""
    return _ENGLISH.sub(lambda match: _closest(connection, match[0]) or match[0], query[:QUERY_MAX])


def _closest(connection: sqlite3.Connection, word: str) -> str | None:
    lower = word.lower()
    if lower in STOP_EN or lower in glossary_words():
        return None
    (stem, *_) = words(lower)
    if any(_frequency(connection, (stem,), language) for language in LANGUAGES):
        return None
    near: dict[str, int] = {}
    for language in LANGUAGES:
        near.update(_beginning_with(connection, lower[0], language))
    slips = 1 if len(stem) < TWO_TYPOS_LETTERS_MIN else 2
    found = process.extract(stem, list(near), scorer=OSA.distance, score_cutoff=slips, limit=8)
    return min(found, key=lambda one: (one[1], -near[one[0]]))[0] if found else None


def _beginning_with(connection: sqlite3.Connection, letter: str, language: str) -> dict[str, int]:
    """The English words of the index that begin with a letter, and how many chunks hold each."""
    known = connection.spelt if isinstance(connection, Reading) else {}
    if (language, letter) not in known:
        rows = connection.execute(
            f"SELECT term, doc FROM vocabulary_{language} WHERE term >= ? AND term < ?",  # noqa: S608 - own names
            (letter, chr(ord(letter) + 1)),
        )
        known[language, letter] = {
            row["term"]: row["doc"] for row in rows if row["term"].isascii() and row["term"].isalpha()
        }
    return known[language, letter]


Shares = dict[int, float]
"""Concept, by its place in the question → how much of it is held."""


class Held(NamedTuple):
    """Shares of a question's weight that a passage holds."""

    body: float
    head: float
    about: float
    anywhere: float
    """The three together."""
    everywhere: float
    """And with them the questions it answers."""
    credited: float
    """Each place with its credit."""
    named: float
    """Share of what it names, cards, models and numbers; 1 of a question that names nothing."""


class Question:
    """A question's concepts, asked of one passage after another."""

    def __init__(self, weighted: list[Weighted]) -> None:
        self.weighted = weighted
        self._weights = [one.weight for one in weighted]
        self._total = sum(self._weights)
        self._told_by: dict[str, list[int]] = {}
        for number, one in enumerate(weighted):
            for word in {word for way in (*one.concept.ways, *one.concept.synonyms) for word in way}:
                self._told_by.setdefault(word, []).append(number)
        self._asked = frozenset(self._told_by)
        self._named = [number for number, one in enumerate(weighted) if one.concept.named]
        self._known: dict[frozenset[str], Shares] = {}
        self._shared: dict[frozenset[str], float] = {}
        self._weighed: dict[tuple[frozenset[str], ...], Held] = {}

    def held(self, body: Set[str], head: Set[str], about: Set[str], asked: Set[str] = frozenset()) -> Held:
        """What a passage holds of it, by where it holds it; words in two places add up."""
        # Most places hold no word of the question, and few combinations of its words occur.
        words = self._asked
        present = (words & body, words & head, words & about, words & asked)
        if (known := self._weighed.get(present)) is None:
            known = self._weighed[present] = self._weigh(*map(self._holds, present))
        return known

    def share(self, text: Set[str]) -> float:
        """Share of its weight that a text holds."""
        return self.best_share((text,))

    def best_share(self, texts: Iterable[Set[str]]) -> float:
        """The largest share that one of the texts holds; 0 without any."""
        asked, shared, best = self._asked, self._shared, 0.0
        for text in texts:
            present = asked & text
            if (known := shared.get(present)) is None:
                known = shared[present] = self._share(self._holds(present))
            if known > best:
                best = known
        return best

    def _weigh(self, body: Shares, head: Shares, about: Shares, asked: Shares) -> Held:
        most, missing = dict[int, float](), dict[int, float]()
        for place, credit in ((body, BODY_CREDIT), (head, HEAD_CREDIT), (about, ABOUT_CREDIT)):
            for number, share in place.items():
                if share > most.get(number, 0.0):
                    most[number] = share
                missing[number] = missing.get(number, 1.0) * (1 - credit * share)
        anywhere = self._share(most)
        everywhere = anywhere
        if asked:
            either = {number: max(most.get(number, 0.0), asked.get(number, 0.0)) for number in most | asked}
            everywhere = self._share(either)
        credited = {number: 1 - share for number, share in missing.items()}
        named = [most.get(number, 0.0) for number in self._named]
        return Held(
            body=self._share(body),
            head=self._share(head),
            about=self._share(about),
            anywhere=anywhere,
            everywhere=everywhere,
            credited=self._share(credited),
            named=sum(named) / len(named) if named else 1.0,
        )

    def _share(self, shares: Shares) -> float:
        if not shares:
            return 0.0
        weights, held = self._weights, 0.0
        for number, share in shares.items():
            held += weights[number] * share
        return held / (self._total or 1.0)

    def _holds(self, present: frozenset[str]) -> Shares:
        """How much of each concept that they tell of these words make."""
        if not present:
            return {}
        if (known := self._known.get(present)) is None:
            touched = {number for word in present for number in self._told_by[word]}
            known = self._known[present] = {
                number: _held(self.weighted[number].concept, present) for number in sorted(touched)
            }
        return known


def _held(concept: Concept, text: Set[str]) -> float:
    """How much of the concept the words hold: all of one way to write it, or part of a longer one."""
    best = max(len(way & text) / len(way) for way in concept.ways)
    if best == 1:
        return 1.0
    other = SYNONYM_CREDIT if any(way <= text for way in concept.synonyms) else 0.0
    return max(other, best * PART_CREDIT)
