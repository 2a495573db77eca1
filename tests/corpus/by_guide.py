"""Bring the ends of quotations to the rules of the guide; what is done to a file twice is done once.

    python tests/corpus/by_guide.py FILE.jsonl ...

Writers of the corpus differed in how much they quoted. By the guide a quotation has no "about", article or mark around
it, a memory no word that the slot already says, and a card its number and memory in one quotation. Only ends move: no
fact is added, no slot changes. `check.py` holds the result to the other rules.
"""

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from assistant.reading.embedded.edges import BETWEEN, Span, trimmed
from assistant.reading.embedded.tokens import PASTED, Message, read_tokens
from assistant.reading.held import found

NUMBERS = frozenset(
    ("one", "two", "three", "four", "five", "six", "eight", "ten", "dual", "single", "twin", "quad", "several")
)
"""Words that number a card in front of it."""
CLAIM, CARDS = "claim", "cards"
Placed = tuple[int, int, dict[str, Any]]
"""First token of a fact, the one behind its last, the fact."""


def places(text: str, message: Message, facts: Iterable[dict[str, Any]]) -> list[Placed]:
    """The tokens of every fact, longer ones first where they could stand in each other's place."""
    taken: set[int] = set()
    placed = []
    for fact in sorted(facts, key=lambda one: -len(one["quote"])):
        for place in found(text, fact["quote"], fact.get("nth")):
            inside = [n for n, one in enumerate(message.tokens) if one.start < place.end and place.start < one.end]
            if inside and (fact["slot"] == CLAIM or not taken & set(inside)):
                placed.append((inside[0], inside[-1] + 1, fact))
                taken |= set(inside) if fact["slot"] != CLAIM else set()
                break
    return sorted(placed, key=lambda one: one[:2])


def widened(start: int, end: int, free: Sequence[bool], text: str, message: Message) -> tuple[int, int]:
    """A card with the number in front of it or behind, and the memory behind, where nothing else holds them."""
    tokens, known = message.tokens, message.known

    def joins(a: int, b: int) -> bool:
        return text[tokens[a].end : tokens[b].start].lower() in BETWEEN

    def run(first: int, step: int, kind: str) -> int:
        n = first
        while 0 <= n < len(tokens) and free[n] and kind in {one[1:] for one in known[n]}:
            n += step
        return n

    if start and joins(start - 1, start):
        before = run(start - 1, -1, "#cards") + 1
        if before == start and free[start - 1] and tokens[start - 1].text.lower() in NUMBERS:
            before = start - 1
        start = before
    for kind in ("#memory", "#cards"):
        if end < len(tokens) and joins(end - 1, end):
            end = run(end, 1, kind)
    return start, end


def by_guide(row: dict[str, Any]) -> dict[str, Any]:
    """A line with the ends of its quotations moved."""
    text, message = row["text"], read_tokens(row["text"])
    placed = places(text, message, row["facts"])
    held = [False] * len(message.tokens)
    for start, end, fact in placed:
        if fact["slot"] != CLAIM:
            held[start:end] = [True] * (end - start)
    facts = []
    for start, end, fact in placed:
        if fact["slot"] == CARDS:
            start, end = widened(start, end, [not one for one in held], text, message)
            held[start:end] = [True] * (end - start)
        if fact["slot"] != CLAIM:
            edges = trimmed(Span(start, end, 0, 1.0), fact["slot"], text, message.tokens)
            start, end = edges if edges[0] < edges[1] else (start, end)
        if any(one.text == PASTED for one in message.tokens[start:end]):
            facts.append(fact)
            continue
        quote = text[message.tokens[start].start : message.tokens[end - 1].end]
        moved = {key: value for key, value in fact.items() if key != "nth"} | {"quote": quote}
        every = sorted(one.start for one in found(text, quote))
        if len(every) > 1:
            moved["nth"] = every.index(message.tokens[start].start) + 1
        facts.append(moved)
    return row | {"facts": facts}


def main(paths: Iterable[str]) -> int:
    """Rewrite files."""
    for path in map(Path, paths):
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
        after = [by_guide(row) for row in rows]
        moved = sum(one["facts"] != other["facts"] for one, other in zip(rows, after, strict=True))
        path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in after), "utf-8")
        print(f"{path.name}: {moved} of {len(rows)} lines moved")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
