"""Where quotations begin and end: around whole names and quantities, a card with its number and memory in one."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from assistant.reading.embedded.tokens import Message, Token
from assistant.reading.slots import slots

NUMBERED = ("cards", "card_count", "card_memory")
"""Slots that are one quotation where they follow each other and one of them names a card."""
LOOSE = frozenset({"relation", "activity", "count"})
"""Vocabularies whose phrases a quotation may cut: "add one" is what is done and how often."""
BETWEEN = frozenset({"", " ", "的", "x", " x ", " of ", " used ", " (", "("})
"""What may stand between a card's name, its number and its memory."""
MARKS = frozenset("~≈≥≤><=:：,，。.;；、/\\|–—?？!！'‘’「『【[") | {"about", "roughly", "or", "and"}
"""What no quotation begins or ends with."""
AHEAD = frozenset('+*)）]】』」“”"')
"""What none begins with."""
BEHIND = frozenset('-(（“"') | {"a", "an", "the", "of", "for", "to", "with", "at", "is", "in"}
"""What none ends with."""
ARTICLES = frozenset({"a", "an", "the"})
NAMES = frozenset({"cards", "model", "machine", "cpu", "board"})
"""Slots whose quotations begin with the name or its number."""
LABELS = {"host_memory": frozenset({"内", "存", "ram", "memory", "of", "system"}), "cache_format": frozenset({"kv"})}
"""Words beside a quantity that only say again what the slot says."""


class Span(NamedTuple):
    """Tokens `[start, end)` that are a quotation."""

    start: int
    end: int
    name: int
    """Number of its slot, or of its ask behind the slots."""
    chance: float


def edged(found: Iterable[Span], text: str, message: Message) -> list[Span]:
    """Quotations of slots with their ends where the guide has them."""
    names = tuple(slots())
    parts = [part for one in together(found, names, text, message) for part in settings(one, names, text, message)]
    kept = []
    for one in parts:
        start, end = trimmed(one, names[one.name], text, message.tokens)
        if any(token.text.isalnum() for token in message.tokens[start:end]):
            kept.append(Span(start, end, one.name, one.chance))
    return kept


def units(message: Message) -> list[bool]:
    """Of each token whether it goes on with a name, a quantity or a word that the token before is in."""
    within = [False] * len(message.known)
    for n in range(1, len(message.known)):
        before = {one[1:] for one in message.known[n - 1]}
        within[n] = any(one[0] == "I" and one[1:] in before and one[1:] not in LOOSE for one in message.known[n])
    return within


def trimmed(one: Span, slot: str, text: str, tokens: Sequence[Token]) -> tuple[int, int]:
    """A quotation without the marks and small words around it."""
    start, end = one.start, one.end
    labels = LABELS.get(slot, frozenset())
    if not any(token.text[0].isdigit() for token in tokens[start:end]):
        labels = frozenset()

    def loose(n: int, words: frozenset[str]) -> bool:
        """Whether a token is one of some words, and a word by itself."""
        word = tokens[n].text.lower()
        alone = not (word.isascii() and word.isalpha()) or not _glued(n, tokens)
        return alone and (word in words or word in labels or word in MARKS)

    ahead = AHEAD | ARTICLES if slot in NAMES else AHEAD
    while start < end and loose(start, ahead):
        start += 1
    while end > start and loose(end - 1, BEHIND):
        end -= 1
    return start, end


def _glued(n: int, tokens: Sequence[Token]) -> bool:
    """Whether a token is part of a longer word, like the letter of "A100"."""
    after = n + 1 < len(tokens) and tokens[n + 1].start == tokens[n].end and tokens[n + 1].text[0].isdigit()
    return after or bool(n and tokens[n - 1].end == tokens[n].start and tokens[n - 1].text[0].isdigit())


def together(found: Iterable[Span], names: Sequence[str], text: str, message: Message) -> list[Span]:
    """Quotations, a card with its number and memory as one."""
    tokens = message.tokens
    joined: list[Span] = []
    for one in sorted(found):
        last = joined[-1] if joined else None
        if (
            last is not None
            and names[one.name] in NUMBERED
            and names[last.name] in NUMBERED
            and text[tokens[last.end - 1].end : tokens[one.start].start].lower() in BETWEEN
            and "cards" in (names[last.name], names[one.name])
            and sum(tag == "Bcard" for tag in message.tags[last.start : one.end]) <= 1
        ):
            joined[-1] = Span(last.start, one.end, names.index("cards"), max(last.chance, one.chance))
        else:
            joined.append(one)
    return joined


def settings(one: Span, names: Sequence[str], text: str, message: Message) -> list[Span]:
    """A run of flags with their values, each by itself."""
    if names[one.name] != "setting":
        return [one]
    tokens = message.tokens

    def begins(n: int) -> bool:
        word = tokens[n].text[0]
        flag = text.startswith("--", tokens[n].start)
        return tokens[n].start > tokens[n - 1].end and (
            flag or (word.isalpha() and word.isascii() and tokens[n - 1].text[0].isdigit())
        )

    starts = [one.start, *(n for n in range(one.start + 1, one.end) if begins(n))]
    return [Span(a, b, one.name, one.chance) for a, b in zip(starts, [*starts[1:], one.end], strict=True)]
