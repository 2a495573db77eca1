"""Candidates: the passages that words and vectors offer in one language, each with how much of the question it answers.

Words show which share of the question's weight a passage holds, and where; vectors how near it is, its nearest
sentence, and the nearest question that it is known to answer. `kb/retrieval/ranking.py` makes one figure of it.
"""

import json
import math
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kb.base import IndexUnavailable
from kb.index.index_words import Concept, concepts, language_of, translate
from kb.index.indexed import Indexed, indexed
from kb.index.store import Store
from kb.retrieval.ranking import Shown, features, ranking
from kb.retrieval.relevance import Question, Weighted, count, frequency, weigh
from kb.vectors.embedder import Vectors, embedder

CANDIDATES = 48
"""Passages each retriever offers in each language."""
QUERY_WORDS_MAX = 48
"""Words of a question that are looked up; the rarest are kept."""
POSTINGS_MAX = 8_000
"""Chunks that words are looked up in, counted for every word of one lookup: it bounds what a question costs."""
CREDITS = "3.0, 1.0, 0.5, 1.5"
"""BM25's weights of heading, text, title with keywords, and the questions a section answers."""


@dataclass(slots=True)
class Candidate:
    """A passage and how relevant it is."""

    row: sqlite3.Row
    score: float
    cosine: float = 0.0
    """Nearness of the passage, its nearest sentence or question, on MiniLM's scale."""


@dataclass(frozen=True, slots=True)
class Sense:
    """A question as the model has it."""

    vector: Vectors
    known: float
    """How much of it the model knows."""
    nearest: frozenset[int]
    store: Store


class Near(NamedTuple):
    """Cosines of a passage on MiniLM's scale."""

    whole: float
    sentence: float
    """Its nearest sentence; the whole where sentences have no vectors of their own."""
    question: float
    """The nearest question that it answers; 0 without any."""


FAR = Near(0.0, 0.0, 0.0)


def sense(query: str, store: Store, top: int) -> Sense | None:
    """The question's vector and the chunks nearest to it; null when words alone must find passages."""
    if not query.strip():
        return None
    try:
        vector = embedder().query(query)
        return Sense(vector, embedder().known(query), frozenset(store.nearest(vector, top)), store)
    except IndexUnavailable:
        return None


def candidates(
    connection: sqlite3.Connection, query: str, meant: Sense | None, language: str, allowed: frozenset[int] | None
) -> list[Candidate]:
    """What words and vectors offer in one language, each with its relevance."""
    rows, shown, near = evidence(connection, query, meant, language, allowed)
    if not rows:
        return []
    if meant is None or not near:
        # Weights were fitted on words and vectors together.
        scores = [one.lexical for one in shown]
    else:
        scores = ranking().relevance(features(shown, meant.known, [row["document"] for row in rows])).tolist()
    return [Candidate(row, score, max(near.get(row["id"], FAR))) for row, score in zip(rows, scores, strict=True)]


def evidence(
    connection: sqlite3.Connection, query: str, meant: Sense | None, language: str, allowed: frozenset[int] | None
) -> tuple[list[sqlite3.Row], list[Shown], dict[int, Near]]:
    """The candidates' rows, what each shows, and their cosines, none when words alone must do."""
    asked_in = language_of(query)
    for spoken in dict.fromkeys((language, asked_in)):
        count(connection, _words(concepts(query, spoken)), spoken)
    weighted = weigh(connection, concepts(query, language), language, own=asked_in == language)
    question = Question(weighted)
    # The questions that a section answers stand beside it in both languages: they are met in the asker's own.
    own = (
        question if asked_in == language else Question(weigh(connection, concepts(query, asked_in), asked_in, own=True))
    )
    # Words that the glossary cannot translate are missing from `weighted`: what is left says less.
    covered = 1.0 if asked_in == language or language == "zh" else math.sqrt(translate(query)[1])
    keys = _holding(connection, weighted, language, allowed) | (meant.nearest if meant else set())
    if own is not question:
        keys |= _holding(connection, own.weighted, language, allowed, column="asked")
    found = meant.store.passages(connection, keys, language) if meant else indexed(connection, keys, language)
    found = [one for one in found if allowed is None or one.row["document"] in allowed]
    rows = [one.row for one in found]
    near = _nearness(meant, connection, rows) if meant else {}
    return rows, [_shown(one, question, own, covered, near.get(one.row["id"], FAR)) for one in found], near


def _shown(one: Indexed, question: Question, own: Question, covered: float, near: Near) -> Shown:
    held = question.held(one.body, one.head, one.about, one.asked)
    share = own.share(one.asked) if one.asked else 0.0
    return Shown(
        body=covered * held.body,
        head=covered * held.head,
        about=covered * held.about,
        held=covered * held.anywhere,
        either=max(covered * held.everywhere, share),
        lexical=covered * held.credited,
        asked=share,
        question=own.best_share(one.questions) if share else 0.0,
        has=float(bool(one.asked)),
        named=held.named,
        missing=1 - held.named,
        cosine=near.whole,
        sentence=near.sentence,
        nearest=near.question,
    )


def _nearness(meant: Sense, connection: sqlite3.Connection, rows: Sequence[sqlite3.Row]) -> dict[int, Near]:
    """Cosines of each chunk, whether or not it is among the nearest."""
    cosines = meant.store.cosines(meant.vector, [row["id"] for row in rows])
    if not cosines:
        return {}
    scale = embedder().scale
    within = meant.store.sentences(connection, cosines)
    found = {}
    for row in rows:
        if (whole := cosines.get(row["id"])) is None:
            continue
        own = (within[row["id"]] @ meant.vector).tolist() if row["id"] in within else []
        said = len(own) - (row["asked"].count("\n") + 1 if row["asked"] and own else 0)
        found[row["id"]] = Near(
            scale.of(whole),
            scale.of(max(own[:said], default=whole)),
            scale.of(max(own[said:])) if own[said:] else 0.0,
        )
    return found


def _holding(
    connection: sqlite3.Connection,
    weighted: list[Weighted],
    language: str,
    allowed: frozenset[int] | None,
    column: str = "",
) -> set[int]:
    """The chunks of `language` that hold the question's words, in one column if it is named, best by BM25."""
    ranked = sorted(weighted, key=lambda one: -one.weight)
    looked_up = list(
        dict.fromkeys(
            word for one in ranked for way in (*one.concept.ways, *one.concept.synonyms) for word in sorted(way)
        )
    )
    if not looked_up:
        return set()
    match = " OR ".join(f'"{word}"' for word in _rarest(connection, looked_up[:QUERY_WORDS_MAX], language))
    within = "AND rowid IN (SELECT id FROM chunks WHERE document IN (SELECT value FROM json_each(?)))"
    # As one row: SQLite gives the interpreter away before each, and under load it is waited for every time.
    (found,) = connection.execute(
        f"SELECT json_group_array(id) FROM (SELECT rowid AS id FROM words_{language} "  # noqa: S608 - own names
        f"WHERE words_{language} MATCH ? {'' if allowed is None else within} "
        f"ORDER BY bm25(words_{language}, {CREDITS}) LIMIT ?)",
        (
            f"{column} : ({match})" if column else match,
            *(() if allowed is None else (json.dumps(sorted(allowed)),)),
            CANDIDATES,
        ),
    ).fetchone()
    return set(json.loads(found))


def _words(asked: Iterable[Concept]) -> Iterator[str]:
    """Every word by which concepts are looked up."""
    return (word for one in asked for way in (*one.ways, *one.synonyms) for word in way)


def _rarest(connection: sqlite3.Connection, looked_up: list[str], language: str) -> list[str]:
    """The words that together stand in at most `POSTINGS_MAX` chunks, or the rarest alone.

    What stands everywhere tells no passage from another, and BM25 would read all that hold it.
    """
    counts = {word: frequency(connection, word, language) for word in looked_up}
    kept, held = list[str](), 0
    for word in sorted(looked_up, key=lambda one: counts[one]):
        if held and held + counts[word] > POSTINGS_MAX:
            break
        kept.append(word)
        held += counts[word]
    return kept
