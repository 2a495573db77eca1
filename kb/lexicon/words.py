"""The words of a dimension, data per language beside its rules, as one vocabulary and as a pattern."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from kb.lexicon.text import plain
from kb.snapshot import load_yaml

LANGUAGES = ("en", "zh")


@lru_cache(maxsize=64)
def vocabulary(dimension: str, kind: str) -> Mapping[str, Any]:
    """Every way to write a value of this kind, in all languages, with the value: `hours` → 3600."""
    folder = Path(__file__).parent / dimension
    found: dict[str, Any] = {}
    for language in LANGUAGES:
        path = folder / f"{language}.yaml"
        rows = load_yaml(path).get(kind, {}) if path.is_file() else {}
        for value, spellings in rows.items():
            found |= {plain(str(spelling)): _value(value) for spelling in spellings}
    return found


@lru_cache(maxsize=64)
def _squeezed(dimension: str, kind: str) -> Mapping[str, Any]:
    return {_tight(word): value for word, value in vocabulary(dimension, kind).items()}


def meaning(dimension: str, kind: str, said: str) -> Any:
    """The value of what was written, with or without the blanks and hyphens between its words; None for none."""
    return _squeezed(dimension, kind).get(_tight(said))


def _tight(written: str) -> str:
    return re.sub(r"[ _-]", "", written)


def _value(written: Any) -> Any:
    """YAML keys that are numbers come back from a snapshot as text."""
    try:
        return float(written)
    except (TypeError, ValueError):
        return written


def any_of(spellings: Iterable[str]) -> str:
    """A pattern of any of them, the longest first; a Latin word is never part of another, a Han one may be."""
    return "|".join(_bounded(one) for one in sorted(spellings, key=lambda one: (-len(one), one)))


def _bounded(spelling: str) -> str:
    before = r"(?<![a-z])" if re.match(r"[a-z]", spelling) else ""
    after = r"(?![a-z])" if re.search(r"[a-z]$", spelling) else ""
    return before + re.escape(spelling).replace(r"\ ", " ?") + after
