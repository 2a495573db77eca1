"""Whether the documents can speak of a question at all, so that nothing is returned where nothing is relevant.

A logistic regression on signs that each mislead alone: how relevant the best passage is, how near it is, how much of
the question no document and no dictionary knows, whether it names what only this trade has, and where the question
lies along the direction that tells the trade's texts from everyday ones. Fitted by tests/bench/fit_topic.py on half of
the questions, reported on the other half by tests/bench/bench_retrieval.py.
"""

import math
import sqlite3
from dataclasses import astuple, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kb.index.index_words import abbreviations, concepts, familiar_words, language_of, speaks_of_trade, translate
from kb.naming.names import gpu_names, model_names
from kb.retrieval.relevance import holds, known_words, passages
from kb.vectors.embedder import Vectors, embedder, is_packaged

TABLE = Path(__file__).with_name("topic.npz")
WORDS_ENOUGH = 6
"""Words from which a question says no more of what it is about."""
PASSAGES_MAX = 10_000
"""Passages up to which more of them count."""
FLOOR, TRADE_FLOOR = 0.32, 0.2
"""With another model than the packaged one: relevance of the best passage, and that of a question of the trade."""


@dataclass(frozen=True, slots=True)
class Signs:
    """What a question and the best passage for it show."""

    best: float
    """Relevance of the best passage."""
    cosine: float
    """Nearness of the nearest one."""
    of_trade: float
    """1 when it names a card, a model, a term of the trade, or an abbreviation that documents hold."""
    words: float
    """Share of `WORDS_ENOUGH` that it has."""
    unknown: float
    """Share of its words that neither the documents nor the dictionary know."""
    translated: float
    """Share of a Chinese question that the dictionary covers; 1 of any other."""
    size: float
    """Decimal logarithm of the library's passages: the more there are, the nearer the best one comes by chance."""
    direction: float
    """Where it lies between everyday texts and the trade's."""


def signs(connection: sqlite3.Connection, query: str, best: float, cosine: float, direction: float) -> Signs:
    """The signs of a question whose best passages are this relevant and this near."""
    wanted = concepts(query, language_of(query))
    words = {word for one in wanted for way in one.ways for word in way}
    known = familiar_words() | known_words(connection, words - familiar_words())
    strange = sum(not any(way <= known for way in one.ways) for one in wanted)
    return Signs(
        best=best,
        cosine=cosine,
        of_trade=float(of_trade(connection, query)),
        words=min(len(wanted), WORDS_ENOUGH) / WORDS_ENOUGH,
        unknown=strange / len(wanted) if wanted else 1.0,
        translated=translate(query)[1] if language_of(query) == "zh" else 1.0,
        size=math.log10(1 + min(passages(connection), PASSAGES_MAX)),
        direction=direction,
    )


def of_trade(connection: sqlite3.Connection, query: str) -> bool:
    """Whether a question names what it can hardly name unless it is about this trade."""
    if any(mention.exact for names in (gpu_names(), model_names()) for mention in names.scan(query)):
        return True
    return speaks_of_trade(query) or any(holds(connection, word) for word in abbreviations(query))


def spoken_of(connection: sqlite3.Connection, query: str, vector: Vectors | None, best: float, cosine: float) -> float:
    """How plainly the best passage found answers the question rather than merely resembles it: below 0 it does not."""
    if vector is None or not is_packaged(embedder()):
        return best - (TRADE_FLOOR if of_trade(connection, query) else FLOOR)
    fitted = _fitted()
    shown = signs(connection, query, best, cosine, float(fitted.direction @ vector))
    return float(fitted.signs @ np.array(astuple(shown))) - fitted.least


def likely(score: float, best: float, spoken: float) -> float | None:
    """Probability that a passage of this relevance answers; null with another model than the packaged one.

    `best` is the relevance of the best passage, `spoken` how plainly the documents speak of the question.
    """
    if not is_packaged(embedder()):
        return None
    odds = float(_fitted().answers @ np.array([score, score - best, spoken, 1.0]))
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))


@dataclass(frozen=True, slots=True)
class _Fitted:
    direction: Vectors
    signs: Vectors
    least: float
    answers: Vectors
    """Weights of a passage's relevance, its distance from the best one and the question's standing, and a constant."""


@lru_cache(maxsize=1)
def _fitted() -> _Fitted:
    with np.load(TABLE) as held:
        return _Fitted(held["direction"], held["signs"], float(held["least"]), held["answers"])


def store_fitted(
    direction: NDArray[Any], weights: NDArray[Any], least: float, answers: NDArray[Any], path: Path = TABLE
) -> None:
    """Write what was fitted."""
    _fitted.cache_clear()
    direction, weights, answers = (one.astype(np.float32) for one in (direction, weights, answers))
    np.savez(path, direction=direction, signs=weights, least=np.float32(least), answers=answers)
