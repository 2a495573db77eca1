"""Weights learned from some turns; the same for the same turns."""

import random
import time
from collections.abc import Sequence

import numpy as np
import torch
from reading.examples import Looked, example, shown
from reading.learner import Learner
from reading.phrases import learned_phrases
from torch import nn

EPOCHS, BATCH, RATE, SEED = 22, 16, 3e-3, 7
VARIANTS = 3
"""Ways each message is shown: as written, and with other words hidden."""


def batches(order: Sequence[int], lengths: Sequence[int], dice: random.Random) -> list[list[int]]:
    """Turns some at once, those of one length together: what is shorter is padded, and that takes time."""
    near = 40 * BATCH
    parts = [sorted(order[at : at + near], key=lengths.__getitem__) for at in range(0, len(order), near)]
    found = [part[at : at + BATCH] for part in parts for at in range(0, len(part), BATCH)]
    dice.shuffle(found)
    return found


def learned(turns: Sequence[Looked], epochs: int = EPOCHS, *, quiet: bool = True) -> dict[str, np.ndarray]:
    """Weights learned from some turns; the same for the same turns."""
    dice = random.Random(SEED)
    torch.manual_seed(SEED)
    torch.use_deterministic_algorithms(True)
    ways = [[example(one.line, shown(one, dice) if way else one.message) for one in turns] for way in range(VARIANTS)]
    learner = Learner()
    order = list(range(len(turns)))
    steps = epochs * (-(-len(turns) // BATCH) + len(turns) // (40 * BATCH) + 1)
    optimizer = torch.optim.AdamW(learner.parameters(), lr=RATE, weight_decay=0.02)
    rate = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps, pct_start=0.15)
    learner.train()
    for epoch in range(epochs):
        dice.shuffle(order)
        total, started = 0.0, time.perf_counter()
        for numbers in batches(order, [len(one.features) for one in ways[0]], dice):
            batch = [ways[dice.randrange(VARIANTS)][n] for n in numbers]
            batch = [one for one in batch if len(one.features)]
            optimizer.zero_grad()
            loss = learner(batch)
            loss.backward()
            nn.utils.clip_grad_norm_(learner.parameters(), 2.0)
            optimizer.step()
            rate.step()
            total += float(loss.detach())
        if not quiet:
            print(
                f"epoch {epoch + 1}: loss {total / -(-len(order) // BATCH):.2f}, {time.perf_counter() - started:.0f} s"
            )
    return learner.eval().weights() | learned_phrases([one for one in turns if one.message.tokens])
