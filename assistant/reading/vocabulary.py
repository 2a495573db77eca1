"""Closed vocabularies of the slots whose value would be a phrase, data per language beside this file."""

from functools import lru_cache
from pathlib import Path
from re import Pattern

from kb.lexicon.text import grammar, plain
from kb.lexicon.words import any_of
from kb.snapshot import load_yaml

LANGUAGES = ("en", "zh")


def word_of(slot: str, quote: str) -> str | None:
    """The value a quotation has in a slot's vocabulary; None for none. Of several the one that ends last."""
    pattern, values = _vocabulary(slot)
    found = list(pattern.finditer(plain(quote))) if pattern else []
    return values[found[-1][0].replace(" ", "")] if found else None


@lru_cache(maxsize=64)
def _vocabulary(slot: str) -> tuple[Pattern[str] | None, dict[str, str]]:
    values: dict[str, str] = {}
    spellings: list[str] = []
    for language in LANGUAGES:
        rows = load_yaml(Path(__file__).parent / "words" / f"{language}.yaml").get(slot, {})
        for value, said in rows.items():
            for one in (*said, value.replace("_", " ")):
                spellings.append(plain(one))
                values[plain(one).replace(" ", "")] = value
    return (grammar(any_of(set(spellings))) if spellings else None), values
