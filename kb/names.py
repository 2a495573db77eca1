"""Names of GPUs and models as people write them: one index to resolve a name and to find names in running text.

A text is cut into atoms (runs of letters, runs of digits, single Han characters), so that `a10` never matches inside
`a100` while `RTX4090`, `rtx 4090` and `RTX-4090` are the same two atoms. Matching walks a trie of atoms, longest
first: linear in the text.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import lru_cache

from kb.base import AmbiguousName, UnknownName

LONGEST_NAME = 200
ATOM = re.compile(r"[a-z]+|\d{1,20}(?:\.\d{1,9}){0,3}|[\u4e00-\u9fff]|\+")
GAP = re.compile(r"[\s\-_‐‑–·/()（）]{0,3}")
"""What may stand between two atoms of one name."""
SUFFIXES = {"s", "x", "es", "g", "gb", "gib", "b"}
"""Letters that may follow a name without a space: 4090s, h100x8, A100 80G."""
PREFIXES = {"x", "geforce", "nvidia", "amd"}
TYPO_LETTERS = 4
"""Shortest run of letters in which one wrong letter is forgiven."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A name found in a text."""

    kind: str
    ids: tuple[str, ...]
    """Catalog ids it may mean; several when ambiguous."""
    start: int
    end: int
    text: str
    exact: bool
    """False when a letter was forgiven."""


@dataclass(slots=True)
class _Node:
    children: dict[str, "_Node"] = field(default_factory=dict)
    ids: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Atom:
    text: str
    start: int
    end: int


def normalise(text: str) -> str:
    """Lower case, compatibility forms folded (full width → half width), same length where that is possible."""
    folded = "".join(_fold(character) for character in text)
    return folded.lower() if len(folded.lower()) == len(folded) else folded


def _fold(character: str) -> str:
    if character.isascii():
        return character
    folded = unicodedata.normalize("NFKC", character)
    return folded if len(folded) == 1 else character


def close_names(name: str, names: Iterable[str], limit: int = 3) -> list[str]:
    """The `limit` names most like `name`, best first; nothing when none is alike."""
    wanted = normalise(name[:LONGEST_NAME]).replace(" ", "")
    scored = []
    for candidate in names:
        other = normalise(candidate).replace(" ", "")
        matcher = SequenceMatcher(None, wanted, other)
        if matcher.real_quick_ratio() < 0.45 or matcher.quick_ratio() < 0.45:
            continue
        score = matcher.ratio() + (0.2 if wanted and (wanted in other or other in wanted) else 0)
        if score >= 0.5:
            scored.append((-score, candidate))
    return [candidate for _, candidate in sorted(scored)[:limit]]


class Names:
    """Every name of one kind of thing."""

    def __init__(self, kind: str, entries: Mapping[str, Iterable[str]]) -> None:
        self.kind = kind
        self._root = _Node()
        self._ids: dict[str, str] = {}
        self._display: list[str] = []
        self._letters: set[str] = set()
        for identity, aliases in entries.items():
            self._ids[normalise(identity)] = identity
            self._display.append(identity)
            for alias in (identity, *aliases):
                self._insert(identity, alias)
        self._deletes: dict[str, set[str]] = {}
        for word in self._letters:
            if len(word) >= TYPO_LETTERS:
                for shorter in _one_less(word):
                    self._deletes.setdefault(shorter, set()).add(word)

    def resolve(self, text: str) -> str:
        """The id that `text` names.

        Raises:
            UnknownName: nothing bears the name; carries the closest.
            AmbiguousName: several do.
        """
        name = text.strip()[:LONGEST_NAME]
        if exact := self._ids.get(normalise(name)):
            return exact
        atoms = [atom.text for atom in _atoms(normalise(name))]
        ids = self._lookup(atoms)
        if not ids:
            raise UnknownName(self.kind, name, self.close(name))
        if len(ids) > 1:
            raise AmbiguousName(self.kind, name, ids)
        return ids[0]

    def close(self, name: str, limit: int = 3) -> list[str]:
        """The ids most like `name`."""
        return close_names(name, self._display, limit)

    def scan(self, text: str) -> list[Mention]:
        """The names in `text`, left to right, longest match at each place."""
        folded = normalise(text)
        atoms = list(_atoms(folded))
        found: list[Mention] = []
        place = 0
        while place < len(atoms):
            match = self._longest(folded, atoms, place)
            if match is None:
                place += 1
                continue
            after, ids, exact = match
            start, end = atoms[place].start, atoms[after - 1].end
            found.append(Mention(self.kind, tuple(ids), start, end, text[start:end], exact))
            place = after
        return found

    def _insert(self, identity: str, alias: str) -> None:
        node = self._root
        atoms = [atom.text for atom in _atoms(normalise(alias))]
        for atom in atoms:
            if atom.isalpha() and atom.isascii():
                self._letters.add(atom)
            node = node.children.setdefault(atom, _Node())
        if atoms and identity not in node.ids:
            node.ids.append(identity)

    def _lookup(self, atoms: Sequence[str]) -> list[str]:
        node: _Node | None = self._root
        for atom in atoms:
            node = node.children.get(atom) if node else None
        return list(node.ids) if node else []

    def _longest(self, text: str, atoms: list[_Atom], place: int) -> tuple[int, list[str], bool] | None:
        if place and atoms[place - 1].end == atoms[place].start and not _may_precede(atoms[place - 1], atoms[place]):
            return None
        node, best, exact, kept = self._root, None, True, True
        for index in range(place, len(atoms)):
            atom = atoms[index]
            if index > place and not _joined(text, atoms[index - 1], atom):
                break
            child = node.children.get(atom.text)
            if child is None and kept:
                child, kept = self._forgiven(node, atom.text), False
            if child is None:
                break
            node, exact = child, kept
            if node.ids and _may_end(atoms, index) and (exact or index > place):
                best = (index + 1, node.ids, exact)
        return best

    def _forgiven(self, node: _Node, atom: str) -> _Node | None:
        """The child whose letters are one slip away from `atom`."""
        if len(atom) < TYPO_LETTERS or not (atom.isalpha() and atom.isascii()) or atom in self._letters:
            return None
        words = self._deletes.get(atom, set()) | {w for less in _one_less(atom) for w in self._deletes.get(less, ())}
        words |= {less for less in _one_less(atom) if less in self._letters}
        near = sorted(word for word in words if word in node.children and _one_slip(word, atom))
        return node.children[near[0]] if len(near) == 1 else None


def _atoms(text: str) -> Iterator[_Atom]:
    for match in ATOM.finditer(text):
        yield _Atom(match[0], match.start(), match.end())


def _joined(text: str, left: _Atom, right: _Atom) -> bool:
    return GAP.fullmatch(text, left.end, right.start) is not None


def _may_precede(before: _Atom, first: _Atom) -> bool:
    """Whether a name may begin right after `before`: 「张3090」, 2x3090; not 1a100."""
    if not before.text.isascii() or before.text in PREFIXES:
        return True
    return before.text[0].isdigit() and first.text[0].isalpha()


def _may_end(atoms: list[_Atom], index: int) -> bool:
    """Whether a name may end here: 4090s, h100x8, 3090能; not a100m."""
    if index + 1 == len(atoms) or atoms[index + 1].start > atoms[index].end:
        return True
    after = atoms[index + 1].text
    return not after.isascii() or after in SUFFIXES or (after[0].isdigit() and atoms[index].text[0].isalpha())


def _one_less(word: str) -> set[str]:
    return {word[:place] + word[place + 1 :] for place in range(len(word))}


def _one_slip(word: str, other: str) -> bool:
    """One letter more, less, other, or two swapped."""
    if abs(len(word) - len(other)) == 1:
        longer, shorter = (word, other) if len(word) > len(other) else (other, word)
        return shorter in _one_less(longer)
    if len(word) != len(other):
        return False
    wrong = [place for place, (a, b) in enumerate(zip(word, other, strict=True)) if a != b]
    if len(wrong) == 1:
        return True
    return (
        len(wrong) == 2
        and wrong[1] == wrong[0] + 1
        and word[wrong[0]] == other[wrong[1]]
        and (word[wrong[1]] == other[wrong[0]])
    )


@lru_cache(maxsize=1)
def gpu_names() -> Names:
    """The names of every GPU of the catalog."""
    from kb.catalog import gpus

    return Names(
        "GPU",
        {gpu.id: (gpu.name, f"{gpu.id} {gpu.memory_bytes >> 30}GB", *gpu.aliases) for gpu in gpus().values()},
    )


@lru_cache(maxsize=1)
def model_names() -> Names:
    """The names of every model of the catalog."""
    from kb.models import models

    return Names("model", {m.id: (m.name, m.id.rpartition("/")[2], *m.aliases) for m in models().values()})
