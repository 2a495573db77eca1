"""Candidates: the passages that words and vectors offer in one language, each with how much of the question it answers.

Relevance is the mean of two shares: the weight of the question's words that the passage holds, and its nearness by
cosine, where a passage of several sentences is also as near as its nearest sentence.
"""

import json
import math
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from kb.base import IndexUnavailable
from kb.embedder import Vectors, embedder
from kb.lexicon import concepts, language_of, translate
from kb.relevance import Question, Weighted, weigh
from kb.store import Store

CANDIDATES = 48
"""Passages each retriever offers in each language."""
QUERY_WORDS_MAX = 48
"""Words of a question that are looked up; the rarest are kept."""
DENSE_WEIGHT = 2.0
"""What nearness counts beside the share of words held."""
SENTENCE_SHARE = 0.35
"""What the nearest sentence counts in the nearness of a passage that has sentences' vectors."""


@dataclass(slots=True)
class Candidate:
    """A passage and how relevant it is."""

    row: sqlite3.Row
    score: float
    cosine: float = 0.0
    """Nearness of the passage and of its nearest sentence, on MiniLM's scale."""


@dataclass(frozen=True, slots=True)
class Sense:
    """A question as the model has it."""

    vector: Vectors
    known: float
    """How much of it the model knows."""
    nearest: frozenset[int]
    store: Store


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
) -> Iterable[Candidate]:
    """What words and vectors offer in one language, each with its relevance."""
    own = language_of(query) == language
    weighted = weigh(connection, concepts(query, language), language, own=own)
    # Words that the glossary cannot translate are missing from `weighted`: what is left says less.
    covered = 1.0 if own or language == "zh" else math.sqrt(translate(query)[1])
    keys = _holding(connection, weighted, language, allowed) | (meant.nearest if meant else set())
    rows = [row for row in _rows(connection, keys, language) if allowed is None or row["document"] in allowed]
    near = _nearness(connection, meant, [row["id"] for row in rows]) if meant else {}
    dense = DENSE_WEIGHT * meant.known if meant and near else 0.0
    question = Question(weighted)
    for row in rows:
        body, head, about = (set(row[column].split()) for column in ("body", "head", "about"))
        lexical = covered * question.share_held(body, head, about)
        cosine = near.get(row["id"], 0.0)
        yield Candidate(row, (lexical + dense * max(0.0, cosine)) / (1 + dense), cosine)


def _nearness(connection: sqlite3.Connection, meant: Sense, keys: list[int]) -> dict[int, float]:
    """Cosine of each chunk on MiniLM's scale, whether or not it is among the nearest."""
    cosines = meant.store.cosines(meant.vector, keys)
    if not cosines:
        return {}
    model = embedder()
    if own := meant.store.sentences(connection, cosines):
        # All sentences of all passages in one product.
        near = np.concatenate(list(own.values())).astype(np.float32) @ meant.vector
        starts = np.cumsum([0, *(len(one) for one in own.values())][:-1])
        for key, best in zip(own, np.maximum.reduceat(near, starts).tolist(), strict=True):
            cosines[key] += SENTENCE_SHARE * (best - cosines[key])
    return {key: model.scale.of(cosine) for key, cosine in cosines.items()}


def _holding(
    connection: sqlite3.Connection, weighted: list[Weighted], language: str, allowed: frozenset[int] | None
) -> set[int]:
    """The chunks of `language` that hold the question's words, best by BM25."""
    ranked = sorted(weighted, key=lambda one: -one.weight)
    looked_up = list(
        dict.fromkeys(
            word for one in ranked for way in (*one.concept.ways, *one.concept.synonyms) for word in sorted(way)
        )
    )
    if not looked_up:
        return set()
    match = " OR ".join(f'"{word}"' for word in looked_up[:QUERY_WORDS_MAX])
    within = "AND rowid IN (SELECT id FROM chunks WHERE document IN (SELECT value FROM json_each(?)))"
    rows = connection.execute(
        f"SELECT rowid FROM words_{language} WHERE words_{language} MATCH ? "  # noqa: S608 - own names
        f"{'' if allowed is None else within} ORDER BY bm25(words_{language}, 3.0, 1.0, 0.5) LIMIT ?",
        (match, *(() if allowed is None else (json.dumps(sorted(allowed)),)), CANDIDATES),
    )
    return {row["rowid"] for row in rows}


def _rows(connection: sqlite3.Connection, keys: set[int] | frozenset[int], language: str) -> list[sqlite3.Row]:
    """Those of the chunks that are in `language`, with their words and their document."""
    return connection.execute(
        f"""SELECT chunks.*, documents.name, documents.title, documents.date, documents.trust, documents.twin,
            head, body, about FROM words_{language} JOIN chunks ON chunks.id = words_{language}.rowid
            JOIN documents ON documents.id = chunks.document
            WHERE words_{language}.rowid IN ({",".join("?" * len(keys))})""",  # noqa: S608 - placeholders only
        tuple(keys),
    ).fetchall()
