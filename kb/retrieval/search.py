"""Search: words and sentence vectors, each language retrieved on its own, then merged on one scale.

Ranks of two languages cannot be mixed (fusing them measured worse than either); what can is how much of the question a
passage answers. So every candidate gets a relevance between 0 and 1 from the weight of the question's words it holds
and from its cosine; a section that stands in both languages is judged by both; and what is too low is not shown at all.
"""

import json
import math
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import lru_cache
from pathlib import Path
from typing import Any

from kb.base import BadInput
from kb.index.archive import LANGUAGES, Library, also_in
from kb.index.index_words import language_of
from kb.index.store import Store
from kb.records.passage import Dispute, Passage
from kb.retrieval.candidates import CANDIDATES, Candidate, candidates, sense
from kb.retrieval.passage_filter import PassageFilter
from kb.retrieval.relevance import spelt
from kb.retrieval.rerank import reranker
from kb.retrieval.topic import likely, spoken_of
from kb.settings import settings
from kb.vectors.embedder import Embedder, embedder

TOP_MAX = 100
FILTERED_CANDIDATES = 960
"""Nearest passages looked through when only some documents may answer."""
RERANKED = 20
"""Passages a cross-encoder reads, when one is set."""
PER_DOCUMENT_SHARE = 0.8
"""Share of the passages shown that one document may supply."""

FLOOR = 0.23
"""Relevance below which a passage says nothing of a question that the documents do speak of."""
TWIN_WEIGHT = 0.5
"""What the worse language of a section counts beside the better one."""
OTHER_LANGUAGE_FACTOR = 0.97
"""What a passage in another language than the reader's is worth; so, too, a section without a twin beside one."""


def search(
    query: str, *, top: int = 5, language: str | None = None, among: PassageFilter | None = None
) -> list[Passage]:
    """The passages closest to `query`, best first; none when nothing is relevant.

    `language` is the reader's, by default the query's: passages in it come first, others are still found, unless
    `among` leaves them out.

    Raises:
        BadInput: `top` is out of bounds.
        IndexUnavailable: nothing has been ingested, or the cross-encoder that is set cannot be loaded.
    """
    if not 1 <= top <= TOP_MAX:
        raise BadInput("top", f"must lie between 1 and {TOP_MAX}.")
    among = among or PassageFilter()
    library, store = opened(settings().home / "index", embedder())
    asked = language_of(query)
    reader = language or asked
    with library.reading() as connection:
        allowed = _allowed(connection, among)
        query = spelt(connection, query)
        meant = sense(query, store, CANDIDATES if among.is_open else FILTERED_CANDIDATES)
        found = [
            candidate
            for spoken in among.languages or LANGUAGES
            for candidate in candidates(connection, query, meant, spoken, allowed)
        ]
        best, nearest = (max((getattr(one, sign) for one in found), default=0.0) for sign in ("score", "cosine"))
        spoken = spoken_of(connection, query, meant.vector if meant else None, best, nearest) if found else -1.0
        if spoken <= 0:
            return []
        found = _whole_sections(connection, store, found, reader, among)
        found.sort(key=lambda one: (-one.score, one.row["id"]))
        chosen = _diverse(found, max(top, RERANKED) if settings().rerank_model else top)
        if model := settings().rerank_model:
            chosen = _reranked(query, chosen, model)[:top]
        return [
            passage_of(one.row, one.score, _disputed(connection, one.row)).model_copy(
                update={
                    "also_in": also_in(connection, one.row["id"]),
                    "answers": likely(one.score, chosen[0].score, spoken) if meant else None,
                }
            )
            for one in chosen
        ]


def reading() -> AbstractContextManager[sqlite3.Connection]:
    """A reading connection to the library that `search` searches.

    Raises:
        IndexUnavailable: nothing has been ingested.
    """
    return opened(settings().home / "index", embedder())[0].reading()


@lru_cache(maxsize=8)
def opened(folder: Path, model: Embedder) -> tuple[Library, Store]:
    """The library under a folder and the index beside it."""
    library = Library(folder)
    return library, Store(library, model)


def _allowed(connection: sqlite3.Connection, among: PassageFilter) -> frozenset[int] | None:
    """Documents that may answer; null when all may."""
    if among.model_copy(update={"languages": ()}).is_open:
        return None
    rows = connection.execute("SELECT id, name, date, trust FROM documents")
    return frozenset(row["id"] for row in rows if among.allows(row["name"], row["date"], row["trust"]))


def _whole_sections(
    connection: sqlite3.Connection, store: Store, found: Iterable[Candidate], reader: str, among: PassageFilter
) -> list[Candidate]:
    """Relevant candidates; a translated section in the reader's language, judged by what either language earned it."""
    twin = store.translations(connection)
    best: dict[tuple[str, int], dict[str, Candidate]] = {}
    chosen = []
    for one in found:
        one.score *= 1.0 if one.row["language"] == reader else OTHER_LANGUAGE_FACTOR
        if one.row["twin"]:
            section = best.setdefault((one.row["twin"], one.row["section"]), {})
            former = section.setdefault(one.row["language"], one)
            if one.score > former.score:
                section[one.row["language"]] = one
        elif one.score >= FLOOR:
            one.score *= OTHER_LANGUAGE_FACTOR
            chosen.append(one)
    for section in best.values():
        scores = sorted((one.score for one in section.values()), reverse=True)
        if scores[0] < FLOOR:
            continue
        other = scores[1] if len(scores) > 1 else OTHER_LANGUAGE_FACTOR * scores[0]
        shown = section.get(reader)
        if shown is None:
            (first, *_) = section.values()
            row = first.row if among.languages and reader not in among.languages else twin(first.row, reader)
            shown = Candidate(row or first.row, first.score)
        shown.score = (scores[0] + TWIN_WEIGHT * other) / (1 + TWIN_WEIGHT)
        chosen.append(shown)
    return chosen


def _reranked(query: str, found: Sequence[Candidate], model: str) -> list[Candidate]:
    """In the order of the cross-encoder, whose probability is then the score."""
    texts = [f"{one.row['title']}\n{one.row['heading']}\n{one.row['text']}" for one in found]
    read = [Candidate(one.row, score) for one, score in zip(found, reranker(model)(query, texts), strict=True)]
    return sorted(read, key=lambda one: (-one.score, one.row["id"]))


def _diverse(found: list[Candidate], top: int) -> list[Candidate]:
    """The best, without translations or copies of what is already in, and not all from one document."""
    chosen: list[Candidate] = []
    spare: list[Candidate] = []
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
