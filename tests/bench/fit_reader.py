"""Learn the embedded reader from the corpus, or say how well it reads what it never saw.

    python tests/bench/fit_reader.py                        learn from every message, write the reader's model.npz
    python tests/bench/fit_reader.py --evaluate             threads left out, five parts
    python tests/bench/fit_reader.py --evaluate --by writer writers left out
    python tests/bench/fit_reader.py --curve                the same threads left out, with an eighth to all of the rest
    python tests/bench/fit_reader.py --marked FILE.jsonl    how the written model reads messages marked up elsewhere,
                                                            tests/corpus/left_out.jsonl for instance

Figures, each with a 90 % interval from threads drawn anew: `slots` F1 of quotations with their slot, `quotes` F1 of the
quotations alone, `stances` of those that agree, `groups` pairs of agreeing facts that are of the same or of others as
marked, `main ask`, `asks` F1 of the kinds asked, `quantity` of the asks that agree, `kind` of message.
"""

import argparse
import json
import random
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from assistant.reading.annotation import Marked
from assistant.reading.embedded import WEIGHTS
from assistant.reading.embedded.decode import CLAIM, NEAR, SLOTS, Span, marks, nearness
from assistant.reading.embedded.network import DILATIONS, Network
from assistant.reading.embedded.tokens import BUCKETS, Message, Token, read_tokens
from assistant.reading.held import found
from assistant.reading.slots import ASKS, KINDS, QUANTITIES, STANCES

CORPUS = Path(__file__).parents[1] / "corpus"
LEFT_OUT = CORPUS / "left_out.jsonl"
"""Messages after threads of their own, from which nothing is ever learned."""
EMBED, WIDTH, HIDDEN, NAMES = 64, 192, 96, 24
EPOCHS, BATCH, RATE, SEED = 22, 16, 3e-3, 7
UNNAMED = 0.07
"""Share of words whose letters are hidden in learning, beside half of the names."""
VARIANTS = 3
"""Ways each message is shown: as written, and with other words hidden."""
PARTS = 5
DRAWS = 400


@dataclass(frozen=True)
class Line:
    """One turn of the corpus."""

    thread: str
    writer: str
    language: str
    text: str
    later: bool
    marked: Marked


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


def corpus(paths: Iterable[Path]) -> list[Line]:
    """Every turn."""
    lines = []
    for path in paths:
        for written in path.read_text("utf-8").splitlines():
            if written.strip():
                row = json.loads(written)
                lines.append(
                    Line(
                        row.get("thread", row["id"]), row.get("writer", "?"), row.get("language", "?"), row["text"],
                        bool(row["turn"]), Marked.model_validate(row),
                    )
                )  # fmt: skip
    return lines


def span_of(tokens: Sequence[Token], text: str, quote: str, nth: int | None, taken: set[int]) -> tuple[int, int] | None:
    """The tokens of a quotation, the first place that is free."""
    for place in found(text, quote, nth):
        inside = [n for n, token in enumerate(tokens) if token.start < place.end and place.start < token.end]
        if inside and not taken & set(inside):
            return inside[0], inside[-1] + 1
    return None


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


def shown(line: Line, variant: int, dice: random.Random) -> Message:
    """A message with some of its words hidden."""
    plain = read_tokens(line.text, later=line.later)
    if not variant:
        return plain
    names = {"cards", "model"}
    hidden = {n for n in range(len(plain.tokens)) if dice.random() < UNNAMED}
    for fact in line.marked.facts:
        if (
            fact.slot in names
            and dice.random() < 0.5
            and (place := span_of(plain.tokens, line.text, fact.quote, fact.nth, set()))
        ):
            hidden |= {n for n in range(*place) if plain.tokens[n].text.isalpha()}
    return read_tokens(line.text, later=line.later, unnamed=frozenset(hidden))


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


def batches(order: Sequence[int], lengths: Sequence[int], dice: random.Random) -> list[list[int]]:
    """Turns some at once, those of one length together: what is shorter is padded, and that takes time."""
    near = 40 * BATCH
    parts = [sorted(order[at : at + near], key=lengths.__getitem__) for at in range(0, len(order), near)]
    found = [part[at : at + BATCH] for part in parts for at in range(0, len(part), BATCH)]
    dice.shuffle(found)
    return found


def learned(lines: Sequence[Line], epochs: int = EPOCHS, *, quiet: bool = True) -> dict[str, np.ndarray]:
    """Weights learned from some turns; the same for the same turns."""
    dice = random.Random(SEED)
    torch.manual_seed(SEED)
    torch.use_deterministic_algorithms(True)
    ways = [[example(line, shown(line, way, dice)) for line in lines] for way in range(VARIANTS)]
    learner = Learner()
    order = list(range(len(lines)))
    steps = epochs * (-(-len(lines) // BATCH) + len(lines) // (40 * BATCH) + 1)
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
    return learner.eval().weights()


Counts = dict[str, tuple[float, float, float]]
"""Of each figure three numbers: agreeing, said, marked; or its value and the ends of its interval."""
FIGURES = ("slots", "quotes", "stances", "groups", "main ask", "asks", "quantity", "kind")


def compared(line: Line, network: Network) -> Counts:
    """Of each figure: agreeing, said by the reader, marked (of shares: right, of how many, the same)."""
    message = read_tokens(line.text, later=line.later)
    said = marks(line.text, message, network, later=line.later)
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
    return {
        "slots": (len(agree), len(read), len(wanted)),
        "quotes": (len(both), len(read), len(wanted)),
        "stances": (sum(read[p].stance == wanted[p].stance for p in agree), len(agree), len(agree)),
        "groups": (same, len(pairs), len(pairs)),
        "main ask": (float(bool(asks) and asks[:1] == said_asks[:1]), bool(asks), bool(asks)),
        "asks": (len(common), len(set(said_asks)), len(set(asks))),
        "quantity": (asked_right, len(common), len(common)),
        "kind": (float(said.kind == line.marked.kind), 1, 1),
    }


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


def left_out(
    lines: Sequence[Line], part_of: Callable[[Line], str], share: float = 1.0, parts: int | None = None
) -> tuple[list[Line], list[Counts]]:
    """Every turn read by a network that saw nothing of its part."""
    names = sorted({part_of(line) for line in lines})
    read, rows = [], []
    for name in names[:parts]:
        rest = [line for line in lines if part_of(line) != name]
        kept = [line for line in rest if draw(line.thread) < share]
        network = Network(learned(kept))
        for line in lines:
            if part_of(line) == name:
                read.append(line)
                rows.append(compared(line, network))
    return read, rows


def draw(thread: str) -> float:
    """A number of a thread, as if drawn."""
    return zlib.crc32(thread.encode()) % 997 / 997


def main() -> int:
    """Learn, or measure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("files", nargs="*", type=Path, help="of the corpus; all of it where none is named")
    parser.add_argument("--evaluate", action="store_true")
    parser.add_argument("--by", choices=("thread", "writer"), default="thread")
    parser.add_argument("--parts", type=int, help="measure the first parts alone")
    parser.add_argument("--curve", action="store_true")
    parser.add_argument("--marked", type=Path)
    parser.add_argument("--threads", type=int, default=2, help="processor threads")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    lines = corpus(options.files or sorted(set(CORPUS.glob("*.jsonl")) - {LEFT_OUT}))
    if options.evaluate or options.curve or options.marked:
        print(f"| {len(lines)} turns | " + " | ".join(FIGURES) + " |\n|---" * 1 + "|---" * len(FIGURES) + "|")

    def part(line: Line) -> str:
        return line.writer if options.by == "writer" else str(int(draw(line.thread[::-1]) * PARTS))

    if options.marked:
        with np.load(WEIGHTS) as stored:
            network = Network(dict(stored))
        others = corpus([options.marked])
        print(told(options.marked.stem, figures(others, [compared(line, network) for line in others])))
    elif options.curve:
        for share in (0.125, 0.25, 0.5, 1.0):
            read, rows = left_out(lines, part, share, options.parts or 1)
            print(told(f"{share:.0%} of the rest", figures(read, rows)), flush=True)
    elif options.evaluate:
        read, rows = left_out(lines, part, parts=options.parts)
        print(told(f"{options.by} left out", figures(read, rows)))
        for language in sorted({line.language for line in read}):
            kept = [n for n, line in enumerate(read) if line.language == language]
            print(told(f"of those {language}", figures([read[n] for n in kept], [rows[n] for n in kept])))
    else:
        weights = learned(lines, quiet=False)
        np.savez_compressed(WEIGHTS, **weights)
        print(f"{WEIGHTS.name}: {WEIGHTS.stat().st_size / 1e6:.1f} MB from {len(lines)} turns")
    return 0


if __name__ == "__main__":
    sys.exit(main())
