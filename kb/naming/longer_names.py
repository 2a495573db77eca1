"""Names that go on where a known one ends: "MiMo-V2.5-Pro", "Qwen3-4B-2601", "RTX 5090 Ti" name what the catalog lacks.

Which words make another thing of a name is learned from the catalog itself: a word counts where it tells two of its
rows apart whose names are alike up to it.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from kb.naming.atoms import atoms_of, normalise
from kb.naming.name_index import Mention
from kb.records.gpu import Gpu
from kb.records.model import Model

VERSION = re.compile(
    r"[-_](?:v\d{1,2}(?:[._]\d{1,2})*|\d{1,2}\.\d{1,2}"
    r"|(?:20)?2[3-9](?:0[1-9]|1[0-2])|(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01]))(?![a-z0-9]|\.\d)"
)
"""A version or date right behind a name: -v2, -1.5, -2507 (year, month), -0528 (month, day)."""
MODEL_WORD = re.compile(r"[-_]([a-z]{2,})(?![a-z])")
FIELD_WORD = re.compile(r"[-_ ]([a-z]{2,})(?![a-z])")
CARD_WORD = re.compile(r"[ -]?([a-z]{2,4}|super|ultra)(?![a-z]|-?q(?![a-z]))")
CARD_VERSION = re.compile(r"[ -]?v\d(?![a-z0-9])")
SIZE_BEHIND = re.compile(r"(?:[-_ ]?v?\d{1,2}(?:\.\d{1,2})?)?[-_ ]\d{1,4}(?:\.\d{1,2})?b(?![a-z0-9])")
VERSION_BEHIND = re.compile(r"[-_ ]?v?\d{1,2}\.\d{1,2}(?![\d.])|[-_ ]v?\d{1,2}(?=\s*(?:$|[^\w\s.]))")
OF_NUMBERS = ("consumer", "apu")
"""Markets in which a card is a number and what follows it; elsewhere a form (SXM) or generation (Ada) follows."""
SIZED = re.compile(r"\d\s?b(?![a-z])")
LEARNER = frozenset({"distill", "distilled"})
"""What makes a smaller model of a name: which one is told by the size that follows, and read where that is read."""


def longer_model(text: str, mention: Mention) -> int | None:
    """Where the model's name ends that `mention` only begins; None where it is all of it, or names a whole family.

    Behind a name with a size, only a version and a word that makes another kind of model of it ("-Omni") count:
    a fine-tune keeps the shape of what it was tuned from.
    """
    if len(mention.ids) > 1:
        return None
    plain = normalise(text)
    if version := VERSION.match(plain, mention.end):
        return version.end()
    word = MODEL_WORD.match(plain, mention.end)
    known = _words_of_kinds() if SIZED.search(plain, mention.start, mention.end) else _words_of_models()
    return word.end() if word and word[1] in known else None


def any_longer_model(text: str, mention: Mention) -> int | None:
    """The same of a model stated in a field, where blanks part a name as hyphens do: "Kimi K2.6 Flash".

    Only of a name without a size, which would tell which member is meant.
    """
    plain = normalise(text)
    if SIZED.search(plain):
        return None
    word = FIELD_WORD.match(plain, mention.end)
    return word.end() if word and word[1] in _words_of_models() else None


def longer_card(text: str, mention: Mention) -> int | None:
    """Where the card's name ends that `mention` only begins: "RTX 5090 Ti"; None where it is all of it."""
    from kb.catalog import gpus

    word = CARD_WORD.match(normalise(text), mention.end)
    if word is None or len(mention.ids) > 1:
        return None
    card = gpus()[mention.ids[0]]
    return word.end() if word[1] in _words_of_cards().get((card.vendor, card.market), ()) else None


def any_longer_card(text: str, mention: Mention) -> int | None:
    """The same of a card stated in a field or a quotation, where what follows a name is no part of a sentence.

    There a word that tells cards of any maker apart ("H20 Pro"), or a version, makes another card of every name.
    """
    plain = normalise(text)
    if version := CARD_VERSION.match(plain, mention.end):
        return version.end()
    word = CARD_WORD.match(plain, mention.end)
    known = {one for words in _words_of_cards().values() for one in words}
    return word.end() if word and word[1] in known else None


def longer_closed(text: str, mention: Mention) -> int | None:
    """Where a name ends that begins like a closed model's and is said to be none: "Mistral-Medium-3.5-128B".

    A size in a name is that of published weights. A maker that publishes some of its models (`mixed`) may have
    published the version that the list lacks.
    """
    from kb.models import closed_models

    plain = normalise(text)
    if sized := SIZE_BEHIND.match(plain, mention.end):
        return sized.end()
    version = VERSION_BEHIND.match(plain, mention.end) if closed_models()[mention.ids[0]].mixed else None
    return version.end() if version else None


@lru_cache(maxsize=1)
def _words_of_models() -> frozenset[str]:
    """Words that tell models of different shape apart: Pro, Flash, Air, VL."""
    from kb.naming.spellings import shape_of

    return _model_words(lambda one, other: shape_of(one) != shape_of(other))


@lru_cache(maxsize=1)
def _words_of_kinds() -> frozenset[str]:
    """Those that make another kind of model: Vision, TTS, Embed."""
    return _model_words(lambda one, other: one.kind != other.kind)


def _model_words(differ: Callable[[Model, Model], bool]) -> frozenset[str]:
    from kb.models import FORMATS, PACKAGING, brands, models
    from kb.naming.spellings import FILLERS, own_names

    every = models()
    names = {key: own_names(one, brands()) for key, one in every.items()}
    words = {word for word, _ in _telling(names, lambda one, other: differ(every[one], every[other]))}
    return frozenset(words) - FILLERS - PACKAGING - LEARNER - set(FORMATS)


@lru_cache(maxsize=1)
def _words_of_cards() -> dict[tuple[str, str], set[str]]:
    """By maker and market, words that tell chips apart: Ti and Super of a GeForce, XT of a Radeon."""
    from kb.catalog import gpus

    every = gpus()

    def differ(one: str, other: str) -> bool:
        first, second = every[one], every[other]
        alike = _series(first) == _series(second) and first.market in OF_NUMBERS
        return alike and first.bandwidth_bytes_per_s != second.bandwidth_bytes_per_s

    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    names = {key: (card.name, *card.aliases) for key, card in every.items()}
    for word, key in (*_telling(names, differ), *_beside(names, differ)):
        found[_series(every[key])].add(word)
    return found


def _beside(names: Mapping[str, Iterable[str]], differ: Callable[[str, str], bool]) -> set[tuple[str, str]]:
    """(word, id) for words that stand in one place behind a number: XT and XTX of the RX 7900."""
    behind: dict[tuple[str, ...], set[tuple[str, str]]] = defaultdict(set)
    for key, aliases in names.items():
        for atoms in map(atoms_of, aliases):
            for place in range(1, len(atoms)):
                if atoms[place - 1][0].isdigit() and _is_word(atoms[place]):
                    behind[atoms[:place]].add((atoms[place], key))
    return {
        (word, key)
        for places in behind.values()
        for word, key in places
        if any(other != word and differ(one, key) for other, one in places)
    }


def _is_word(atom: str) -> bool:
    return len(atom) > 1 and atom.isascii() and atom.isalpha()


def _series(card: Gpu) -> tuple[str, str]:
    return card.vendor, card.market


def _telling(names: Mapping[str, Iterable[str]], differ: Callable[[str, str], bool]) -> set[tuple[str, str]]:
    """(word, id) for words of two letters and more with which the name of one row goes on to that of another."""
    owners: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for key, aliases in names.items():
        for name in aliases:
            owners[atoms_of(name)].add(key)
    return {
        (atoms[place], longer)
        for atoms, longers in owners.items()
        for place in range(1, len(atoms))
        if _is_word(atoms[place]) and atoms[:place] in owners
        for longer in longers
        if all(differ(shorter, longer) for shorter in owners[atoms[:place]])
    }
