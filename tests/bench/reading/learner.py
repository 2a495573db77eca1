"""The network of `assistant.reading.embedded.network`, to be learned."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from reading.examples import Example
from torch import nn

from assistant.reading.embedded.decode import NEAR, SLOTS
from assistant.reading.embedded.network import DILATIONS, packed
from assistant.reading.slots import ASKS, KINDS, QUANTITIES, STANCES

EMBED, WIDTH, HIDDEN, NAMES = 64, 160, 96, 24
FORGOTTEN = 0.05
"""Share of features that learning does without, at random, so that none is relied on alone."""


class Learner(nn.Module):
    """The network of `assistant.reading.embedded.network`, to be learned.

    Args:
        known: numbers of the features that have a row; row 0 is that of all others.
        writers: of how many the way of marking up is learned beside; the first is read by.
    """

    def __init__(self, known: NDArray[np.int32], writers: int) -> None:
        super().__init__()
        self.known = known
        self.table = nn.EmbeddingBag(1 + len(known), EMBED, mode="sum", padding_idx=0)
        self.writers = nn.Embedding(writers, WIDTH)
        nn.init.normal_(self.table.weight, std=0.1)
        nn.init.zeros_(self.writers.weight)
        with torch.no_grad():
            self.table.weight[0] = 0
        self.first = nn.Linear(EMBED, WIDTH)
        self.convs = nn.ModuleList(nn.Linear(3 * WIDTH, WIDTH) for _ in DILATIONS)
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in DILATIONS)
        self.norm, self.whole = nn.LayerNorm(WIDTH), nn.Linear(2 * WIDTH, WIDTH)
        self.slots, self.claims = nn.Linear(WIDTH, 1 + 2 * len(SLOTS)), nn.Linear(WIDTH, 3)
        self.asks = nn.Linear(WIDTH, len(ASKS))
        self.names = nn.Embedding(len(SLOTS) + len(ASKS), NAMES)
        span = 3 * WIDTH + NAMES
        self.heads = nn.ModuleDict(
            {
                name: nn.ModuleList([nn.Linear(span + 2 * WIDTH, HIDDEN), nn.Linear(HIDDEN, out)])
                for name, out in (("stance", len(STANCES)), ("quantity", 1 + len(QUANTITIES)), ("alone", 2))
            }
        )
        self.asked = nn.ModuleList([nn.Linear(2 * WIDTH, HIDDEN), nn.Linear(HIDDEN, 2 * len(ASKS))])
        self.kind = nn.ModuleList([nn.Linear(2 * WIDTH, HIDDEN), nn.Linear(HIDDEN, len(KINDS))])
        self.pair_a, self.pair_b = nn.Linear(span, HIDDEN), nn.Linear(span, HIDDEN)
        self.pair_near, self.pair_out = nn.Linear(NEAR, HIDDEN, bias=False), nn.Linear(HIDDEN, 1)
        self.drop = nn.Dropout(0.3)

    def forward(self, rows: Sequence[torch.Tensor], batch: Sequence[Example], writers: torch.Tensor) -> torch.Tensor:
        """The loss of some messages, from the rows of their features and whose way of marking up they are in."""
        lengths = [len(one) for one in rows]
        longest = max(lengths)
        mask = torch.arange(longest)[None] < torch.tensor(lengths)[:, None]
        features = torch.cat(list(rows))
        if self.training:
            features = features * (torch.rand(features.shape) > FORGOTTEN)
        looked = torch.relu(self.first(self.drop(self.table(features))))
        looked = looked + torch.relu(self.writers(writers)).repeat_interleave(torch.tensor(lengths), dim=0)
        x = looked.new_zeros(len(rows), longest, WIDTH)
        x[mask] = looked
        within = mask[..., None].to(x.dtype)
        for n, dilation in enumerate(DILATIONS):
            if n == len(DILATIONS) - 1:
                x = x + torch.relu(self.whole(pooled(x, within)))[:, None] * within
            y = self.norms[n](x) * within
            padded = nn.functional.pad(y, (0, 0, dilation, dilation))
            beside = torch.cat([padded[:, :longest], y, padded[:, 2 * dilation :]], dim=-1)
            x = x + self.drop(torch.relu(self.convs[n](beside))) * within
        x = self.norm(x)
        wholes = pooled(x, within)
        every = self.drop(x)[mask]
        each = torch.cat([one.weights for one in batch])
        loss = 3 * weighed(self.slots(every), torch.cat([one.slots for one in batch]), each[:, 0])
        loss = loss + weighed(self.claims(every), torch.cat([one.claims for one in batch]), each[:, 1])
        asked = nn.BCEWithLogitsLoss(pos_weight=torch.full((len(ASKS),), 3.0))
        loss = loss + 8 * asked(self.asks(every), torch.cat([one.asks for one in batch]))
        whole = self.asked[1](torch.relu(self.asked[0](self.drop(wholes))))
        present = torch.stack([one.asks.max(dim=0).values for one in batch])
        loss = loss + 4 * nn.BCEWithLogitsLoss()(whole[:, len(ASKS) :], present)
        smooth = nn.CrossEntropyLoss(label_smoothing=0.03)
        firsts = [n for n, one in enumerate(batch) if one.first >= 0]
        if firsts:
            loss = loss + smooth(whole[firsts, : len(ASKS)], torch.tensor([batch[n].first for n in firsts]))
        kinds = self.kind[1](torch.relu(self.kind[0](self.drop(wholes))))
        loss = loss + 0.5 * smooth(kinds, torch.tensor([one.kind for one in batch]))
        return loss + self._spans(batch, lengths, every, wholes)

    def _spans(
        self, batch: Sequence[Example], lengths: Sequence[int], hidden: torch.Tensor, wholes: torch.Tensor
    ) -> torch.Tensor:
        """The loss of what is said of spans: stance, quantity, and what they are of."""
        sizes = torch.tensor([len(one.places) for one in batch])
        if not int(sizes.sum()):
            return hidden.new_zeros(())
        before = torch.tensor([0, *lengths[:-1]]).cumsum(0).repeat_interleave(sizes)
        places = torch.cat([one.places for one in batch]) + before[:, None]
        start, end = places[:, 0], places[:, 1]
        sums = torch.cat([hidden.new_zeros(1, WIDTH), hidden.cumsum(0)])
        means = (sums[end] - sums[start]) / (end - start)[:, None]
        names = self.names(torch.tensor([name for one in batch for name in one.names]))
        spans = torch.cat([means, hidden[start], hidden[end - 1], names], dim=1)
        wide = torch.cat([spans, wholes.repeat_interleave(sizes, dim=0)], dim=1)
        facts = torch.cat([torch.arange(len(one.places)) < len(one.stances) for one in batch])
        aims: dict[str, Any] = {
            "stance": (facts, torch.tensor([aim for one in batch for aim in one.stances]), 1.0),
            "quantity": (~facts, torch.tensor([aim for one in batch for aim in one.quantities]), 0.3),
            "alone": (facts, torch.cat([one.alone for one in batch]), 1.0),
        }
        loss = hidden.new_zeros(())
        cross, binary = nn.CrossEntropyLoss(label_smoothing=0.03), nn.BCEWithLogitsLoss()
        for name, (which, aim, weight) in aims.items():
            if bool(which.any()):
                first, second = self.heads[name]
                scores = second(torch.relu(first(self.drop(wide[which]))))
                loss = loss + weight * (binary(scores, aim) if name == "alone" else cross(scores, aim))
        offsets = torch.tensor([0, *sizes[:-1].tolist()]).cumsum(0)
        pairs = torch.cat([one.pairs + offset for one, offset in zip(batch, offsets, strict=True)])
        if len(pairs):
            both = self.pair_a(spans)[pairs[:, 0]] + self.pair_b(spans)[pairs[:, 1]]
            both = both + self.pair_near(torch.cat([one.near for one in batch]))
            said = self.pair_out(torch.relu(both))[:, 0]
            loss = loss + 1.5 * binary(said, torch.cat([one.together for one in batch]))
        return loss

    def weights(self) -> dict[str, np.ndarray]:
        """Arrays under the names by which they are read."""
        named = {"names": self.names.weight, "writer": torch.relu(self.writers.weight[0])}
        linear: dict[str, Any] = {
            "in": self.first, "whole": self.whole, "slots": self.slots, "claims": self.claims, "asks": self.asks,
            "norm": self.norm, "pair_a": self.pair_a, "pair_b": self.pair_b, "pair_out": self.pair_out,
            "kind1": self.kind[0], "kind2": self.kind[1], "asked1": self.asked[0], "asked2": self.asked[1],
        }  # fmt: skip
        for n in range(len(DILATIONS)):
            linear |= {f"conv{n}": self.convs[n], f"norm{n}": self.norms[n]}
        for name, head in self.heads.items():
            linear |= {f"{name}1": head[0], f"{name}2": head[1]}
        for name, layer in linear.items():
            named |= {f"{name}.w": layer.weight, f"{name}.b": layer.bias}
        named["pair_near.w"] = self.pair_near.weight
        arrays = {name: one.detach().numpy().astype(np.float16) for name, one in named.items()}
        return arrays | packed("table", self.table.weight.detach().numpy(), self.known)


def weighed(said: torch.Tensor, aim: torch.Tensor, each: torch.Tensor) -> torch.Tensor:
    """Cross entropy with some smoothing, the mean by what each weighs."""
    loss: torch.Tensor = nn.functional.cross_entropy(said, aim, label_smoothing=0.03, reduction="none")
    return (loss * each).sum() / each.sum().clamp(min=1)


def pooled(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Mean and largest of each message's tokens."""
    mean = (x * mask).sum(dim=1) / mask.sum(dim=1)
    return torch.cat([mean, x.masked_fill(mask == 0, -1e4).max(dim=1).values], dim=1)
