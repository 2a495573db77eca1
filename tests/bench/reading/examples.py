"""A turn of the corpus as the network learns from it."""

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from reading.corpus import Line, span_of

from assistant.reading.embedded.decode import CLAIM, NEAR, SLOTS, Span, nearness
from assistant.reading.embedded.tokens import Message, features, read_tokens
from assistant.reading.slots import ASKS, KINDS, QUANTITIES, STANCES

NAMED = frozenset({"cards", "model"})
GUIDE = "g"
"""Who marked up by the guide word for word; the reader reads as they do."""
GUIDE_WEIGHT, LEFT_OUT, SUSPECT = 2.5, 0.35, 0.0
"""What tokens weigh: those of turns marked by the guide; of others those that no mark holds, for others leave out a
quarter of what the guide wants marked; and of these such as the catalog or the vocabularies know, and numbers."""
UNNAMED = 0.07
"""Share of words whose letters are hidden in learning, beside half of the names."""


@dataclass(frozen=True)
class Looked:
    """A turn and its tokens."""

    line: Line
    message: Message
    names: frozenset[int]
    """Tokens in the names of cards and models."""


@dataclass
class Example:
    """A turn as the network learns from it; numbers of tokens, slots and asks."""

    slots: torch.Tensor
    weights: torch.Tensor
    """(L, 2): what each token weighs in learning slots and claims."""
    claims: torch.Tensor
    asks: torch.Tensor
    places: torch.Tensor
    """(N, 2): first token of each span, and the one behind its last; facts come first."""
    names: list[int]
    near: torch.Tensor
    """(P, NEAR): how the two spans of each pair stand to each other."""
    pairs: torch.Tensor
    """(P, 2): every span with each before it."""
    stances: list[int]
    """Of the spans that are facts."""
    alone: torch.Tensor
    together: torch.Tensor
    """(P,): whether the two are of the same."""
    quantities: list[int]
    kind: int
    first: int
    """Number of the ask that decides; -1 where nothing is asked."""


def looked(line: Line) -> Looked:
    """A turn with its tokens looked up in the catalog."""
    message = read_tokens(line.text, later=line.later)
    places = [
        span_of(message.tokens, line.text, one.quote, one.nth, set()) for one in line.marked.facts if one.slot in NAMED
    ]
    names = {n for place in places if place for n in range(*place) if message.tokens[n].text.isalpha()}
    return Looked(line, message, frozenset(names))


def example(line: Line, message: Message) -> Example:
    """What the network is to say of a message."""
    tokens, text, marked = message.tokens, line.text, line.marked
    count = len(SLOTS)
    slots = torch.zeros(len(tokens), dtype=torch.long)
    claims, asks = torch.zeros(len(tokens), dtype=torch.long), torch.zeros(len(tokens), len(ASKS))
    facts: list[tuple[tuple[int, int], Any]] = []
    taken: set[int] = set()
    for fact in sorted(marked.facts, key=lambda one: -len(one.quote)):
        place = span_of(tokens, text, fact.quote, fact.nth, set() if fact.slot == CLAIM else taken)
        if place is None:
            continue
        start, end = place
        facts.append((place, fact))
        if fact.slot == CLAIM:
            claims[start:end], claims[start] = 2, 1
            continue
        taken.update(range(start, end))
        slots[start:end], slots[start] = 1 + count + SLOTS.index(fact.slot), 1 + SLOTS.index(fact.slot)
    facts.sort(key=lambda one: one[0])
    asked = [(place, one) for one in marked.asks if (place := span_of(tokens, text, one.quote, one.nth, set()))]
    for (start, end), one in asked:
        asks[start:end, ASKS.index(one.ask)] = 1
    places = [place for place, _ in (*facts, *asked)]
    names = [SLOTS.index(one.slot) for _, one in facts] + [count + ASKS.index(one.ask) for _, one in asked]
    of = [set(one.of) for _, one in facts] + [set(one.about) for _, one in asked]
    alone, highest = torch.zeros(len(facts), 2), -1
    for n in range(len(facts)):
        alone[n, 0] = float(not of[n])
        alone[n, 1] = float(bool(of[n]) and max(of[n]) > highest)
        highest = max([highest, *of[n]])
    # Decoding looks from a span back to earlier ones, and from an ask to facts.
    pairs = [(n, m) for n in range(len(of)) for m in range(n)]
    near = torch.zeros(0, NEAR)
    if pairs:
        spans = [Span(*place, name, 1.0) for place, name in zip(places, names, strict=True)]
        every = torch.from_numpy(nearness(text, tokens, spans))
        near = torch.stack([every[n, m] for n, m in pairs])
    return Example(
        slots, weights_of(line, message, slots, claims), claims, asks,
        torch.tensor(places, dtype=torch.long).reshape(-1, 2), names, near,
        torch.tensor(pairs, dtype=torch.long).reshape(-1, 2), [STANCES.index(one.stance) for _, one in facts], alone,
        torch.tensor([float(bool(of[n] & of[m])) for n, m in pairs]),
        [1 + QUANTITIES.index(one.quantity) if one.quantity else 0 for _, one in asked], KINDS.index(marked.kind),
        ASKS.index(asked[0][1].ask) if asked else -1,
    )  # fmt: skip


def weights_of(line: Line, message: Message, slots: torch.Tensor, claims: torch.Tensor) -> torch.Tensor:
    """(L, 2): what each token weighs in learning slots and claims."""
    if line.marker == GUIDE:
        return torch.full((len(slots), 2), GUIDE_WEIGHT)
    weights = torch.full((len(slots), 2), LEFT_OUT)
    suspects = torch.tensor([any(one != "-" for one in known) for known in message.known], dtype=torch.bool)
    weights[suspects, 0] = SUSPECT
    weights[slots > 0, 0] = 1
    weights[:, 1] = SUSPECT
    weights[claims > 0, 1] = 1
    return weights


def shown(turn: Looked, dice: random.Random) -> NDArray[np.int64]:
    """The features of a message with some of its words hidden."""
    message = turn.message
    hidden = {n for n in range(len(message.tokens)) if dice.random() < UNNAMED}
    hidden |= {n for n in sorted(turn.names) if dice.random() < 1 / 2}
    rows = features(message.tokens, message.known, later=turn.line.later, unnamed=frozenset(hidden))
    return np.array(rows, dtype=np.int64)
