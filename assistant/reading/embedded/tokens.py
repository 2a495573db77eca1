"""A message as the reader sees it: tokens with their places, and of each the features that are looked up.

Nothing here decides what a word is. What the catalog and the closed vocabularies know of a token (it is in the name of
a card, of a model, of a format, in the words of a slot) is one feature among others, so that a name which the corpus
never had is read like those it had.
"""

import re
import zlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from kb.artifacts import find_artifacts
from kb.lexicon.formats.rules import formats
from kb.lexicon.text import fold, grammar, plain
from kb.lexicon.words import any_of
from kb.naming.names import closed_names, gpu_names, model_names
from kb.snapshot import load_yaml

BUCKETS = 1 << 15
"""Rows of the table of features; bucket 0 is none."""
FEATURES = 12
"""Of a token."""
TOKENS_MAX = 1200
"""Of a message; what stands behind is told as unread."""
PASTED = "\ue000"
"""Stands for something pasted, which its own parser reads."""
LANGUAGES = ("en", "zh")
TOKEN = re.compile(r"[A-Za-z]+|\d+(?:[.,]\d+)*|[\u3400-\u9fff]|[^\sA-Za-z\d\u3400-\u9fff]")


class Token(NamedTuple):
    """A word, a number, a Chinese character or a mark."""

    text: str
    start: int
    end: int

    @property
    def shape(self) -> str:
        """What it looks like: `9.9` a number with decimals, `9999` one of four digits, `Xx`, `x`, `X`, 汉, a mark."""
        first = self.text[0]
        if first.isdigit():
            return "9." if not self.text.isdigit() else "9" * min(len(self.text), 6)
        if not first.isalpha():
            return self.text
        if not first.isascii():
            return "汉"
        return "x" if self.text.islower() else "X" if self.text.isupper() else "Xx" if self.text.istitle() else "xX"


class Message(NamedTuple):
    """Tokens and what is known of each."""

    tokens: tuple[Token, ...]
    features: tuple[tuple[int, ...], ...]
    """Buckets of each token, `FEATURES` of them."""
    tags: tuple[str, ...]
    """What is known of each token: in the name of a card, a model, a format, words of a slot, or nothing."""


def read_tokens(text: str, *, later: bool = False, unnamed: frozenset[int] = frozenset()) -> Message:
    """The tokens of a message.

    Args:
        text: the message.
        later: it is not the first of its conversation.
        unnamed: tokens whose own letters are not looked at, by number; for training, so that a reader learns to go by
            what surrounds a word and by what the catalog knows of it.
    """
    tokens = tuple(_tokens(text))[:TOKENS_MAX]
    tags = _tags(text, tokens)
    rows = []
    for n, token in enumerate(tokens):
        said = word_of(token) if n not in unnamed else "?"
        before, after = _said(tokens, n - 1, unnamed), _said(tokens, n + 1, unnamed)
        glued = "g" if n and tokens[n - 1].end == token.start else "s"
        row = [
            f"w {said}", f"l {token.shape}{glued}", f"t {tags[n]}", f"b {before} {said}", f"a {said} {after}",
            f"ta {tags[n - 1] if n else '^'} {tags[n]} {tags[n + 1] if n + 1 < len(tokens) else '$'}",
            f"lw {token.shape} {after}", f"wl {before} {token.shape}",
        ]  # fmt: skip
        if said.isalpha() and said.isascii() and len(said) > 3:
            row += [f"p {said[:4]}", f"s {said[-3:]}"]
        if later:
            row.append("later")
        row.append(f"n {min(n, 3)}")
        rows.append(tuple(_bucket(one) for one in row[:FEATURES]) + (0,) * (FEATURES - len(row)))
    return Message(tokens, tuple(rows), tuple(tags))


def _tokens(text: str) -> list[Token]:
    """Words outside of what is pasted; each pasted thing is one token."""
    pasted = sorted((one.start, one.end) for one in find_artifacts(text).artifacts)
    found, at = [], 0
    for start, end in [*pasted, (len(text), len(text))]:
        found += [Token(one[0], *one.span()) for one in TOKEN.finditer(text, at, max(start, at))]
        if end > start:
            found.append(Token(PASTED, start, end))
        at = max(end, at)
    return found


def word_of(token: Token) -> str:
    """Its letters in one case; numbers by their size, since no number of its own means anything."""
    if token.text[0].isdigit():
        whole = token.text.replace(",", "").split(".")[0]
        return whole if len(whole) == 1 else f"{whole[0]}{'0' * (len(whole) - 1)}"
    return plain(token.text) or token.text


def _said(tokens: Sequence[Token], n: int, unnamed: frozenset[int]) -> str:
    if not 0 <= n < len(tokens):
        return "^"
    return "?" if n in unnamed else word_of(tokens[n])


def _bucket(feature: str) -> int:
    return zlib.crc32(feature.encode()) % (BUCKETS - 1) + 1


def _tags(text: str, tokens: Sequence[Token]) -> list[str]:
    """What is known of each token, the first that holds: card, model, format, words of a slot, nothing."""
    tags = ["-"] * len(tokens)
    for name, start, end in _known(text):
        for n, token in enumerate(tokens):
            if tags[n] == "-" and token.start >= start and token.end <= end:
                tags[n] = f"B{name}" if token.start == start else f"I{name}"
    return tags


def _known(text: str) -> list[tuple[str, int, int]]:
    found = [("card", one.start, one.end) for one in gpu_names().scan(text)]
    found += [("model", one.start, one.end) for one in model_names().scan(text)]
    found += [("closed", one.start, one.end) for one in closed_names().scan(text)]
    folded = "".join(fold(one)[:1] or one for one in text)  # character for character, so that places stay
    found += [("format", one.start, one.end) for one in formats(folded)]
    pattern, slots = _phrases()
    found += [(slots[one[0].replace(" ", "")], *one.span()) for one in pattern.finditer(folded)]
    return found


@lru_cache(maxsize=1)
def _phrases() -> tuple[re.Pattern[str], dict[str, str]]:
    """Every phrase of the closed vocabularies, with the slot whose it is."""
    slots: dict[str, str] = {}
    for language in LANGUAGES:
        for slot, values in load_yaml(Path(__file__).parents[1] / "words" / f"{language}.yaml").items():
            for value, said in values.items():
                for one in (*said, value.replace("_", " ")):
                    slots.setdefault(plain(one).replace(" ", ""), slot)
    return grammar(any_of(set(slots))), slots
