"""MiniLM in torch: for passages in bulk, and for the questions of a server, which has time to load it.

The same six layers as in `minilm.py`, without the libraries that usually run them: those take seconds and 250 MB to
load, and pad every text of a batch to its longest. Here texts of like length go together, as many as fill a processor's
cache, and the matrices are laid out once as the processor reads them, which would else be done in every product: half
the time of a short question. Where the processor multiplies BF16 products are made in it: no vector turns by more than
about half a degree (tests/kb/test_embedder.py).
"""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from kb.minilm import EPSILON, HEADS, Array, packaged, tokenizer

BATCH_TOKENS = 2048
"""Tokens of a batch, padding included; more leave the cache, fewer cost more for each call."""
BLOCK = 32
"""Attention over a length that is no multiple of this takes up to twice as long."""
THREADS_MAX = 4
"""Batches under way at once: each on one thread, which needs no other to finish."""


class Dense:
    """x·Wᵀ + b with a matrix laid out for the processor, where torch can (oneDNN); the plain product elsewhere."""

    def __init__(self, weight: Tensor, bias: Tensor) -> None:
        self.dtype = weight.dtype
        self._bias = bias
        self._is_laid_out: bool = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
        self._weight = torch.ops.mkldnn._reorder_linear_weight(weight, BLOCK) if self._is_laid_out else weight

    def __call__(self, rows: Tensor) -> Tensor:
        """The product, in the type of the matrix."""
        if self._is_laid_out:
            return self._product(rows, "none", "")
        return functional.linear(rows.to(self.dtype), self._weight, self._bias)

    def bent(self, rows: Tensor) -> Tensor:
        """The product, then GELU."""
        if self._is_laid_out:
            return self._product(rows, "gelu", "none")
        return functional.gelu(self(rows))

    def _product(self, rows: Tensor, bend: str, how: str) -> Tensor:
        found: Tensor = torch.ops.mkldnn._linear_pointwise(rows.to(self.dtype), self._weight, self._bias, bend, [], how)
        return found


class Norm(NamedTuple):
    """Scale and shift of a normalisation."""

    scale: Tensor
    shift: Tensor

    def __call__(self, rows: Tensor) -> Tensor:
        """The rows with mean 0 and variance 1, scaled and shifted."""
        return functional.layer_norm(rows, rows.shape[-1:], self.scale, self.shift, EPSILON)


class Layer(NamedTuple):
    """Weights of one layer: attention, then the feed-forward network."""

    joint: Dense
    """Query, key and value in one matrix."""
    mixed: Dense
    mixed_norm: Norm
    inner: Dense
    outer: Dense
    outer_norm: Norm


class TorchMiniLM:
    """The packaged model. Safe between threads.

    Args:
        folder: where the model's files are.
        dtype: what the layers are kept in; BF16 where the processor computes in it, when absent.
    """

    def __init__(self, folder: Path, dtype: torch.dtype | None = None) -> None:
        from safetensors.torch import load_file

        # Two threads for one product wait for each other; two batches on a thread each do not.
        torch.set_num_threads(1)
        weights = load_file(folder / "model.safetensors")
        self._dtype = dtype or (torch.bfloat16 if computes_bf16() else torch.float32)
        self._tokenizer: Any = tokenizer(folder)
        # Copies throughout: one view of the file kept would keep all of it mapped, 90 MB. Beside layers in BF16, words
        # in half precision, which has eight times its digits, move no vector.
        words = weights["embeddings.word_embeddings.weight"]
        self._words = words.half() if self._dtype == torch.bfloat16 else words.clone()
        self._places = (
            weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
        )
        self._norm = Norm(weights["embeddings.LayerNorm.weight"].clone(), weights["embeddings.LayerNorm.bias"].clone())
        count = 1 + max(int(name.split(".")[2]) for name in weights if name.startswith("encoder.layer."))
        self._layers = [self._layer(weights, f"encoder.layer.{number}") for number in range(count)]
        self._pool = ThreadPoolExecutor(min(os.cpu_count() or 1, THREADS_MAX), thread_name_prefix="embed")

    def vectors(self, texts: Sequence[str]) -> Array:
        """The unit vectors of texts, (n, 384)."""
        tokens = [self._tokenizer.encode(text).ids for text in texts]
        found = np.zeros((len(texts), self._words.shape[1]), dtype=np.float32)
        batches = list(_batches(tokens))
        # One batch stays on the caller's thread: handing it over costs more than it gains.
        run = self._pool.map if len(batches) > 1 else map
        for places, vectors in zip(
            batches, run(self._forward, ([tokens[at] for at in one] for one in batches)), strict=True
        ):
            found[places] = vectors
        return found

    @torch.inference_mode()
    def _forward(self, tokens: Sequence[Sequence[int]]) -> Array:
        """Unit vectors of texts that are computed together: the mean of their last layer."""
        longest = _padded(max(map(len, tokens)))
        ids = torch.tensor([[*one, *[0] * (longest - len(one))] for one in tokens])
        there = torch.arange(longest) < torch.tensor([len(one) for one in tokens])[:, None]
        seen = None if bool(there.all()) else there[:, None, None, :]
        state = functional.embedding(ids, self._words).float() + self._places[:longest]
        state = self._norm(state)
        for layer in self._layers:
            state = _through(layer, state, seen)
        weights = there[:, :, None].float()
        mean = (state * weights).sum(1) / weights.sum(1)
        return np.asarray(functional.normalize(mean, dim=1).numpy(), dtype=np.float32)

    def _layer(self, weights: dict[str, Tensor], name: str) -> Layer:
        def of(part: str) -> tuple[Tensor, Tensor]:
            return weights[f"{name}.{part}.weight"].clone(), weights[f"{name}.{part}.bias"].clone()

        def dense(*parts: str) -> Dense:
            weight, bias = (torch.cat(some).to(self._dtype) for some in zip(*map(of, parts), strict=True))
            return Dense(weight, bias)

        return Layer(
            joint=dense(*(f"attention.self.{part}" for part in ("query", "key", "value"))),
            mixed=dense("attention.output.dense"),
            mixed_norm=Norm(*of("attention.output.LayerNorm")),
            inner=dense("intermediate.dense"),
            outer=dense("output.dense"),
            outer_norm=Norm(*of("output.LayerNorm")),
        )


def _through(layer: Layer, state: Tensor, seen: Tensor | None) -> Tensor:
    """A layer's output for (texts, tokens, width); `seen` masks what only fills up.

    Products are made in the layer's type; sums stay in single precision, which costs nothing and keeps vectors true.
    """
    texts, longest, width = state.shape
    query, key, value = layer.joint(state).view(texts, longest, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
    heads = functional.scaled_dot_product_attention(query, key, value, attn_mask=seen)
    state = layer.mixed_norm(state + layer.mixed(heads.transpose(1, 2).reshape(texts, longest, width)))
    return layer.outer_norm(state + layer.outer(layer.inner.bent(state)))


def _batches(tokens: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Places of texts to compute together: of like length, since each costs what the longest costs."""
    held: list[int] = []
    for place in sorted(range(len(tokens)), key=lambda at: len(tokens[at])):
        if held and (len(held) + 1) * _padded(len(tokens[place])) > BATCH_TOKENS:
            yield held
            held = []
        held.append(place)
    if held:
        yield held


def _padded(length: int) -> int:
    """The length that texts of at most this many tokens are filled up to."""
    return length if length <= BLOCK else -(-length // BLOCK) * BLOCK


@lru_cache(maxsize=1)
def computes_bf16() -> bool:
    """Whether the processor multiplies BF16 itself; one that only emulates it would be slower."""
    able = torch.cpu.get_capabilities()
    return bool(able.get("amx_bf16") or able.get("avx512_bf16"))


@lru_cache(maxsize=1)
def torch_minilm() -> TorchMiniLM:
    """The packaged model, loaded on first use.

    Raises:
        ImportError, OSError: it is not installed, or its files are damaged.
    """
    return TorchMiniLM(packaged())
