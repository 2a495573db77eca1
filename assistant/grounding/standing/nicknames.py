"""Cards that are called by one part of their name: "the 395" of a Ryzen AI Max+ 395, "the Spark" of a DGX Spark."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from assistant.grounding.wording.cues import COUNTED
from assistant.grounding.wording.figures import Figure
from assistant.grounding.wording.mentions import Product, products
from assistant.grounding.wording.owners import around_of, owner
from assistant.grounding.wording.quantities import PLAIN
from assistant.grounding.wording.statements import Statement
from kb.catalog import gpus

NUMBER = re.compile(r"(?<![\d.])\d{3,4}(?![\d.]|\s?G)")
WORD = re.compile(r"(?<![A-Za-z])[A-Z][a-z]{3,}(?![A-Za-z])")
AS_A_NAME = re.compile(
    r"(?<![\d$¥€£A-Za-z–—~～-])(?<!\d[.,])\d{3,4}(?![\d.,]*\d|\s?(?:G|[kKMTW%/×*]|tok|[张块卡层步个元瓦秒]))|"
    + WORD.pattern
)
"""A number or a word that may be a card's name; not one that counts or measures."""


@lru_cache(maxsize=256)
def _called(word: str) -> frozenset[str]:
    """The cards of the catalog whose names hold a word."""
    return frozenset(key for key, card in gpus().items() if word.lower() in card.name.lower().split())


class Nicknames:
    """The numbers and words by which cards that were spoken of are called."""

    def __init__(self) -> None:
        self._cards: dict[str, frozenset[str]] = {}

    def take(self, named: Iterable[Product]) -> None:
        """Keep the numbers in these names, and the words that no other card's name holds."""
        for one in named:
            if one.dimension == "card":
                words = [word for word in WORD.findall(one.text) if _called(word) <= one.ids]
                for part in (*NUMBER.findall(one.text), *words):
                    self._cards[part] = self._cards.get(part, frozenset()) | one.ids

    def calls(self, figure: Figure) -> bool:
        """Whether a bare number is such a name and counts nothing."""
        bare = figure.readings[0].kind == PLAIN and not figure.counts and COUNTED not in figure.roles
        return bare and not figure.term and figure.text in self._cards

    def named(self, text: str) -> tuple[Product, ...]:
        """Products that a text names, in full or so."""
        full = products(text)
        short = [
            Product("card", self._cards[one[0]], one.start(), one.end(), one[0])
            for one in AS_A_NAME.finditer(text)
            if one[0] in self._cards and not any(each.start <= one.start() < each.end for each in full)
        ]
        return tuple(sorted((*full, *short), key=lambda one: one.start)) if short else full

    def read(self, statement: Statement, figures: Sequence[Figure]) -> Sequence[Figure]:
        """The figures of a statement, each of the card that it is of where that is called so."""
        told = f"{statement.text} {statement.row} {statement.column}"
        if not any(one[0] in self._cards for one in AS_A_NAME.finditer(told)):
            return figures
        named, around = self.named(statement.text), around_of(statement, self.named)
        return [self._owned(one, statement, named, around) for one in figures]

    def _owned(self, one: Figure, statement: Statement, named: Sequence[Product], around: Sequence[Product]) -> Figure:
        if one.counts or not one.readings or (one.term and len(one.cards_beside) > 1 and one.cards == one.cards_beside):
            return one
        place = replace(one.readings[0], start=one.start - statement.start, end=one.end - statement.start)
        return replace(one, cards=owner("card", statement.text, place, named, around))
