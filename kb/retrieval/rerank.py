"""A cross-encoder that reads question and passage together, when one is set: slower, and the better judge of order."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from threading import Lock

import numpy as np

from kb.base import IndexUnavailable
from kb.settings import stay_offline

Reranker = Callable[[str, Sequence[str]], list[float]]


@lru_cache(maxsize=1)
def reranker(name: str) -> Reranker:
    """The cross-encoder of this id or path, as a function from a question and texts to probabilities of relevance.

    Raises:
        IndexUnavailable: it cannot be loaded.
    """
    stay_offline(hub=True)
    try:
        from sentence_transformers import CrossEncoder
        from torch import nn

        model = CrossEncoder(name, num_labels=1, activation_fn=nn.Sigmoid())
    except (ImportError, OSError, ValueError, RuntimeError) as problem:
        raise IndexUnavailable(f"the cross-encoder {name} cannot be loaded: {problem}") from problem
    lock = Lock()

    def judge(query: str, texts: Sequence[str]) -> list[float]:
        if not texts:
            return []
        with lock:
            scores = model.predict([(query, text) for text in texts], show_progress_bar=False)
        return [float(score) for score in np.asarray(scores).reshape(-1)]

    return judge
