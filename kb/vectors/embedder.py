"""Sentence vectors: the packaged pair for English and Chinese, or any sentence-transformers model by setting.

The packaged pair is MiniLM for English and a table of word vectors that puts Chinese into the same space, so that
either language finds the other; questions are turned towards what answers them (`turn.py`).
"""

import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kb.base import IndexUnavailable
from kb.index.index_words import language_of, sentences, translate
from kb.settings import settings, stay_offline
from kb.vectors.chinese_vectors import chinese_vectors
from kb.vectors.minilm import minilm
from kb.vectors.turn import turn

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

Vectors = NDArray[np.float32]

MINILM = "all-MiniLM-L6-v2"
HEADING_WEIGHT = 0.5
"""What a heading's own vector adds to its passage's, which a long text would drown (tests/bench/bench_retrieval.py)."""
TRANSLATED_WEIGHT = 0.5
"""What a Chinese question's glossary words, read as English, add to its own vector; for words the table lacks."""
COSINE_NONE, COSINE_FULL = 0.03, 0.6
"""MiniLM's median cosines of the pairs below, across and within."""
PAIRS = (
    (
        "How much memory does the cache of a long context take?",
        "The key-value cache grows with each token of context.",
    ),
    ("Is a used card worth its price?", "A second-hand graphics card needs a stress test and rarely has a warranty."),
    ("What cools eight servers in one room?", "Plan the air conditioning for the heat of all machines at full load."),
    ("How do I share one machine between teams?", "Every team gets a quota; jobs beyond it wait in the queue."),
)
"""Questions and what answers them, for the scale of a model."""
BATCH = 32
THREADS_MAX = 4
"""Threads of a model by setting."""
QUERIES_KEPT = 2048
NO_VECTORS: Vectors = np.zeros((0, 0), dtype=np.float32)
_log = logging.getLogger(__name__)


class Scale(NamedTuple):
    """Cosines of another model on MiniLM's scale, from those of unrelated and of matching texts."""

    none: float
    full: float

    def of(self, cosine: float) -> float:
        """MiniLM's cosine for one of this model."""
        return COSINE_NONE + (cosine - self.none) / (self.full - self.none) * (COSINE_FULL - COSINE_NONE)


class Spoken(NamedTuple):
    """What the vector of a passage is made of."""

    text: str
    """Title, heading and text."""
    heading: str = ""
    """The heading alone, or the title of a passage without one."""
    body: str = ""
    """The passage alone."""
    asked: tuple[str, ...] = ()
    """Questions that it is known to answer."""


@dataclass(eq=False)
class Embedder:
    """A sentence-transformers model; loaded on first use, one call at a time."""

    name: str
    languages: tuple[str, ...]
    """Languages it reads; all when none is named."""
    _model: "SentenceTransformer | None" = None
    _lock: Lock = field(default_factory=Lock)
    _queries: dict[str, Vectors] = field(default_factory=dict)

    def reads(self, language: str) -> bool:
        """Whether texts of this language have a vector."""
        return language in self.languages or not self.languages

    def passages(self, texts: Sequence[str | Spoken]) -> Vectors:
        """One unit vector a text.

        Raises:
            IndexUnavailable: the model cannot be loaded.
        """
        plain = [text if isinstance(text, str) else text.text for text in texts]
        return self._encode(plain, "encode_document", threads=min(os.cpu_count() or 1, THREADS_MAX))

    def sentences(self, texts: Sequence[Spoken]) -> list[Vectors]:
        """Unit vectors within each text, (n, size): of the questions it answers, these last; (0, 0) without any."""
        known = self._of_questions(texts)
        return [np.stack([known[one] for one in text.asked]) if text.asked else NO_VECTORS for text in texts]

    def _of_questions(self, texts: Sequence[Spoken]) -> dict[str, Vectors]:
        asked = list(dict.fromkeys(one for text in texts for one in text.asked))
        return dict(zip(asked, self.passages(asked), strict=True)) if asked else {}

    def query(self, text: str) -> Vectors:
        """The unit vector of a query; repeated ones are remembered.

        Raises:
            IndexUnavailable: the model cannot be loaded.
        """
        known = self._queries.get(text)
        if known is not None:
            return known
        vector = self._query(text)
        if len(self._queries) >= QUERIES_KEPT:
            self._queries.pop(next(iter(self._queries)), None)
        self._queries[text] = vector
        return vector

    def known(self, text: str) -> float:
        """How much of a question the model knows the words of, from 0 to 1."""
        return 1.0

    @cached_property
    def scale(self) -> Scale:
        """Where this model's cosines of unrelated and of matching texts lie: some put both close to 1."""
        vectors = self.passages([text for pair in PAIRS for text in pair])
        across = np.median(vectors[::2] @ vectors[1::2].T - np.eye(len(PAIRS)) * 2, axis=None)
        within = np.median(np.sum(vectors[::2] * vectors[1::2], axis=1))
        return Scale(float(across), max(float(within), float(across) + 0.05))

    def _query(self, text: str) -> Vectors:
        # One thread: on a short text a second one costs more than it gains.
        vector: Vectors = self._encode([text], "encode_query", threads=1)[0]
        return vector

    def _encode(self, texts: Sequence[str], method: str, *, threads: int) -> Vectors:
        with self._lock:
            model = self._model = self._model or _load(self.name)
            import torch

            torch.set_num_threads(threads)
            options: dict[str, Any] = {"batch_size": BATCH, "normalize_embeddings": True, "show_progress_bar": False}
            return np.asarray(getattr(model, method)(list(texts), **options), dtype=np.float32)


@dataclass(eq=False)
class Bilingual(Embedder):
    """The packaged pair. MiniLM sees most Chinese as unknown tokens, so every text goes by its language."""

    def passages(self, texts: Sequence[str | Spoken]) -> Vectors:
        """One unit vector a text, its heading counted once more on its own."""
        spoken = [Spoken(text) if isinstance(text, str) else text for text in texts]
        whole = self._vectors([one.text for one in spoken])
        headings = sorted({one.heading for one in spoken if one.heading})
        alone = dict(zip(headings, self._vectors(headings), strict=True))
        sums = [
            vector + HEADING_WEIGHT * alone[one.heading] if one.heading else vector
            for one, vector in zip(spoken, whole, strict=True)
        ]
        return np.stack([_unit(one) for one in sums]) if sums else whole

    def sentences(self, texts: Sequence[Spoken]) -> list[Vectors]:
        """Those of the questions, and of Chinese sentences, which cost next to nothing; English ones gained nothing."""
        known = self._of_questions(texts)
        found = []
        for text in texts:
            said = sentences(text.body) if language_of(text.text) == "zh" else []
            own = [vector for one in said if (vector := chinese_vectors().vector(one)) is not None]
            own += [known[one] for one in text.asked]
            found.append(np.stack(own) if own else NO_VECTORS)
        return found

    def known(self, text: str) -> float:
        """MiniLM spells out what it does not know; of Chinese it is the share of pairs that the table has."""
        return chinese_vectors().known(text) if language_of(text) == "zh" else 1.0

    @cached_property
    def scale(self) -> Scale:
        """The scale itself."""
        return Scale(COSINE_NONE, COSINE_FULL)

    def _query(self, text: str) -> Vectors:
        return turn().of(self.unturned(text), language_of(text))

    def unturned(self, text: str) -> Vectors:
        """The unit vector of a question where it lies by itself, before it is turned towards what answers it."""
        if language_of(text) == "en":
            return np.asarray(self._english([text])[0], dtype=np.float32)
        own = chinese_vectors().vector(text)
        english, share = translate(text)
        if not english:
            return _unknown() if own is None else own
        translated = np.asarray(self._english([english])[0], dtype=np.float32)
        if own is None:
            return translated
        return _unit(own + np.float32(TRANSLATED_WEIGHT * share) * translated)

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        found = np.zeros((len(texts), len(_unknown())), dtype=np.float32)
        english = [i for i, text in enumerate(texts) if language_of(text) == "en"]
        if english:
            found[english] = self._english([texts[i] for i in english])
        for i in set(range(len(texts))).difference(english):
            own = chinese_vectors().vector(texts[i])
            found[i] = _unknown() if own is None else own
        return found

    def _english(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, len(_unknown())), dtype=np.float32)
        try:
            return minilm().vectors(texts)
        except Exception as problem:  # errors of the runtime have nothing else in common
            raise _unavailable(self.name, problem) from problem


def packed(vectors: Vectors) -> bytes:
    """Vectors of sentences as they are stored: at half precision, one after the other."""
    return vectors.astype(np.float16).tobytes()


def unpacked(stored: bytes, size: int) -> NDArray[np.float16]:
    """Those vectors again, (n, size)."""
    return np.frombuffer(stored, dtype=np.float16).reshape(-1, size)


def _unit(vector: Vectors) -> Vectors:
    return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)


def _unknown() -> Vectors:
    """The vector of a text without a known word: near none that has one."""
    size = chinese_vectors().vectors.shape[1]
    return np.full(size, 1 / np.sqrt(size), dtype=np.float32)


@lru_cache(maxsize=2)
def _embedder(name: str | None) -> Embedder:
    if name:
        return Embedder(name, ())
    # What the vectors depend on stands in the name: another table, and the index is built anew.
    return Bilingual(f"{MINILM}+zh-{chinese_vectors().digest}+sentences", ("en", "zh"))


def embedder() -> Embedder:
    """The embedder that the settings name."""
    return _embedder(settings().embedding_model)


def is_packaged(model: Embedder) -> bool:
    """Whether it is the pair that comes with the program, on whose vectors weights were fitted."""
    return isinstance(model, Bilingual)


def _load(name: str) -> "SentenceTransformer":
    stay_offline(hub=True)
    try:
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging as transformers_logging

        transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        return SentenceTransformer(name)
    except (ImportError, OSError, ValueError, RuntimeError) as problem:
        raise _unavailable(name, problem) from problem


def _unavailable(name: str, problem: Exception) -> IndexUnavailable:
    _log.warning("No sentence vectors (%s); searching by words alone.", problem)
    return IndexUnavailable(f"the embedding model {name} cannot be loaded: {problem}")
