"""How relevant a passage is: a weighted sum of what words and vectors show of it.

The weights are a listwise regression on half of the bench's questions (tests/bench/fit_ranking.py), scaled so that the
sum lies between 0 and 1 as a share does; tests/bench/bench_retrieval.py reports on the other half.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

TABLE = Path(__file__).with_name("ranking.npz")
FEATURES = (
    "body", "head", "about", "held", "lexical", "words_alone", "asked", "question", "either", "named", "missing",
    "cosine", "sentence", "nearest", "met", "both", "has", "around", "closest",
)  # fmt: skip
Array = NDArray[np.float64]


class Shown(NamedTuple):
    """What one passage shows; shares of the question's weight and cosines."""

    body: float
    head: float
    about: float
    held: float
    """What text, heading, title and keywords hold together."""
    either: float
    """That with the questions it is known to answer."""
    lexical: float
    """As `held`, each place with its credit."""
    asked: float
    """What the questions it is known to answer hold together."""
    question: float
    """What the best one of them holds."""
    has: float
    """1 when such questions are known."""
    named: float
    """Share of the cards, models and numbers named that it holds; 1 and `missing` 0 of a question that names none."""
    missing: float
    cosine: float
    sentence: float
    """Nearness of its nearest sentence, or its own."""
    nearest: float
    """Nearness of the nearest question it is known to answer; 0 without any."""


def features(shown: list[Shown], known: float, documents: list[int]) -> Array:
    """One row a passage, shape (n, len(FEATURES)); `known` is how much of the question the model knows."""
    columns = np.array(shown).T
    body, head, about, held, either, lexical, asked, question, has, named, missing = columns[:11]
    cosine, sentence, nearest = (known * np.maximum(one, 0.0) for one in columns[11:])
    # A passage is as near as whatever of it is nearest.
    closest = np.maximum(np.maximum(cosine, sentence), nearest)
    return np.stack(
        [
            body, head, about, held, lexical, (1 - known) * lexical, asked, question, either, named,
            missing, cosine, sentence, nearest, nearest * question, lexical * cosine, has,
            _around((lexical + 2 * cosine) / (1 + 2 * known), documents), closest,
        ],
        axis=1,
    )  # fmt: skip


def _around(plain: Array, documents: list[int]) -> Array:
    """The best of the other passages of each one's document: a document about the thing asked answers it sooner."""
    best: dict[int, tuple[float, float]] = {}
    for document, value in zip(documents, plain.tolist(), strict=True):
        first, second = best.get(document, (0.0, 0.0))
        best[document] = (value, first) if value > first else (first, max(second, value))
    return np.array(
        [
            best[document][1] if value >= best[document][0] else best[document][0]
            for document, value in zip(documents, plain.tolist(), strict=True)
        ]
    )


@dataclass(frozen=True, slots=True)
class Ranking:
    """The fitted weights."""

    weights: Array
    constant: float

    def relevance(self, rows: Array) -> Array:
        """From 0 to 1, one a row."""
        return np.clip(rows @ self.weights + self.constant, 0.0, 1.0)


@lru_cache(maxsize=1)
def ranking() -> Ranking:
    """The packaged weights."""
    with np.load(TABLE) as held:
        return Ranking(held["weights"].astype(float), float(held["constant"]))


def store_ranking(fitted: Ranking, path: Path = TABLE) -> None:
    """Write what was fitted."""
    ranking.cache_clear()
    np.savez(path, weights=fitted.weights.astype(np.float32), constant=np.float32(fitted.constant))
