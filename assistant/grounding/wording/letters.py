"""Letters that look like others: a text as it is read, and words of a script that its reader does not write."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

from assistant.grounding.wording.cues import lookalikes

WORD = re.compile(r"[^\W_]+")
SYMBOL_LETTERS = 2
"""Greek letters up to here are signs of a formula: µs, Δt."""
READ = {"zh": ("CJK", "LATIN"), "en": ("LATIN", "CJK")}
"""Scripts of the languages that answers are written in; names and quotations bring the other one."""


def folded(text: str, language: str) -> str:
    """`text` in `language` with every look-alike as what it looks like, character by character, so that places stay.

    Compatibility forms of letters and digits (full width, mathematical) become plain ones by NFKC; a word that Cyrillic
    or Greek letters only imitate becomes Latin (Unicode Technical Standard 39, confusables). Answers in
    other languages keep their letters, but for words that mix them with Latin ones.
    """
    if text.isascii():
        return text
    plain = "".join(map(_plain, text))
    mixed = language not in READ
    return WORD.sub(lambda word: word[0] if mixed and not _has_latin(word[0]) else _latin(word[0]), plain)


def foreign_words(text: str, language: str, known: Iterable[str]) -> Iterator[str]:
    """Words of a script that an answer in `language` has not, unless one of the `known` texts holds them."""
    if text.isascii() or language not in READ:
        return
    held = None
    for word in WORD.findall(text):
        if word.isascii() or len(word) < SYMBOL_LETTERS or all(map(_read, word)):
            continue
        held = held if held is not None else "\n".join(known).lower()
        if word.lower() not in held:
            yield word


def _plain(character: str) -> str:
    if character.isascii() or unicodedata.category(character) not in {"Lu", "Ll", "Nd"}:
        return character
    folded_one = unicodedata.normalize("NFKC", character)
    return folded_one if len(folded_one) == 1 and folded_one.isascii() else character


def _has_latin(word: str) -> bool:
    return any(character.isascii() and character.isalpha() for character in word)


def _latin(word: str) -> str:
    """The word in Latin letters where every letter of it that is not Latin only looks like one."""
    if word.isascii():
        return word
    alike = lookalikes()
    read = "".join(alike.get(character, character) for character in word)
    return read if read.isascii() else word


@lru_cache(maxsize=4096)
def _read(character: str) -> bool:
    """Whether readers of Chinese and English read it: Latin, Han, digits, what is no letter."""
    if not character.isalpha() or unicodedata.category(character) in {"Lm", "No"}:
        return True
    name = unicodedata.name(character, "")
    return name.startswith(("LATIN", "CJK", "MICRO SIGN", "OHM SIGN", "FULLWIDTH LATIN"))
