"""Search: words and sentence vectors, each language retrieved on its own, then merged on one scale.

Ranks of two languages cannot be mixed (fusing them measured worse than either); what can is the share of the question
that a passage covers. So every candidate gets a score between 0 and 1 from the weight of the question's words it
holds and from its cosine, and what scores too low is not shown at all.
"""

import json
import math
import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from rapidfuzz import process
from rapidfuzz.distance import OSA

from kb.archive import LANGUAGES, Library, also_in
from kb.base import BadInput, IndexUnavailable
from kb.embedder import Embedder, embedder
from kb.lexicon import QUERY_MAX, STOP_EN, Concept, concepts, glossary_words, language_of, translate, words
from kb.records.passage import Dispute, Passage
from kb.settings import settings
from kb.store import Store

TOP_MAX = 100
CANDIDATES = 48
"""Passages each retriever offers in each language."""
QUERY_WORDS_MAX = 48
"""Words of a question that are looked up; the rarest are kept."""
PER_DOCUMENT_SHARE = 0.8
"""Share of the passages shown that one document may supply."""

FLOOR_SCORE, OTHER_FLOOR_SCORE = 0.33, 0.2
"""Below this a passage has nothing to do with the question; in the other language half the words find no match."""
OTHER_LANGUAGE_FACTOR = 0.85
"""What a passage in another language than the reader's is worth."""
COSINE_NONE, COSINE_FULL = 0.2, 0.75
"""MiniLM's cosine of unrelated and of matching English texts."""
DENSE_WEIGHT = 0.9
"""What full closeness of the vectors is worth beside the words; these weights: tests/bench/bench_retrieval.py."""
TRANSLATED_DENSE_WEIGHT = 0.5
"""The same for a Chinese question, which the English model sees only as glossary words."""
BODY_CREDIT, HEAD_CREDIT, ABOUT_CREDIT = 0.6, 0.98, 0.5
"""What a word of the question is worth in the text, in the section's heading, in the document's title or keywords."""
SYNONYM_CREDIT, PART_CREDIT = 0.6, 0.5
"""What another word for the same thing is worth, and a full share of a longer word's parts."""
RANK_SHARE = 0.2
"""How far BM25 decides between passages that hold the same share of the question."""
UNKNOWN_WEIGHT, UNKNOWN_OTHER_WEIGHT = 0.7, 0.2
"""Weight of a word no document holds, relative to the rarest one."""
TYPO_LETTERS_MIN = 5
"""Letters from which a word may be a misspelt one; from twice as many about, by two letters."""
TWO_TYPOS_LETTERS_MIN = 9


_ENGLISH = re.compile(rf"(?<![A-Za-z0-9])[A-Za-z]{{{TYPO_LETTERS_MIN},24}}(?![A-Za-z0-9])")


@dataclass(frozen=True, slots=True)
class _Weighted:
    """A concept of the question with its rarity, which is what it says about relevance."""

    concept: Concept
    weight: float


@dataclass(slots=True)
class _Candidate:
    row: sqlite3.Row
    score: float


def search(query: str, *, top: int = 5, language: str | None = None) -> list[Passage]:
    """The passages closest to `query`, best first; none when nothing is relevant.

    `language` is the reader's, by default the query's: passages in it come first, others are still found.

    Raises:
        BadInput: `top` is out of bounds.
        IndexUnavailable: nothing has been ingested.
    """
    if not 1 <= top <= TOP_MAX:
        raise BadInput("top", f"must lie between 1 and {TOP_MAX}.")
    library, store = _opened(settings().home / "index", embedder())
    reader = language or language_of(query)
    asked = language_of(query)
    with library.reading() as connection:
        query = _spelt(connection, query)
        dense = _dense(query, asked, store)
        found: list[_Candidate] = []
        for spoken in LANGUAGES:
            weighted = _weigh(connection, concepts(query, spoken), spoken, own=spoken == asked)
            for candidate in _candidates(connection, weighted, dense, spoken, translated=asked != "en"):
                if spoken != reader:
                    candidate.score *= OTHER_LANGUAGE_FACTOR
                if candidate.score >= (FLOOR_SCORE if spoken == reader else OTHER_FLOOR_SCORE):
                    found.append(candidate)
        found = _in_readers_language(connection, found, reader)
        found.sort(key=lambda one: (-one.score, one.row["id"]))
        chosen = _diverse(found, top)
        return [
            passage_of(one.row, one.score, _disputed(connection, one.row)).model_copy(
                update={"also_in": also_in(connection, one.row["id"])}
            )
            for one in chosen
        ]


def reading() -> AbstractContextManager[sqlite3.Connection]:
    """A reading connection to the library that `search` searches.

    Raises:
        IndexUnavailable: nothing has been ingested.
    """
    return _opened(settings().home / "index", embedder())[0].reading()


@lru_cache(maxsize=8)
def _opened(folder: Path, model: Embedder) -> tuple[Library, Store]:
    library = Library(folder)
    return library, Store(library, model)


def _dense(query: str, asked: str, store: Store) -> dict[int, float]:
    """Cosines of the chunks closest to the question, as far as the model reads its language."""
    model = embedder()
    text, share = (query, 1.0) if model.reads(asked) else translate(query) if model.reads("en") else ("", 0.0)
    if not text.strip():
        return {}
    try:
        found = store.nearest(model.query(text), CANDIDATES)
    except IndexUnavailable:
        return {}
    return {key: cosine * share for key, cosine in found.items()}


def _weigh(connection: sqlite3.Connection, wanted: list[Concept], language: str, *, own: bool) -> list[_Weighted]:
    total = connection.execute(f"SELECT count(*) FROM words_{language}").fetchone()[0]  # noqa: S608 - own names
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
        weighted.append(_Weighted(concept, weight))
    return weighted


def _frequency(connection: sqlite3.Connection, way: Iterable[str], language: str) -> int:
    """How many chunks hold the rarest of these words."""
    counts = []
    for word in way:
        row = connection.execute(f"SELECT doc FROM vocabulary_{language} WHERE term = ?", (word,)).fetchone()  # noqa: S608
        counts.append(row["doc"] if row else 0)
    return min(counts, default=0)


def _spelt(connection: sqlite3.Connection, query: str) -> str:
    """The query with every unknown English word replaced by the closest one of the index, if one is very close."""
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
        rows = connection.execute(
            f"SELECT term, doc FROM vocabulary_{language} WHERE term >= ? AND term < ?",  # noqa: S608 - own names
            (lower[0], chr(ord(lower[0]) + 1)),
        )
        near.update((row["term"], row["doc"]) for row in rows if row["term"].isascii() and row["term"].isalpha())
    slips = 1 if len(stem) < TWO_TYPOS_LETTERS_MIN else 2
    found = process.extract(stem, list(near), scorer=OSA.distance, score_cutoff=slips, limit=8)
    return min(found, key=lambda one: (one[1], -near[one[0]]))[0] if found else None


def _candidates(
    connection: sqlite3.Connection,
    weighted: list[_Weighted],
    dense: dict[int, float],
    language: str,
    *,
    translated: bool,
) -> Iterable[_Candidate]:
    ranks = _ranked(connection, weighted, language)
    trust = TRANSLATED_DENSE_WEIGHT if translated else DENSE_WEIGHT
    for row in _rows(connection, {*ranks, *dense}, language):
        held = _lexical(weighted, *(set(row[column].split()) for column in ("body", "head", "about")))
        lexical = held * (1 - RANK_SHARE + RANK_SHARE * ranks.get(row["id"], 0.0))
        yield _Candidate(row, 1 - (1 - lexical) * (1 - trust * _closeness(dense.get(row["id"]))))


def _closeness(cosine: float | None) -> float:
    """Cosine on a scale from unrelated to matching."""
    return 0.0 if cosine is None else min(1.0, max(0.0, (cosine - COSINE_NONE) / (COSINE_FULL - COSINE_NONE)))


def _ranked(connection: sqlite3.Connection, weighted: list[_Weighted], language: str) -> dict[int, float]:
    """The chunks of `language` that hold the question's words, each with its BM25 relative to the best."""
    ranked = sorted(weighted, key=lambda one: -one.weight)
    looked_up = list(
        dict.fromkeys(
            word for one in ranked for way in (*one.concept.ways, *one.concept.synonyms) for word in sorted(way)
        )
    )
    if not looked_up:
        return {}
    match = " OR ".join(f'"{word}"' for word in looked_up[:QUERY_WORDS_MAX])
    rows = connection.execute(
        f"SELECT rowid, -bm25(words_{language}, 3.0, 1.0, 0.5) AS rank FROM words_{language} "  # noqa: S608 - own names
        f"WHERE words_{language} MATCH ? ORDER BY rank DESC LIMIT ?",
        (match, CANDIDATES),
    ).fetchall()
    best = max((row["rank"] for row in rows), default=0.0)
    return {row["rowid"]: row["rank"] / best if best > 0 else 0.0 for row in rows}


def _rows(connection: sqlite3.Connection, keys: set[int], language: str) -> list[sqlite3.Row]:
    """Those of the chunks that are in `language`, with their words and their document."""
    return connection.execute(
        f"""SELECT chunks.*, documents.name, documents.title, documents.date, documents.trust, documents.twin,
            head, body, about FROM words_{language} JOIN chunks ON chunks.id = words_{language}.rowid
            JOIN documents ON documents.id = chunks.document
            WHERE words_{language}.rowid IN ({",".join("?" * len(keys))})""",  # noqa: S608 - placeholders only
        tuple(keys),
    ).fetchall()


def _lexical(weighted: list[_Weighted], body: set[str], head: set[str], about: set[str]) -> float:
    """Share of the question's weight that the passage holds, by where it holds it; words in two places add up."""
    total = sum(one.weight for one in weighted)
    if not total:
        return 0.0
    places = ((body, BODY_CREDIT), (head, HEAD_CREDIT), (about, ABOUT_CREDIT))
    held = 0.0
    for one in weighted:
        missing = 1.0
        for place, credit in places:
            missing *= 1 - credit * _held(one.concept, place)
        held += one.weight * (1 - missing)
    return held / total


def _held(concept: Concept, text: set[str]) -> float:
    """How much of the concept the words hold: all of one way to write it, or part of a longer one."""
    best = max(len(way & text) / len(way) for way in concept.ways)
    if best == 1:
        return 1.0
    other = SYNONYM_CREDIT if any(way <= text for way in concept.synonyms) else 0.0
    return max(other, best * PART_CREDIT)


def _diverse(found: list[_Candidate], top: int) -> list[_Candidate]:
    """The best, without translations or copies of what is already in, and not all from one document."""
    chosen: list[_Candidate] = []
    spare: list[_Candidate] = []
    sections: set[tuple[str, int]] = set()
    texts: set[str] = set()
    per_document: dict[int, int] = {}
    most = max(2, math.ceil(top * PER_DOCUMENT_SHARE))
    for one in found:
        row = one.row
        twin = (row["twin"], row["section"]) if row["twin"] else None
        text = " ".join(row["text"].split())
        if twin in sections or text in texts:
            continue
        if twin:
            sections.add(twin)
        texts.add(text)
        crowded = per_document.get(row["document"], 0) >= most
        (spare if crowded else chosen).append(one)
        per_document[row["document"]] = per_document.get(row["document"], 0) + 1
        if len(chosen) == top:
            break
    return sorted([*chosen, *spare[: top - len(chosen)]], key=lambda one: (-one.score, one.row["id"]))


def _in_readers_language(connection: sqlite3.Connection, found: list[_Candidate], reader: str) -> list[_Candidate]:
    """Each section of a translated document in the reader's language, at the best score either language earned it."""
    own = {_section(one): one for one in reversed(found) if one.row["twin"] and one.row["language"] == reader}
    chosen = []
    for one in found:
        if not one.row["twin"] or one.row["language"] == reader:
            chosen.append(one)
            continue
        score = one.score / OTHER_LANGUAGE_FACTOR
        twin = own.get(_section(one))
        if twin is not None:
            twin.score = max(twin.score, score)
        elif row := _twin(connection, one.row, reader):
            chosen.append(_Candidate(row, score))
        else:
            chosen.append(one)
    return chosen


def _section(one: _Candidate) -> tuple[str, int]:
    return one.row["twin"], one.row["section"]


def _twin(connection: sqlite3.Connection, row: sqlite3.Row, reader: str) -> sqlite3.Row | None:
    """The beginning of the same section in the reader's translation of the document."""
    found: sqlite3.Row | None = connection.execute(
        """SELECT chunks.*, documents.name, documents.title, documents.date, documents.trust, documents.twin
           FROM chunks JOIN documents ON documents.id = chunks.document
           WHERE documents.twin = ? AND documents.language = ? AND chunks.section = ? ORDER BY chunks.id LIMIT 1""",
        (row["twin"], reader, row["section"]),
    ).fetchone()
    return found


def passage_of(row: sqlite3.Row, score: float, disputed: tuple[Dispute, ...]) -> Passage:
    """A chunk with its document as a passage; `row` holds the columns of both."""
    return Passage(
        document=row["name"],
        title=row["title"],
        line_start=row["line_start"],
        line_end=row["line_end"],
        page=row["page"],
        heading=row["heading"],
        text=row["text"],
        score=round(min(1.0, score), 4),
        language=row["language"],
        date=row["date"],
        trust=row["trust"],
        disputes=_sentences(disputed),
        disputed=disputed,
    )


def _disputed(connection: sqlite3.Connection, row: sqlite3.Row) -> tuple[Dispute, ...]:
    """What the claim check holds against these lines."""
    found = connection.execute(
        "SELECT finding FROM findings WHERE document = ? AND line BETWEEN ? AND ? ORDER BY line",
        (row["document"], row["line_start"], row["line_end"]),
    )
    disputes = []
    for (text,) in found:
        finding = json.loads(text)
        if finding["verdict"] in {"wrong", "outdated"}:
            disputes.append(dispute_of(finding))
    return tuple(dict.fromkeys(disputes))


def dispute_of(finding: Mapping[str, Any]) -> Dispute:
    """A stored finding as the dispute a passage carries."""
    return Dispute(
        subject=finding["subject"],
        attribute=finding["attribute"],
        claimed=finding["claimed_value"],
        says=finding.get("says", "value"),
        verdict=finding["verdict"],
        correct=finding["correct_value"],
    )


def _sentences(disputes: Sequence[Dispute]) -> tuple[str, ...]:
    """The disputes as sentences."""
    return tuple(f"{one.subject} {one.attribute}: “{one.claimed}” is {one.verdict}; {one.correct}" for one in disputes)
