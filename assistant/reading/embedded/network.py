"""The network of the embedded reader, forwards: looked-up features, dilated convolutions, one head a question.

NumPy alone: nothing has to be loaded but the weights. What it is
learned from, and how, is in `tests/bench/reading/learner.py`; shapes are those of that module.

    features (L, K) → sum of their rows (L, E) → with the way of marking up (L, D)
                    → convolutions over 3 tokens, dilated 1 2 4 8 (L, D)
                    → with the mean and the largest of the message (L, D) → heads
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
DILATIONS = (1, 2, 4, 8, 1)
EPSILON = 1e-5


class Scores(NamedTuple):
    """What the network says of a message's tokens."""

    hidden: Floats
    """(L, D): what the heads over spans look at."""
    whole: Floats
    """(2 D,): the message as a whole."""
    slots: Floats
    """(L, 1 + 2 S): logarithms of the chances of outside, begins and goes on in each slot."""
    claims: Floats
    """(L, 3): the same of claims, which may hold other facts."""
    asks: Floats
    """(L, A): chance that the token is in a clause that asks this."""
    asked: Floats
    """(A,): chance that the message asks this, judged as a whole."""
    first: Floats
    """(A,): chance that this is what it asks before all."""


class Network:
    """The weights, and what they say.

    Args:
        weights: arrays by name, as the archive beside this file holds them.
    """

    def __init__(self, weights: Mapping[str, NDArray[Any]]) -> None:
        self._w = {name: np.asarray(one, dtype=np.float32) for name, one in weights.items() if one.dtype.kind == "f"}
        self._known, self._table = weights["table.known"], weights["table"]

    def read(self, features: NDArray[np.int64]) -> Scores:
        """What it says of a message of (L, K) features, by their numbers."""
        w = self._w
        rows = rows_of(features, self._known)
        looked = (self._table[rows] * w["table.scales"][rows][..., None]).sum(axis=1)
        x = np.maximum(_linear(looked, w["in.w"], w["in.b"]), 0) + w["writer"]
        for n, dilation in enumerate(DILATIONS):
            if n == len(DILATIONS) - 1:
                whole = np.concatenate([x.mean(axis=0), x.max(axis=0)])
                x = x + np.maximum(_linear(whole, w["whole.w"], w["whole.b"]), 0)
            x = x + np.maximum(_around(_normal(x, w[f"norm{n}.w"], w[f"norm{n}.b"]), w, n, dilation), 0)
        x = _normal(x, w["norm.w"], w["norm.b"])
        whole = np.concatenate([x.mean(axis=0), x.max(axis=0)])
        asked = _linear(np.maximum(_linear(whole, w["asked1.w"], w["asked1.b"]), 0), w["asked2.w"], w["asked2.b"])
        asks = w["asks.w"].shape[0]
        return Scores(
            hidden=x,
            whole=whole,
            asked=_chance(asked[asks:]),
            first=np.exp(_log_chances(asked[:asks])),
            slots=_log_chances(_linear(x, w["slots.w"], w["slots.b"])),
            claims=_log_chances(_linear(x, w["claims.w"], w["claims.b"])),
            asks=_chance(_linear(x, w["asks.w"], w["asks.b"])),
        )

    def spans(self, scores: Scores, places: list[tuple[int, int]], names: list[int]) -> Floats:
        """(N, R): spans of tokens `[start, end)` with the number of what each is: a slot, an ask behind the slots."""
        hidden = scores.hidden
        means = np.stack([hidden[start:end].mean(axis=0) for start, end in places])
        ends = np.stack([np.concatenate([hidden[start], hidden[end - 1]]) for start, end in places])
        return np.concatenate([means, ends, self._w["names"][names]], axis=1)

    def stances(self, spans: Floats, scores: Scores) -> Floats:
        """(N, 12): chances of each stance."""
        return np.exp(_log_chances(self._over("stance", spans, scores)))

    def quantities(self, spans: Floats, scores: Scores) -> Floats:
        """(N, 24): chances of each quantity of asks, the first is none."""
        return np.exp(_log_chances(self._over("quantity", spans, scores)))

    def kinds(self, scores: Scores) -> Floats:
        """(8,): chances of each kind of message."""
        w = self._w
        hidden = np.maximum(_linear(scores.whole, w["kind1.w"], w["kind1.b"]), 0)
        return np.exp(_log_chances(_linear(hidden, w["kind2.w"], w["kind2.b"])))

    def alone(self, spans: Floats, scores: Scores) -> Floats:
        """(N, 2): chance that a span is of nothing in particular, and that it is of something not named before."""
        return _chance(self._over("alone", spans, scores))

    def together(self, spans: Floats, near: Floats) -> Floats:
        """(N, N): chance that two spans are of the same work or hardware; `near` is (N, N, F), see `decode`."""
        w = self._w
        one, other = _linear(spans, w["pair_a.w"], w["pair_a.b"]), _linear(spans, w["pair_b.w"], w["pair_b.b"])
        hidden = np.maximum(one[:, None] + other[None] + near @ w["pair_near.w"].T, 0)
        return _chance(_linear(hidden, w["pair_out.w"], w["pair_out.b"])[..., 0])

    def _over(self, name: str, spans: Floats, scores: Scores) -> Floats:
        w = self._w
        wide = np.concatenate([spans, np.broadcast_to(scores.whole, (len(spans), scores.whole.size))], axis=1)
        hidden = np.maximum(_linear(wide, w[f"{name}1.w"], w[f"{name}1.b"]), 0)
        return _linear(hidden, w[f"{name}2.w"], w[f"{name}2.b"])


def _linear(x: Floats, weight: Floats, bias: Floats) -> Floats:
    return x @ weight.T + bias


def _around(x: Floats, w: Mapping[str, Floats], n: int, dilation: int) -> Floats:
    """One convolution over a token and those `dilation` before and behind it."""
    padded = np.pad(x, ((dilation, dilation), (0, 0)))
    beside = np.concatenate([padded[: len(x)], x, padded[2 * dilation :]], axis=1)
    return _linear(beside, w[f"conv{n}.w"], w[f"conv{n}.b"])


def _normal(x: Floats, weight: Floats, bias: Floats) -> Floats:
    centred = x - x.mean(axis=-1, keepdims=True)
    scale = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + EPSILON)
    normal: Floats = (centred / scale * weight + bias).astype(np.float32)
    return normal


def _log_chances(x: Floats) -> Floats:
    shifted = x - x.max(axis=-1, keepdims=True)
    logs: Floats = (shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))).astype(np.float32)
    return logs


def _chance(x: Floats) -> Floats:
    chances: Floats = (1 / (1 + np.exp(-np.clip(x, -30, 30)))).astype(np.float32)
    return chances


def rows_of(numbers: NDArray[np.int64], known: NDArray[np.int32]) -> NDArray[np.int64]:
    """Rows of a table of what is numbered; 0, which says nothing, of what learning did not meet."""
    at = np.minimum(np.searchsorted(known, numbers), len(known) - 1)
    return np.where(known[at] == numbers, at + 1, 0)


def packed(name: str, table: Floats, known: NDArray[np.int32]) -> dict[str, NDArray[Any]]:
    """The arrays of a table: its rows in bytes, what a byte of each is worth, the number of each row but the first."""
    scales = np.maximum(np.abs(table).max(axis=1), 1e-6) / 127
    rows = np.round(table / scales[:, None]).astype(np.int8)
    return {name: rows, f"{name}.scales": scales.astype(np.float32), f"{name}.known": known}
