"""Fit what tells a question that the documents can speak of from one that they cannot (kb/retrieval/topic.npz).

    python tests/bench/fit_topic.py [--to FILE]

On half of the questions with an answer and half of those without, asked of the whole guidance and of small libraries
of a sixth of its topics each (a library of one's own documents is small, and knows few of a question's words). First
the direction in the space of vectors along which the trade's texts part from everyday questions, on two folds, so that
each question is judged by a direction that has not seen it; then the weights of all signs. A logistic regression with
ridge, by Newton's method.
"""

import argparse
import tempfile
from dataclasses import astuple
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from bench_retrieval import (
    FIRST,
    NOTHING,
    SECOND,
    TOP,
    build,
    is_fitted_on,
    misspell,
    section_of,
    sections_found,
    sections_of,
    use,
)  # fmt: skip
from fit_ranking import FITTED, questions
from numpy.typing import NDArray

from kb.index.archive import LANGUAGES, Library
from kb.index.store import Store
from kb.retrieval import topic
from kb.retrieval.candidates import CANDIDATES, candidates, sense
from kb.retrieval.relevance import spelt
from kb.retrieval.search import search
from kb.settings import settings, stay_offline
from kb.vectors.embedder import embedder

REJECTED = 0.92
"""Share of the questions without an answer that the threshold turns away, where it is fitted."""
RIDGE, SIGNS_RIDGE = 1 / 3, 1 / 30
LIBRARIES = 6
STEPS = 60
Array = NDArray[np.float64]


def logistic(rows: Array, is_yes: NDArray[np.bool_], ridge: float, *, alike: bool = True) -> Array:
    """Weights and, last, the constant; both classes count alike unless probabilities are wanted."""
    wide = np.hstack([rows, np.ones((len(rows), 1))])
    share = np.where(is_yes, 0.5 / is_yes.sum(), 0.5 / (~is_yes).sum()) * len(rows) if alike else np.ones(len(rows))
    penalty = np.diag([*[ridge] * rows.shape[1], 1e-9])
    weights = np.zeros(wide.shape[1])
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-np.clip(wide @ weights, -30, 30)))
        slope = wide.T @ (share * (likely - is_yes)) + penalty @ weights
        curve = (wide * (share * likely * (1 - likely))[:, None]).T @ wide + penalty
        weights = weights - np.linalg.solve(curve, slope)
    return weights


def asked() -> list[tuple[str, str]]:
    """Questions that may be fitted on, each with the topic that answers it, or none."""
    import random

    cases = [case for case in FIRST["questions"] if is_fitted_on(case)] + SECOND["questions"][::2]
    generator = random.Random(11)
    found = []
    for case in cases:
        slug = section_of(case["at"])[0]
        found += [(case["en"], slug), (case["zh"], slug), (misspell(case["en"], generator), slug)]
    return [*found, *((query, "") for query in NOTHING[::2])]


def answering(home: Path) -> tuple[Array, NDArray[np.bool_]]:
    """Relevance, distance from the best and the question's standing of every passage shown, and whether it answers."""
    standings: list[float] = []
    spoken_of = topic.spoken_of

    def noted(*arguments: Any) -> float:
        standings.append(spoken_of(*arguments))
        return standings[-1]

    rows, is_right = [], []
    with mock.patch("kb.retrieval.search.spoken_of", noted):
        for query, right in [*questions(FITTED), *((query, set()) for query in NOTHING[::2])]:
            found = search(query, top=TOP)
            sections = sections_found(home, found)
            for one, section in zip(found, sections, strict=True):
                rows.append([one.score, one.score - found[0].score, standings[-1]])
                is_right.append(section in right)
    return np.array(rows), np.array(is_right)


def lines() -> list[str]:
    """Headings and lines of the guidance, as texts of the trade."""
    texts: dict[str, None] = {}
    for language in LANGUAGES:
        for number, (_, chunks) in enumerate(sections_of(language)):
            for one in chunks:
                texts[one.heading] = None
                plain = [line.strip("-# ") for line in one.text.split("\n") if "|" not in line]
                texts.update(dict.fromkeys(line for line in plain[number % 3 :: 3] if 12 < len(line) < 160))
    return list(texts)


def best_of(query: str, direction: Array) -> Array:
    """The signs of a question in the library in use."""
    folder = settings().home / "index"
    library = Library(folder)
    store = Store(library, embedder())
    with library.reading() as connection:
        query = spelt(connection, query)
        meant = sense(query, store, CANDIDATES)
        found = [one for language in LANGUAGES for one in candidates(connection, query, meant, language, None)]
        best, nearest = (max((getattr(one, sign) for one in found), default=0.0) for sign in ("score", "cosine"))
        position = float(direction[:-1] @ meant.vector + direction[-1]) if meant else 0.0
        return np.array(astuple(topic.signs(connection, query, best, nearest, position)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=Path, default=topic.TABLE)
    parser.add_argument("--like", type=Path, help="a home whose index has the guidance's vectors already")
    options = parser.parse_args()
    stay_offline()
    model = embedder()
    questions = asked()
    texts = np.stack([model.query(text) for text in lines()]).astype(float)
    vectors = np.stack([model.query(query) for query, _ in questions]).astype(float)
    is_ours = np.array([bool(slug) for _, slug in questions])
    fold = np.array([hash_of(query) for query, _ in questions])

    def towards(mask: NDArray[np.bool_]) -> Array:
        return logistic(
            np.vstack([texts, vectors[mask]]), np.concatenate([np.ones(len(texts), bool), is_ours[mask]]), RIDGE
        )

    unseen = [towards(fold != part) for part in (0, 1)]
    rows, ours = [], []
    slugs = sorted({slug for _, slug in questions if slug})
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole"
        build(whole, LANGUAGES, like=options.like, searchable=False)
        homes: list[tuple[Path, set[str]]] = [(whole, set(slugs))]
        for part in range(LIBRARIES):
            home, topics = Path(folder) / str(part), set(slugs[part::LIBRARIES])
            build(home, LANGUAGES[part % 2 : part % 2 + 1], topics=topics, like=whole, searchable=False)
            homes.append((home, topics))
        for number, (home, topics) in enumerate(homes):
            use(home)
            for place, (query, slug) in enumerate(questions):
                # Everyday questions are asked of every third small library, which is as often as the others are.
                if slug not in topics and (slug or (number and (place + number) % 3)):
                    continue
                rows.append(best_of(query, unseen[fold[place]]))
                ours.append(bool(slug))
    found, is_yes = np.array(rows), np.array(ours)
    weights = logistic(found, is_yes, SIGNS_RIDGE)
    least = float(np.quantile(found[~is_yes] @ weights[:-1], REJECTED))
    # A first guess, so that a search can be asked which of the passages it brings answer.
    everywhere = towards(np.ones(len(questions), bool))
    constant = least - float(everywhere[-1] * weights[-2])
    kept = float(np.mean(found[is_yes] @ weights[:-1] > least))
    topic.store_fitted(everywhere[:-1], weights[:-1], constant, np.zeros(4), options.to)
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder), LANGUAGES, like=options.like, searchable=False)
        use(Path(folder))
        standing, is_right = answering(Path(folder))
    answers = logistic(standing, is_right, SIGNS_RIDGE, alike=False)
    topic.store_fitted(everywhere[:-1], weights[:-1], constant, answers, options.to)
    print(f"of {len(standing)} passages shown {is_right.mean():.2f} answer; weights {answers.round(2).tolist()}")
    print(f"{is_yes.sum()} with an answer, {(~is_yes).sum()} without; kept {kept:.3f}, turned away {REJECTED}")
    print(dict(zip(topic.Signs.__dataclass_fields__, weights[:-1].round(2).tolist(), strict=True)), round(least, 2))


def hash_of(query: str) -> int:
    return sum(query.encode()) % 2


if __name__ == "__main__":
    main()
