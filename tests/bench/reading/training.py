"""Weights learned from some turns; the same for the same turns."""

import random
import time
from collections import Counter
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from reading.corpus import wordings
from reading.examples import GUIDE, Looked, example, looked, shown
from reading.learner import Learner
from reading.phrases import learned_phrases
from torch import nn

from assistant.reading.embedded.network import rows_of

EPOCHS, BATCH, RATE, SEED = 13, 32, 3e-3, 7
WORDINGS_TIMES = 4
"""How often the linear model goes through the ways of asking, beside the messages."""
OTHERS = 1 / 2
"""Share of the turns that nobody marked up by the guide which are gone through in each pass, drawn anew each time."""
HIDING = 2 / 3
"""Share of the times that a message is shown with words hidden."""
SEEN_MIN = 4
"""Turns in which a feature is met before it has a row; what is rarer says nothing, here as in reading."""


def batches(order: Sequence[int], lengths: Sequence[int], dice: random.Random) -> list[list[int]]:
    """Turns some at once, those of one length together: what is shorter is padded, and that takes time."""
    near = 40 * BATCH
    parts = [sorted(order[at : at + near], key=lengths.__getitem__) for at in range(0, len(order), near)]
    found = [part[at : at + BATCH] for part in parts for at in range(0, len(part), BATCH)]
    dice.shuffle(found)
    return found


def known_features(turns: Sequence[Looked]) -> NDArray[np.int32]:
    """Numbers of the features that enough turns have."""
    seen: Counter[int] = Counter()
    for one in turns:
        seen.update({feature for row in one.message.features for feature in row})
    return np.array(sorted(feature for feature, times in seen.items() if feature and times >= SEEN_MIN), dtype=np.int32)


def learned(turns: Sequence[Looked], epochs: int = EPOCHS, *, quiet: bool = True) -> dict[str, np.ndarray]:
    """Weights learned from some turns; the same for the same turns."""
    turns = [one for one in turns if one.message.tokens]
    dice = random.Random(SEED)
    torch.manual_seed(SEED)
    torch.use_deterministic_algorithms(True)
    examples = [example(one.line, one.message) for one in turns]
    known = known_features(turns)
    plain = [torch.from_numpy(rows_of(np.array(one.message.features, dtype=np.int64), known)) for one in turns]
    names = [GUIDE, *sorted({one.line.marker for one in turns} - {GUIDE})]
    writers = torch.tensor([names.index(one.line.marker) for one in turns])
    learner = Learner(known, len(names))
    guided = [n for n, one in enumerate(turns) if one.line.marker == GUIDE]
    others = [n for n, one in enumerate(turns) if one.line.marker != GUIDE]
    drawn = round(OTHERS * len(others))
    count = len(guided) + drawn
    steps = epochs * (-(-count // BATCH) + count // (40 * BATCH) + 1)
    optimizer = torch.optim.AdamW(learner.parameters(), lr=RATE, weight_decay=0.02)
    rate = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps, pct_start=0.15)
    learner.train()
    for epoch in range(epochs):
        order = [*guided, *dice.sample(others, drawn)]
        dice.shuffle(order)
        total, started = 0.0, time.perf_counter()
        for numbers in batches(order, [len(one) for one in plain], dice):
            rows = [
                torch.from_numpy(rows_of(shown(turns[n], dice), known)) if dice.random() < HIDING else plain[n]
                for n in numbers
            ]
            optimizer.zero_grad()
            loss = learner(rows, [examples[n] for n in numbers], writers[numbers])
            loss.backward()
            nn.utils.clip_grad_norm_(learner.parameters(), 2.0)
            optimizer.step()
            rate.step()
            total += float(loss.detach())
        if not quiet:
            print(
                f"epoch {epoch + 1}: loss {total / -(-len(order) // BATCH):.2f}, {time.perf_counter() - started:.0f} s",
                flush=True,
            )
    asking = [looked(one) for one in wordings()]
    return learner.eval().weights() | learned_phrases([*turns, *(asking * WORDINGS_TIMES)])
