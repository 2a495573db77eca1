"""MiniLM in torch: for passages in bulk, and for the questions of a server, which has time to load it.

The same six layers as in `minilm.py`, without the libraries that usually run them: those take seconds and 250 MB to
load, and pad every text of a batch to its longest. Here texts of like length go together, as many as fill a processor's
cache. Where the processor multiplies BF16 products are made in it: no vector turns by more than about half a degree
(tests/kb/test_embedder.py).
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


class Layer(NamedTuple):
    """Weights of one layer: attention, then the feed-forward network."""

    joint: Tensor
    """Query, key and value in one matrix."""
    joint_bias: Tensor
    mixed: Tensor
    mixed_bias: Tensor
    mixed_scale: Tensor
    mixed_shift: Tensor
    inner: Tensor
    inner_bias: Tensor
    outer: Tensor
    outer_bias: Tensor
    outer_scale: Tensor
    outer_shift: Tensor


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
        self._words = weights["embeddings.word_embeddings.weight"]
        self._places = (
            weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
        )
        self._norm = (weights["embeddings.LayerNorm.weight"], weights["embeddings.LayerNorm.bias"])
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
        state = functional.embedding(ids, self._words) + self._places[:longest]
        state = functional.layer_norm(state, state.shape[-1:], *self._norm, EPSILON)
        for layer in self._layers:
            state = _through(layer, state, seen)
        weights = there[:, :, None].float()
        mean = (state * weights).sum(1) / weights.sum(1)
        return np.asarray(functional.normalize(mean, dim=1).numpy(), dtype=np.float32)

    def _layer(self, weights: dict[str, Tensor], name: str) -> Layer:
        def of(part: str) -> tuple[Tensor, Tensor]:
            dtype = torch.float32 if part.endswith("LayerNorm") else self._dtype
            return weights[f"{name}.{part}.weight"].to(dtype), weights[f"{name}.{part}.bias"].to(dtype)

        joint = [of(f"attention.self.{part}") for part in ("query", "key", "value")]
        return Layer(
            torch.cat([one for one, _ in joint]),
            torch.cat([bias for _, bias in joint]),
            *of("attention.output.dense"),
            *of("attention.output.LayerNorm"),
            *of("intermediate.dense"),
            *of("output.dense"),
            *of("output.LayerNorm"),
        )


def _through(layer: Layer, state: Tensor, seen: Tensor | None) -> Tensor:
    """A layer's output for (texts, tokens, width); `seen` masks what only fills up.

    Products are made in the layer's type; sums stay in single precision, which costs nothing and keeps vectors true.
    """
    texts, longest, width = state.shape
    parts = functional.linear(state.to(layer.joint.dtype), layer.joint, layer.joint_bias).view(
        texts, longest, 3, HEADS, -1
    )
    query, key, value = parts.permute(2, 0, 3, 1, 4)
    heads = functional.scaled_dot_product_attention(query, key, value, attn_mask=seen)
    mixed = functional.linear(heads.transpose(1, 2).reshape(texts, longest, width), layer.mixed, layer.mixed_bias)
    state = functional.layer_norm(state + mixed, (width,), layer.mixed_scale, layer.mixed_shift, EPSILON)
    inner = functional.gelu(functional.linear(state.to(layer.inner.dtype), layer.inner, layer.inner_bias))
    outer = functional.linear(inner, layer.outer, layer.outer_bias)
    return functional.layer_norm(state + outer, (width,), layer.outer_scale, layer.outer_shift, EPSILON)


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


@lru_cache(maxsize=2)
def torch_minilm(*, exact: bool = False) -> TorchMiniLM:
    """The packaged model, loaded on first use; `exact` in single precision, whatever the processor computes in.

    Raises:
        ImportError, OSError: it is not installed, or its files are damaged.
    """
    return TorchMiniLM(packaged(), torch.float32 if exact else None)
