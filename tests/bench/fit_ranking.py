"""Fit how words and vectors are weighed against each other when passages are ranked (kb/retrieval/ranking.npz).

    python tests/bench/fit_ranking.py [--to FILE] [--like HOME]

On the halves of the questions that may be fitted on (1 A and 2 A), asked of each language of the guidance alone. A
listwise regression: the weights make the passages that answer as likely as possible among all candidates, by
gradient descent with ridge. A person's documents have no questions written for them, so each list is shown as it is,
without any such question, and with those of half the sections: the weights must hold for all three.
"""

import argparse
import random
import tempfile
from pathlib import Path

import numpy as np
from bench_retrieval import SETS, Section, build, misspell, section_of, use
from numpy.typing import NDArray

from kb.index.archive import LANGUAGES, Library
from kb.index.store import Store
from kb.retrieval.candidates import CANDIDATES, evidence, sense
from kb.retrieval.ranking import FEATURES, TABLE, Ranking, Shown, features, store_ranking
from kb.retrieval.relevance import spelt
from kb.settings import settings, stay_offline
from kb.vectors.embedder import embedder

FITTED = ("1 A", "2 A")
RIDGE, STEPS, RATE = 0.01, 400, 0.03
FORMER_MEAN, FORMER_BEST = 0.25, 0.62
"""Relevance that a candidate and that a best passage had with weights set by hand, on whose scale thresholds lie."""
Array = NDArray[np.float64]
List = tuple[Array, NDArray[np.bool_]]
"""Features of one question's candidates, and which of them answer it."""


def questions(sets: tuple[str, ...]) -> list[tuple[str, set[Section]]]:
    """Every question of the sets in both languages and misspelt, with the sections that answer it."""
    generator = random.Random(7)
    found = []
    for case in (one for name in sets for one in SETS[name]):
        right = {section_of(at) for at in (case["at"], *case.get("also", ()))}
        asked = dict.fromkeys((case["en"], case["zh"], misspell(case["en"], generator)))
        found += [(query, right) for query in asked]
    return found


def lists(query: str, right: set[Section], generator: random.Random) -> list[List]:
    """The candidates of a question in each language of the library in use, shown in three ways."""
    store = Store(Library(settings().home / "index"), embedder())
    found = []
    with Library(settings().home / "index").reading() as connection:
        query = spelt(connection, query)
        meant = sense(query, store, CANDIDATES)
        for language in LANGUAGES:
            rows, shown, _ = evidence(connection, query, meant, language, None)
            answers = np.array([(row["twin"], row["section"]) in right for row in rows])
            if meant is None or not answers.any():
                continue
            documents = [row["document"] for row in rows]
            for share in (1.0, 0.0, 0.5):
                kept = [one if generator.random() < share else without_questions(one) for one in shown]
                found.append((features(kept, meant.known, documents), answers))
    return found


def without_questions(shown: Shown) -> Shown:
    """What a passage of a person's document shows: nobody wrote down what it answers."""
    return shown._replace(either=shown.held, asked=0.0, question=0.0, has=0.0, nearest=0.0)


def fitted(found: list[List]) -> Ranking:
    """The weights, on the scale of a share."""
    longest = max(len(rows) for rows, _ in found)
    wide = np.zeros((len(found), longest, len(FEATURES)))
    is_there, is_right = (np.zeros((len(found), longest), bool) for _ in range(2))
    for place, (rows, answers) in enumerate(found):
        wide[place, : len(rows)], is_there[place, : len(rows)] = rows, True
        is_right[place, : len(rows)] = answers
    middle, spread = wide[is_there].mean(axis=0), wide[is_there].std(axis=0) + 1e-9
    scaled = np.where(is_there[:, :, None], (wide - middle) / spread, 0.0)
    weights, slope, square = np.zeros(len(FEATURES)), np.zeros(len(FEATURES)), np.zeros(len(FEATURES))
    for step in range(1, STEPS + 1):
        likely = _softmax(np.where(is_there, scaled @ weights, -np.inf))
        wanted = likely * is_right
        wanted /= wanted.sum(axis=1, keepdims=True)
        gradient = np.einsum("qn,qnf->f", likely - wanted, scaled) / len(found) + 2 * RIDGE * weights
        slope, square = 0.9 * slope + 0.1 * gradient, 0.99 * square + 0.01 * gradient**2
        weights = weights - RATE * (slope / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-9)
    plain = weights / spread
    scores = np.where(is_there, wide @ plain, -np.inf)
    mean, best = float(scores[is_there].mean()), float(scores.max(axis=1).mean())
    scale = (FORMER_BEST - FORMER_MEAN) / (best - mean)
    return Ranking(scale * plain, FORMER_MEAN - scale * mean)


def _softmax(scores: Array) -> Array:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=Path, default=TABLE)
    parser.add_argument("--like", type=Path, help="a home whose index has the guidance's vectors already")
    options = parser.parse_args()
    stay_offline()
    generator = random.Random(5)
    with tempfile.TemporaryDirectory() as folder:
        home = options.like or Path(folder)
        if options.like is None:
            build(home, LANGUAGES, searchable=False)
        use(home)
        found = [one for query, right in questions(FITTED) for one in lists(query, right, generator)]
    ranking = fitted(found)
    store_ranking(ranking, options.to)
    print(f"{len(found)} lists", dict(zip(FEATURES, ranking.weights.round(3).tolist(), strict=True)))


if __name__ == "__main__":
    main()
