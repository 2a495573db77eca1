"""Remedies that were tried: in vain, which speaks against what they cure, or with success, which proves it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from kb.observation import observation_facts, wording

RULED_OUT = 0.1
"""What a cause counts whose remedy was tried in vain: a remedy may have been applied wrongly."""
CURED = 12.0
"""Weight of a cause whose remedy helped."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|[;；。！？\n]+|,\s+but\s+")
_NAME = re.compile(r"\b[A-Z][A-Z0-9]{2,}_[A-Z0-9_]{3,}\b|(?<![\w-])--[a-z][a-z0-9]*(?:-[a-z0-9]+)+")
"""Environment variables and options as settings are written."""
COMMON = 3
"""Causes that share a setting from which it speaks of none of them in particular."""


class Tried(NamedTuple):
    """Causes and the words of the remedies that were tried."""

    vain: Mapping[str, str]
    cured: Mapping[str, str]

    def told(self) -> Iterator[str]:
        """What the remedies that were tried speak for and against."""
        for said, names in _by_words(self.vain):
            yield f"“{said}” was tried or checked without effect, which speaks against: {names}."
        for said, names in _by_words(self.cured):
            yield f"“{said}” helped, which speaks for: {names}."


def _by_words(of: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Each remedy with the names of its causes."""
    causes = observation_facts().causes
    for said in dict.fromkeys(of.values()):
        yield said, "; ".join(causes[key].name for key, one in of.items() if one == said)


NONE = Tried({}, {})


def tried(text: str) -> Tried:
    """Causes whose remedy a text says was tried. A remedy that stands alone goes with the next sentence."""
    facts = observation_facts().tried
    vain: dict[str, str] = {}
    cured: dict[str, str] = {}
    parts = [one.strip() for one in _SENTENCE.split(text) if one and one.strip()]
    for place, part in enumerate(parts):
        vain |= dict(_named(part, facts.ruled))
        found = dict(_remedies(part))
        if not found:
            continue
        after = parts[place + 1] if place + 1 < len(parts) else ""
        of = part if _is(part, (*facts.vain, *facts.cured)) or dict(_remedies(after)) else after
        if _is(of, facts.cured) and not _is(of, facts.vain):
            cured |= found
        elif _is(of, facts.vain):
            vain |= dict(_remedies(part, ruling=True))
    return Tried({key: said for key, said in vain.items() if key not in cured}, cured)


def without(steps: Iterable[str], text: str) -> Iterator[str]:
    """Next measurements less those whose setting the text says was tried."""
    used = {one for part in _SENTENCE.split(text or "") if part for one in _NAME.findall(part)}
    for step in steps:
        kept = [one for one in step.split("; ") if not used & set(_NAME.findall(one))]
        if kept:
            yield "; ".join(kept)


def _remedies(part: str, *, ruling: bool = False) -> Iterator[tuple[str, str]]:
    """(cause, words) of every remedy that a sentence names: by the setting itself, or in words; `ruling`: those whose
    failure rules the cause out."""
    facts = observation_facts().tried
    for name in _NAME.findall(part):
        for key in _by_setting().get(name, ()):
            yield key, name
    yield from _named(part, [row for row in facts.remedies if not (ruling and row[0] in facts.proves)])


def _named(part: str, rows: Iterable[tuple[str, tuple[str, ...]]]) -> Iterator[tuple[str, str]]:
    for words, causes in rows:
        if match := wording(words).search(part):
            yield from ((key, match[0].strip()) for key in causes if key in observation_facts().causes)


def _is(part: str, patterns: Iterable[str]) -> bool:
    return any(wording(one).search(part) for one in patterns)


@lru_cache(maxsize=1)
def _by_setting() -> dict[str, tuple[str, ...]]:
    """Setting → the causes that it cures; those of many causes left out."""
    found: dict[str, list[str]] = {}
    for one in observation_facts().causes.values():
        for name in {name for value in one.settings.values() for name in _NAME.findall(value)}:
            found.setdefault(name, []).append(one.id)
    return {name: tuple(keys) for name, keys in found.items() if len(keys) <= COMMON}
