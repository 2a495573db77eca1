"""From the network's scores to marks: the likeliest quotations, how each stands, what it is of, and what is asked."""

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assistant.reading.annotation import ASKS_MAX, FACTS_MAX, QUOTE_MAX, Marked, MarkedAsk, MarkedFact, Unread
from assistant.reading.embedded.edges import Span, edged, units
from assistant.reading.embedded.network import Floats, Network, Scores
from assistant.reading.embedded.tokens import PASTED, Message, Token
from assistant.reading.embedded.wording import Phrases, Wording
from assistant.reading.slots import ASKS, HARDWARE, KINDS, QUANTITIES, STANCES, slots
from kb.naming.names import gpu_names, model_names

SLOTS: tuple[str, ...] = tuple(slots())
CLAIM = "claim"
SURE = 0.5
"""Chance from which on something holds."""
ASKED, ASKED_BASE = (0.42, 0.19, 0.48), 0.21
"""What the odds of an ask weigh that the network gives its words, the message, and that the wording gives its clause,
and what is added: logistic regression on 540 turns after a tenth of the threads, read without having seen them."""
ASKED_SURE, ASKED_MIN = 0.25, 0.03
"""Chance from which on an ask is told, and below which even the likeliest of a message is not."""
FIRST = (0.1, 0.33, 0.62, -0.06)
"""What decides which ask is first: the network's chance of it, that by the wording of the message, the odds that it is
asked at all, and the number of its clause; softmax regression on the same turns."""
CLAUSES = 6
"""From this clause on it makes no difference how far back one stands."""
TINY = 1e-4
NEAR = 8
"""Features of a pair of spans."""
GROUPS_MAX = 100
"""Works and hardware of one message."""
ENDS = re.compile(r"[.?!;。？！；\n](?!\d)")
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


class Learned(NamedTuple):
    """What was learned from the corpus."""

    network: Network
    phrases: Phrases


def marks(text: str, message: Message, learned: Learned, *, later: bool = False) -> Marked:
    """What the reader says of a message."""
    network = learned.network
    if not message.tokens:
        return Marked()
    scores = network.read(np.array(message.features, dtype=np.int64))
    tokens = message.tokens
    facts = sorted([*_slots(scores.slots, text, message), *_claims(scores.claims, tokens)])[:FACTS_MAX]
    asks = _asks(scores, learned.phrases.read(text, message), tokens)[:ASKS_MAX]
    every = [*facts, *asks]
    kind = KINDS[int(network.kinds(scores).argmax())]
    if not later and kind not in ("new", "asks"):
        kind = "new"
    if not every:
        return Marked(kind=kind, unread=_unread(text, []))
    spans = network.spans(scores, [(one.start, one.end) for one in every], [one.name for one in every])
    stances = network.stances(spans, scores)
    alone = network.alone(spans, scores)
    same = network.together(spans, nearness(text, tokens, every))
    members = groups(facts, alone, same)
    quantities = network.quantities(spans[len(facts) :], scores) if asks else np.zeros((0, 1))
    marked_facts, marked_asks = [], []
    for n, one in enumerate(facts):
        start, end = tokens[one.start].start, tokens[one.end - 1].end
        of = tuple(number for number, held in enumerate(members) if n in held)
        marked_facts.append(
            MarkedFact(
                quote=text[start:end], start=start, slot=SLOTS[one.name], of=of,
                stance=STANCES[int(stances[n].argmax())],
                confidence=round(one.chance * float(stances[n].max()), 3),
            )
        )  # fmt: skip
    for n, one in enumerate(asks):
        start, end = tokens[one.start].start, tokens[one.end - 1].end
        row = same[len(facts) + n]
        about = tuple(number for number, held in enumerate(members) if max(row[m] for m in held) >= SURE)
        best = int(quantities[n].argmax())
        marked_asks.append(
            MarkedAsk(
                ask=ASKS[one.name - len(SLOTS)], quote=text[start:end], start=start,
                quantity=QUANTITIES[best - 1] if best else None, about=about, confidence=round(one.chance, 3),
            )
        )  # fmt: skip
    held = [(tokens[one.start].start, tokens[one.end - 1].end) for one in every]
    held += [(one.start, one.end) for one in tokens if one.text == PASTED]
    return Marked(kind=kind, asks=tuple(marked_asks), facts=tuple(marked_facts), unread=_unread(text, held))


def groups(facts: Sequence[Span], alone: Floats, together: Floats) -> list[list[int]]:
    """Works and hardware as the facts that are of them, in the order of the message."""
    members: list[list[int]] = []
    for n in range(len(facts)):
        if alone[n, 0] >= SURE:
            continue
        near = [max(together[n, m] for m in held) for held in members]
        if not members or (alone[n, 1] >= SURE and len(members) < GROUPS_MAX):
            members.append([n])
        elif max(near) < SURE:
            members[int(np.argmax(near))].append(n)
        for held, chance in zip(members, near, strict=False):
            if chance >= SURE and n not in held:
                held.append(n)
    return members


def nearness(text: str, tokens: Sequence[Token], spans: Sequence[Span]) -> Floats:
    """(N, N, NEAR): how every two spans stand to each other, looked at without their words."""
    families = [one.name < len(SLOTS) and slots()[SLOTS[one.name]].family == HARDWARE for one in spans]
    ends = [one.start() for one in ENDS.finditer(text)]
    sentence = [sum(end < tokens[one.start].start for end in ends) for one in spans]
    start = np.array([one.start for one in spans], dtype=np.float32)
    name, hard = np.array([one.name for one in spans]), np.array(families)
    order = np.array(sentence, dtype=np.float32)
    place = np.arange(len(spans), dtype=np.float32)
    apart = np.abs(start[:, None] - start)
    near = np.stack(
        [
            np.log1p(apart) / 5,
            name[:, None] == name,
            hard[:, None] == hard,
            hard[:, None] & hard,
            order[:, None] == order,
            np.minimum(np.abs(order[:, None] - order), 4) / 4,
            np.abs(place[:, None] - place) == 1,
            np.broadcast_to(name[None] >= len(SLOTS), apart.shape) | (name[:, None] >= len(SLOTS)),
        ],
        axis=-1,
    )
    return near.astype(np.float32)


def _slots(logs: Floats, text: str, message: Message) -> list[Span]:
    """The likeliest quotations: a slot goes on only where it began, and no quotation ends within a name or quantity."""
    tokens, count = message.tokens, len(SLOTS)
    within = units(message)
    found = []
    for start, end, slot in _runs(_best(logs, count, within), count):
        if any(token.text == PASTED for token in tokens[start:end]) or SLOTS[slot] == CLAIM:
            continue
        chances = [logs[start, 1 + slot], *(logs[n, 1 + count + slot] for n in range(start + 1, end))]
        found.append(Span(start, end, slot, math.exp(float(np.mean(chances)))))
    return [
        one for one in edged(found, text, message)
        if tokens[one.end - 1].end - tokens[one.start].start <= QUOTE_MAX
    ]  # fmt: skip


def _claims(logs: Floats, tokens: Sequence[Token]) -> list[Span]:
    claim = SLOTS.index(CLAIM)
    return [
        Span(start, end, claim, math.exp(float(np.mean(logs[start:end, 1:].max(axis=1)))))
        for start, end, _ in _runs(_best(logs, 1), 1)
        if tokens[end - 1].end - tokens[start].start <= QUOTE_MAX
    ]


def _best(logs: Floats, count: int, within: Sequence[bool] = ()) -> list[int]:
    """The likeliest way through outside (0), begins (1 …) and goes on (1 + count …).

    Where a token is `within` a name or quantity, what held for the token before holds on.
    """
    length = len(logs)
    begins, goes_on = slice(1, 1 + count), slice(1 + count, 1 + 2 * count)
    score = logs[0].copy()
    score[goes_on] = -np.inf
    back: NDArray[np.int64] = np.zeros((length, logs.shape[1]), dtype=np.int64)
    for n in range(1, length):
        best = int(score.argmax())
        from_begin, from_inside = score[begins], score[goes_on]
        inside = np.maximum(from_begin, from_inside)
        back[n, : 1 + count] = best
        back[n, goes_on] = np.where(
            from_begin >= from_inside, np.arange(1, 1 + count), np.arange(1 + count, 1 + 2 * count)
        )
        after = logs[n] + score[best]
        if n < len(within) and within[n]:
            back[n, 0], after[0], after[begins] = 0, logs[n, 0] + score[0], -np.inf
        after[goes_on] = logs[n, goes_on] + inside
        score = after
    path = [int(score.argmax())]
    for n in range(length - 1, 0, -1):
        path.append(int(back[n, path[-1]]))
    return path[::-1]


def _runs(path: Sequence[int], count: int) -> list[tuple[int, int, int]]:
    """Quotations of a path: first token, the one behind the last, which slot."""
    found: list[tuple[int, int, int]] = []
    for n, state in enumerate(path):
        if 1 <= state <= count:
            found.append((n, n + 1, state - 1))
        elif state > count:
            start, _, slot = found[-1]
            found[-1] = (start, n + 1, slot)
    return found


def _asks(scores: Scores, wording: Wording, tokens: Sequence[Token]) -> list[Span]:
    """What is asked, the first before the others: of each kind the clause where it is likeliest."""
    chances, found = scores.asks, []
    peaks = chances.max(axis=0)
    likely = asked(peaks, scores.asked, wording)
    parts = (np.log(scores.first + TINY), wording.first, _odds(likely), np.minimum(wording.place, CLAUSES))
    first = int(sum(weight * part for weight, part in zip(FIRST, parts, strict=True)).argmax())
    wanted = [ask for ask in range(chances.shape[1]) if likely[ask] >= ASKED_SURE]
    if first not in wanted and likely[first] >= ASKED_MIN:
        wanted.append(first)
    for ask in wanted:
        start = end = int(chances[:, ask].argmax())
        enough = SURE * float(peaks[ask])
        while (
            start > 0 and chances[start - 1, ask] >= enough and tokens[end].end - tokens[start - 1].start <= QUOTE_MAX
        ):
            start -= 1
        while (
            end + 1 < len(chances)
            and chances[end + 1, ask] >= enough
            and tokens[end + 1].end - tokens[start].start <= QUOTE_MAX
        ):
            end += 1
        found.append(Span(start, end + 1, len(SLOTS) + ask, float(likely[ask])))
    return sorted(found, key=lambda one: (one.name != len(SLOTS) + first, -one.chance))


def asked(peaks: Floats, whole: Floats, wording: Wording) -> Floats:
    """(A,): the chance of each ask, from the network's over tokens and over the message and from the wording."""
    parts = (_odds(peaks), _odds(whole), wording.asked)
    odds = sum(weight * part for weight, part in zip(ASKED, parts, strict=True)) + ASKED_BASE
    chances: Floats = (1 / (1 + np.exp(-np.clip(odds, -30, 30)))).astype(np.float32)
    return chances


def _odds(chances: Floats) -> Floats:
    """Logarithms of the odds."""
    kept = np.clip(chances, TINY, 1 - TINY)
    odds: Floats = np.log(kept / (1 - kept)).astype(np.float32)
    return odds


def _unread(text: str, held: Sequence[tuple[int, int]]) -> tuple[Unread, ...]:
    """Numbers and names that no mark holds."""
    wanted = [(one.start, one.end) for names in (gpu_names(), model_names()) for one in names.scan(text) if one.exact]
    wanted += [one.span() for one in NUMBER.finditer(text)]
    told: list[tuple[int, int]] = []
    for start, end in wanted:
        if not any(start < last and first < end for first, last in (*held, *told)):
            told.append((start, end))
    return tuple(Unread(quote=text[start:end], start=start) for start, end in sorted(told)[:200])
