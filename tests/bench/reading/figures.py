"""How well a network reads turns that it did not learn from."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from reading.corpus import Line, draw, span_of
from reading.examples import Looked
from reading.training import SEED, learned

from assistant.reading.embedded.decode import CLAIM, Learned, marks
from assistant.reading.embedded.network import Network
from assistant.reading.embedded.tokens import Message
from assistant.reading.embedded.wording import Phrases

DRAWS = 400
Counts = dict[str, tuple[float, float, float]]
"""Of each figure three numbers: agreeing, said, marked; or its value and the ends of its interval."""
FIGURES = ("slots", "quotes", "stances", "groups", "main ask", "asks", "quantity", "kind")
SURE = (0.3, 0.5, 0.7, 0.8, 0.9)
"""Confidences from which on a mark is taken, in a table of risk against coverage."""
Told = tuple[float, bool]
"""Confidence of a mark, and whether it agrees."""


def compared(line: Line, message: Message, reader: Learned) -> tuple[Counts, list[Told], list[Told]]:
    """Of each figure: agreeing, said by the reader, marked (of shares: right, of how many, the same); then how sure
    the reader was of each fact and of each ask."""
    said = marks(line.text, message, reader, later=line.later)
    wanted: dict[tuple[int, int], Any] = {}
    for fact in line.marked.facts:
        taken = {n for a, b in wanted for n in range(a, b)} if fact.slot != CLAIM else set()
        if place := span_of(message.tokens, line.text, fact.quote, fact.nth, taken):
            wanted[place] = fact
    read = {
        (tokens[0], tokens[-1] + 1): fact for fact in said.facts
        if (tokens := [n for n, one in enumerate(message.tokens)
                       if one.start < (fact.start or 0) + len(fact.quote) and (fact.start or 0) < one.end])
    }  # fmt: skip
    both = [place for place in read if place in wanted]
    agree = [place for place in both if read[place].slot == wanted[place].slot]
    pairs = [(one, other) for n, one in enumerate(agree) for other in agree[:n]]
    same = sum(
        bool(set(wanted[one].of) & set(wanted[other].of)) == bool(set(read[one].of) & set(read[other].of))
        for one, other in pairs
    )
    asks, said_asks = [one.ask for one in line.marked.asks], [one.ask for one in said.asks]
    common = [ask for ask in set(asks) if ask in said_asks]
    quantity = {one.ask: one.quantity for one in line.marked.asks}
    asked_right = sum(quantity[one.ask] == one.quantity for one in said.asks if one.ask in common)
    counts: Counts = {
        "slots": (len(agree), len(read), len(wanted)),
        "quotes": (len(both), len(read), len(wanted)),
        "stances": (sum(read[p].stance == wanted[p].stance for p in agree), len(agree), len(agree)),
        "groups": (same, len(pairs), len(pairs)),
        "main ask": (float(bool(asks) and asks[:1] == said_asks[:1]), bool(asks), bool(asks)),
        "asks": (len(common), len(set(said_asks)), len(set(asks))),
        "quantity": (asked_right, len(common), len(common)),
        "kind": (float(said.kind == line.marked.kind), 1, 1),
    }
    facts = [(one.confidence or 0.0, place in agree and one.stance == wanted[place].stance)
             for place, one in read.items()]  # fmt: skip
    return counts, facts, [(one.confidence or 0.0, one.ask in asks) for one in said.asks]


def figures(lines: Sequence[Line], rows: Sequence[Counts]) -> Counts:
    """F1 or share of each figure with the ends of its 90 % interval, threads drawn anew."""
    threads: dict[str, list[int]] = {}
    for n, line in enumerate(lines):
        threads.setdefault(line.thread, []).append(n)
    groups, dice = list(threads.values()), np.random.default_rng(SEED)

    def value(name: str, picked: Iterable[int]) -> float:
        right, said, marked = np.sum([rows[n][name] for n in picked], axis=0)
        return float(2 * right / (said + marked)) if said + marked else float("nan")

    table = {}
    for name in FIGURES:
        draws = [
            value(name, [n for group in dice.integers(len(groups), size=len(groups)) for n in groups[group]])
            for _ in range(DRAWS)
        ]
        low, high = np.nanpercentile(draws, [5, 95])
        table[name] = (value(name, range(len(rows))), float(low), float(high))
    return table


def told(title: str, table: Counts) -> str:
    """One row of a table."""
    cells = " | ".join(f"{100 * value:.1f} ({100 * low:.0f}–{100 * high:.0f})" for value, low, high in table.values())
    return f"| {title} | {cells} |"


def risk(title: str, marked: Sequence[Told]) -> list[str]:
    """What is said and how much of it is wrong, by how sure the reader has to be."""
    rows = [f"| {title}: sure of | said | of them wrong |", "|---|---|---|"]
    for sure in SURE:
        kept = [right for confidence, right in marked if confidence >= sure]
        wrong = f"{1 - sum(kept) / len(kept):.0%}" if kept else "–"
        rows.append(f"| {sure} | {len(kept) / max(len(marked), 1):.0%} | {wrong} |")
    return rows


def reader_of(weights: Mapping[str, np.ndarray]) -> Learned:
    """The reader whose weights these are."""
    return Learned(Network(weights), Phrases(weights))


def left_out(
    turns: Sequence[Looked], part_of: Callable[[Line], str], share: float = 1.0, parts: int | None = None
) -> tuple[list[Line], list[Counts], list[Told], list[Told]]:
    """Every turn read by a network that saw nothing of its part."""
    names = sorted({part_of(one.line) for one in turns})
    lines, rows, facts, asks = [], [], [], []
    for name in names[:parts]:
        rest = [one for one in turns if part_of(one.line) != name and draw(one.line.thread) < share]
        reader = reader_of(learned(rest))
        for one in turns:
            if part_of(one.line) == name:
                counts, of_facts, of_asks = compared(one.line, one.message, reader)
                lines.append(one.line)
                rows.append(counts)
                facts += of_facts
                asks += of_asks
    return lines, rows, facts, asks
