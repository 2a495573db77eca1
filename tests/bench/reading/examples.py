"""A turn of the corpus as the network learns from it."""

import random
from dataclasses import dataclass
from typing import Any

import torch
from reading.corpus import Line, span_of

from assistant.reading.embedded.decode import CLAIM, NEAR, SLOTS, Span, nearness
from assistant.reading.embedded.tokens import Message, read_tokens
from assistant.reading.slots import ASKS, KINDS, QUANTITIES, STANCES

NAMED = frozenset({"cards", "model"})
UNNAMED = 0.07
"""Share of words whose letters are hidden in learning, beside half of the names."""


@dataclass(frozen=True)
class Looked:
    """A turn and its tokens."""

    line: Line
    message: Message


@dataclass
class Example:
    """A turn as the network learns from it; numbers of tokens, slots and asks."""

    features: torch.Tensor
    slots: torch.Tensor
    claims: torch.Tensor
    asks: torch.Tensor
    places: list[tuple[int, int]]
    names: list[int]
    near: torch.Tensor
    stances: list[int]
    """Of the spans that are facts; these come first."""
    alone: torch.Tensor
    together: torch.Tensor
    quantities: list[int]
    kind: int
    first: int
    """Number of the ask that decides; -1 where nothing is asked."""


def looked(line: Line) -> Looked:
    """A turn with its tokens looked up in the catalog."""
    return Looked(line, read_tokens(line.text, later=line.later))


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
    together = torch.tensor([[float(bool(one & other)) for other in of] for one in of])
    spans = [Span(*place, name, 1.0) for place, name in zip(places, names, strict=True)]
    return Example(
        torch.tensor(message.features, dtype=torch.long), slots, claims, asks, places, names,
        torch.from_numpy(nearness(text, tokens, spans)) if spans else torch.zeros(0, 0, NEAR),
        [STANCES.index(one.stance) for _, one in facts], alone, together,
        [1 + QUANTITIES.index(one.quantity) if one.quantity else 0 for _, one in asked], KINDS.index(marked.kind),
        ASKS.index(asked[0][1].ask) if asked else -1,
    )  # fmt: skip


def shown(turn: Looked, dice: random.Random) -> Message:
    """A message with some of its words hidden."""
    line, plain = turn.line, turn.message
    hidden = {n for n in range(len(plain.tokens)) if dice.random() < UNNAMED}
    for fact in line.marked.facts:
        if fact.slot in NAMED and dice.random() < 1 / 2:
            place = span_of(plain.tokens, line.text, fact.quote, fact.nth, set())
            hidden |= {n for n in range(*(place or (0, 0))) if plain.tokens[n].text.isalpha()}
    return read_tokens(line.text, later=line.later, unnamed=frozenset(hidden))
