"""The network of `assistant.reading.embedded.network`, to be learned."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from reading.examples import Example
from torch import nn

from assistant.reading.embedded.decode import NEAR, SLOTS
from assistant.reading.embedded.network import DILATIONS
from assistant.reading.embedded.tokens import BUCKETS
from assistant.reading.slots import ASKS, KINDS, QUANTITIES, STANCES

EMBED, WIDTH, HIDDEN, NAMES = 64, 192, 96, 24


class Learner(nn.Module):
    """The network of `assistant.reading.embedded.network`, to be learned."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(BUCKETS, EMBED, padding_idx=0)
        nn.init.normal_(self.table.weight, std=0.1)
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

    def forward(self, batch: Sequence[Example]) -> torch.Tensor:
        """The loss of some messages."""
        longest = max(len(one.features) for one in batch)
        features = torch.zeros(len(batch), longest, batch[0].features.shape[1], dtype=torch.long)
        mask = torch.zeros(len(batch), longest, 1)
        for n, one in enumerate(batch):
            features[n, : len(one.features)] = one.features
            mask[n, : len(one.features)] = 1
        x = torch.relu(self.first(self.drop(self.table(features).sum(dim=2)))) * mask
        for n, dilation in enumerate(DILATIONS):
            if n == len(DILATIONS) - 1:
                x = x + torch.relu(self.whole(pooled(x, mask)))[:, None] * mask
            y = self.norms[n](x) * mask
            padded = nn.functional.pad(y, (0, 0, dilation, dilation))
            beside = torch.cat([padded[:, :longest], y, padded[:, 2 * dilation :]], dim=-1)
            x = x + self.drop(torch.relu(self.convs[n](beside))) * mask
        x = self.norm(x)
        wholes = pooled(x, mask)
        x = self.drop(x)
        loss = x.new_zeros(())
        said = [x[n, : len(one.features)] for n, one in enumerate(batch)]
        every = torch.cat(said)
        smooth = nn.CrossEntropyLoss(label_smoothing=0.03)
        loss = loss + 3 * smooth(self.slots(every), torch.cat([one.slots for one in batch]))
        loss = loss + smooth(self.claims(every), torch.cat([one.claims for one in batch]))
        asked = nn.BCEWithLogitsLoss(pos_weight=torch.full((len(ASKS),), 3.0))
        loss = loss + 8 * asked(self.asks(every), torch.cat([one.asks for one in batch]))
        whole = self.asked[1](torch.relu(self.asked[0](self.drop(wholes))))
        present = torch.stack([one.asks.max(dim=0).values for one in batch])
        loss = loss + 4 * nn.BCEWithLogitsLoss()(whole[:, len(ASKS) :], present)
        firsts = [n for n, one in enumerate(batch) if one.first >= 0]
        if firsts:
            loss = loss + smooth(whole[firsts, : len(ASKS)], torch.tensor([batch[n].first for n in firsts]))
        kinds = self.kind[1](torch.relu(self.kind[0](self.drop(wholes))))
        loss = loss + 0.5 * smooth(kinds, torch.tensor([one.kind for one in batch]))
        return loss + self._spans(batch, said, wholes)

    def _spans(self, batch: Sequence[Example], said: Sequence[torch.Tensor], wholes: torch.Tensor) -> torch.Tensor:
        rows: dict[str, list[torch.Tensor]] = {"stance": [], "quantity": [], "alone": []}
        aims: dict[str, list[Any]] = {"stance": [], "quantity": [], "alone": []}
        pairs, pair_aims = [], []
        for one, hidden, whole in zip(batch, said, wholes, strict=True):
            if not one.places:
                continue
            spans = torch.stack([torch.cat([hidden[a:b].mean(dim=0), hidden[a], hidden[b - 1]]) for a, b in one.places])
            spans = torch.cat([spans, self.names(torch.tensor(one.names))], dim=1)
            wide = torch.cat([spans, whole.expand(len(spans), -1)], dim=1)
            facts = len(one.stances)
            rows["stance"].append(wide[:facts])
            rows["alone"].append(wide[:facts])
            rows["quantity"].append(wide[facts:])
            aims["stance"] += one.stances
            aims["alone"].append(one.alone)
            aims["quantity"] += one.quantities
            both = self.pair_a(spans)[:, None] + self.pair_b(spans)[None] + self.pair_near(one.near)
            # Decoding looks from a span back to earlier ones, and from an ask to facts.
            order = torch.ones(len(spans), len(spans)).tril(-1).bool()
            pairs.append(self.pair_out(torch.relu(both))[..., 0][order])
            pair_aims.append(one.together[order])
        loss = said[0].new_zeros(())
        cross, binary = nn.CrossEntropyLoss(label_smoothing=0.03), nn.BCEWithLogitsLoss()
        for name, weight in (("stance", 1.0), ("quantity", 0.3), ("alone", 1.0)):
            if not rows[name] or not sum(len(one) for one in rows[name]):
                continue
            first, second = self.heads[name]
            scores = second(torch.relu(first(self.drop(torch.cat(rows[name])))))
            aim = torch.cat(aims[name]) if name == "alone" else torch.tensor(aims[name])
            loss = loss + weight * (binary(scores, aim) if name == "alone" else cross(scores, aim))
        if pairs and sum(len(one) for one in pairs):
            loss = loss + 1.5 * binary(torch.cat(pairs), torch.cat(pair_aims))
        return loss

    def weights(self) -> dict[str, np.ndarray]:
        """Arrays under the names by which they are read."""
        named = {"table": self.table.weight, "names": self.names.weight}
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
        return {name: one.detach().numpy().astype(np.float16) for name, one in named.items()}


def pooled(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Mean and largest of each message's tokens."""
    mean = (x * mask).sum(dim=1) / mask.sum(dim=1)
    return torch.cat([mean, x.masked_fill(mask == 0, -1e4).max(dim=1).values], dim=1)
