"""The linear model of asks by their wording, learned from clauses and whole messages in seconds.

A clause asks what the quotation of an ask that it shares words with asks. Runs of words weigh as they are rare; three
passes: more passes learn the messages by heart.
"""

import random
from collections import Counter
from collections.abc import Sequence

import numpy as np
import torch
from reading.corpus import span_of
from reading.examples import Looked
from torch import nn
from torch.nn import functional

from assistant.reading.embedded.network import packed
from assistant.reading.embedded.wording import clauses, runs
from assistant.reading.slots import ASKS

PASSES, BATCH, RATE, BASE_RATE, SEED = 3, 64, 0.1, 0.02, 7
SEEN_MIN = 3
SMOOTH = 0.05
NOTHING = -100
Bag = tuple[torch.Tensor, torch.Tensor]
"""Rows of the runs of a text, and what each weighs."""


def learned_phrases(turns: Sequence[Looked]) -> dict[str, np.ndarray]:
    """The arrays of the linear model."""
    torch.manual_seed(SEED)
    dice = random.Random(SEED)
    whole = [runs(one.message.tokens, one.message.tags) for one in turns]
    seen = Counter(run for one in whole for run in one)
    known = np.array(sorted(run for run, times in seen.items() if times >= SEEN_MIN), dtype=np.int32)
    rare = torch.tensor([0.0, *(np.log(len(turns) / seen[run]) for run in known.tolist())], dtype=torch.float32)
    row = {run: 1 + n for n, run in enumerate(known.tolist())}
    messages = [bag(one, row, rare) for one in whole]
    parts = [[(bag(found, row, rare), asks) for found, asks in asking(one)] for one in turns]
    firsts = torch.tensor([first_of(one) for one in turns])
    table = nn.Embedding(1 + len(known), 2 * len(ASKS), padding_idx=0, sparse=True)
    nn.init.zeros_(table.weight)
    base = torch.zeros(2 * len(ASKS), requires_grad=True)
    optimizers = [torch.optim.SparseAdam([table.weight], lr=RATE), torch.optim.Adam([base], lr=BASE_RATE)]
    steps = PASSES * -(-len(turns) // BATCH)
    rates = [torch.optim.lr_scheduler.LinearLR(one, 1.0, 1 / steps, steps) for one in optimizers]
    for _ in range(PASSES):
        order = dice.sample(range(len(turns)), len(turns))
        for at in range(0, len(order), BATCH):
            picked = order[at : at + BATCH]
            said = scores([messages[n] for n in picked], table, base)[:, len(ASKS) :]
            own = [part for n in picked for part in parts[n]]
            asked = scores([one for one, _ in own], table, base)[:, : len(ASKS)]
            loss = functional.cross_entropy(said, firsts[picked], ignore_index=NOTHING, label_smoothing=SMOOTH)
            aims = torch.stack([asks for _, asks in own])
            loss = loss + len(ASKS) * functional.binary_cross_entropy_with_logits(asked, aims)
            for one in optimizers:
                one.zero_grad()
            loss.backward()
            for stepper in (*optimizers, *rates):
                stepper.step()
    arrays = packed("phrases", table.weight.detach().numpy(), known)
    return arrays | {"phrases.rare": rare.numpy().astype(np.float16), "phrases.b": base.detach().numpy()}


def asking(one: Looked) -> list[tuple[frozenset[int], torch.Tensor]]:
    """The runs of each clause of a turn, and the asks whose words it shares."""
    tokens, tags, text = one.message.tokens, one.message.tags, one.line.text
    quoted = [(span_of(tokens, text, ask.quote, ask.nth, set()), ASKS.index(ask.ask)) for ask in one.line.marked.asks]
    found = []
    for start, end in clauses(text, tokens):
        aims = torch.zeros(len(ASKS))
        for place, ask in quoted:
            if place and place[0] < end and start < place[1]:
                aims[ask] = 1
        found.append((runs(tokens[start:end], tags[start:end]), aims))
    return found


def first_of(one: Looked) -> int:
    """What a turn asks before all."""
    asks = one.line.marked.asks
    return ASKS.index(asks[0].ask) if asks else NOTHING


def bag(found: frozenset[int], row: dict[int, int], rare: torch.Tensor) -> Bag:
    """The runs of a text that have a row, together of length one."""
    rows = torch.tensor([row[run] for run in sorted(found) if run in row], dtype=torch.long)
    weights = rare[rows]
    return rows, weights / weights.norm().clamp(min=1e-6)


def scores(bags: Sequence[Bag], table: nn.Embedding, base: torch.Tensor) -> torch.Tensor:
    """(N, 2 A): what the runs of each text say of its asks, and of the first."""
    starts = torch.tensor([0, *(len(rows) for rows, _ in bags[:-1])]).cumsum(0)
    rows, weights = (torch.cat(list(one)) for one in zip(*bags, strict=True))
    said: torch.Tensor = base + functional.embedding_bag(
        rows, table.weight, starts, mode="sum", per_sample_weights=weights, sparse=True
    )
    return said
