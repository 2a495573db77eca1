"""A message as the reader sees it: tokens with their places, and of each the features that are looked up.

Nothing here decides what a word is. What the catalog and the closed vocabularies know of a token (it is in the name of
a card, of a model, of a format, in the words of a slot) is one feature among others, so that a name which the corpus
never had is read like those it had.
"""

import re
import zlib
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from assistant.reading.embedded.quantities import quantities
from kb.artifacts import find_artifacts
from kb.index.index_words import DICTIONARY, GLOSSARY
from kb.lexicon.formats.rules import formats
from kb.lexicon.text import fold, grammar, plain
from kb.lexicon.words import any_of
from kb.naming.names import closed_names, gpu_names, model_names
from kb.snapshot import load_yaml

NUMBERS = 1 << 31
"""Features are numbers below this; 0 is none."""
FEATURES = 26
"""Of a token, at most."""
TAGS_MAX = 2
"""What is known of a token at once: "4bit" is a format, and words of a slot."""
TOKENS_MAX = 1200
"""Of a message; what stands behind is told as unread."""
PASTED = "\ue000"
"""Stands for something pasted, which its own parser reads."""
LANGUAGES = ("en", "zh")
WORD = "~"
"""Tag of a Chinese word that search knows."""
HAN_WORD = re.compile(r"[\u3400-\u9fff]{2,}")
STEM_MIN = 3
"""Letters of a word that is looked at without its end, and by its end."""
NUMERALS = frozenset("〇零一二两三四五六七八九十百千万亿几半俩兩萬億幾")
TOKEN = re.compile(r"[A-Za-z]+|\d+(?:[.,]\d+)*|[\u3400-\u9fff]|[^\sA-Za-z\d\u3400-\u9fff]")


class Token(NamedTuple):
    """A word, a number, a Chinese character or a mark."""

    text: str
    start: int
    end: int

    @property
    def shape(self) -> str:
        """What it looks like: `9.9` a number with decimals, `9999` one of four digits, `Xx`, `x`, `X`, 汉, 数."""
        first = self.text[0]
        if first.isdigit():
            return "9." if not self.text.isdigit() else "9" * min(len(self.text), 6)
        if not first.isalpha():
            return self.text
        if not first.isascii():
            return "数" if first in NUMERALS else "汉"
        return "x" if self.text.islower() else "X" if self.text.isupper() else "Xx" if self.text.istitle() else "xX"


class Message(NamedTuple):
    """Tokens and what is known of each."""

    tokens: tuple[Token, ...]
    features: tuple[tuple[int, ...], ...]
    """Numbers of each token's features, `FEATURES` of them."""
    tags: tuple[str, ...]
    """What is known first of each token: in the name of a card, a model, a format, words of a slot, or nothing."""
    known: tuple[tuple[str, ...], ...]
    """All that is known of each token."""


def read_tokens(text: str, *, later: bool = False) -> Message:
    """The tokens of a message; `later`: it is not the first of its conversation."""
    tokens = tuple(_tokens(text))[:TOKENS_MAX]
    known = _tags(text, tokens)
    return Message(tokens, features(tokens, known, later=later), tuple(one[0] for one in known), known)


def features(
    tokens: Sequence[Token],
    known: Sequence[tuple[str, ...]],
    *,
    later: bool = False,
    unnamed: frozenset[int] = frozenset(),
) -> tuple[tuple[int, ...], ...]:
    """The features of each token.

    Args:
        tokens: of a message.
        known: of each token what the catalog and the vocabularies know.
        later: the message is not the first of its conversation.
        unnamed: tokens whose own letters are not looked at, by number; for training, so that a reader learns to go by
            what surrounds a word and by what the catalog knows of it.
    """
    said = [word_of(one) if n not in unnamed else "?" for n, one in enumerate(tokens)]
    said = ["^", "^", *said, "$", "$"]
    tags = ["^", *(one[-1] if one[0] == "-" else one[0] for one in known), "$"]
    rows = []
    for n, token in enumerate(tokens):
        earlier, before, word, after, behind = said[n : n + 5]
        glued = "g" if n and tokens[n - 1].end == token.start else "s"
        shape = token.shape
        row = [
            f"w {word}", f"l {shape}{glued}", f"b {before} {word}", f"a {word} {after}", f"c {before} {word} {after}",
            f"bb {earlier} {before} {word}", f"aa {word} {after} {behind}",
            f"ta {tags[n]} {tags[n + 1]} {tags[n + 2]}", f"tt {tags[n + 1]} {tags[n + 2]} {shape}",
            f"lw {shape} {after}", f"wl {before} {shape}", f"lb {shape} {after} {behind}",
            *(f"t {one}" for one in known[n]), *(f"tw {one} {word}" for one in known[n]), f"n {min(n, 3)}",
        ]  # fmt: skip
        if word.isalpha() and word.isascii() and len(word) > STEM_MIN:
            row += [f"p {word[:4]}", f"s {word[-3:]}"]
        if later:
            row.append("later")
        rows.append(tuple(_number(one) for one in row[:FEATURES]) + (0,) * (FEATURES - len(row)))
    return tuple(rows)


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


def _number(feature: str) -> int:
    return zlib.crc32(feature.encode()) % (NUMBERS - 1) + 1


def _tags(text: str, tokens: Sequence[Token]) -> tuple[tuple[str, ...], ...]:
    """What is known of each token, the surest first: card, model, format, words of a slot, nothing."""
    tags: list[list[str]] = [[] for _ in tokens]
    starts = [token.start for token in tokens]
    for name, start, end in _known(text):
        for n in range(bisect_left(starts, start), len(tokens)):
            if tokens[n].end > end:
                break
            if len(tags[n]) < TAGS_MAX:
                tags[n].append(f"B{name}" if tokens[n].start == start else f"I{name}")
    measures = [("#" + name, start, end) for name, start, end in quantities("".join(map(_small, text)))]
    for found in (measures, [(WORD, *one.span()) for one in _words().finditer(text)]):
        for name, start, end in found:
            for n in range(bisect_left(starts, start), len(tokens)):
                if tokens[n].end > end:
                    break
                tags[n] = tags[n] or ["-"]
                tags[n].append(f"B{name}" if tokens[n].start == start else f"I{name}")
    return tuple(tuple(one) or ("-",) for one in tags)


def _small(letter: str) -> str:
    """In one case, one for one, so that places stay."""
    return letter.lower()[:1] or letter


@lru_cache(maxsize=1)
def _words() -> re.Pattern[str]:
    """Chinese words of two or more characters, as far as search knows them."""
    lines = [row for path in (DICTIONARY, GLOSSARY) for row in load_yaml(path)]
    said = {one for row in lines for one in row["zh"] if HAN_WORD.fullmatch(one)}
    return re.compile("|".join(sorted(said, key=lambda one: (-len(one), one))))


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
