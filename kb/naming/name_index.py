"""An index of names: resolves a name, and finds names in running text.

Matching walks a trie of atoms, longest first: linear in the text.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import zip_longest

from kb.base import AmbiguousName, UnknownName
from kb.naming.atoms import GAP, TIGHT, WRONG_LETTER, Atom, atoms_in, atoms_of, joined, normalise, one_less, one_slip

LONGEST_NAME = 200
SUFFIXES = {"s", "es", "b"}
"""Letters that may follow a name without a space: 4090s."""
PREFIXES = {"x", "geforce", "nvidia", "amd"}
TYPO_LETTERS = 4
"""Shortest run of letters in which one wrong letter is forgiven beside a number (`qwne2.5`)."""
TYPO_LETTERS_ALONE = 7
"""Shortest run in which one is forgiven without any number in the name (`deepsek`)."""
SLIPS_KEPT = 10_000
"""Words whose slips are remembered."""
REMEMBERED, REMEMBERED_LENGTH = 512, 2000
"""Texts whose names are remembered, and how long each may be: a few MB at most."""
LONGEST_WORD = 24
"""Longest run of letters searched for a slip."""
NUMBER_BEFORE = re.compile(r"(?:[$¥￥€£]|(?<!\w)\.|\d\.|\d{3,}\s?[x×*])$")
THOUSANDS = re.compile(r"\d,$")
"""What three digits follow in one number; before four, a comma parts a list of cards."""
NUMBER_AFTER = re.compile(
    r"\s?(?:[x×*]\s?\d{3,}|[.%]\d|,\d{3}(?!\d)|[px%](?![a-z0-9])|元|块钱|美元|美金|刀|万|亿|人|次|条|步"
    r"|行(?![吗么嘛吧不呢])|字|毫秒|瓦"
    r"|(?:tokens?|tok|req|qps|ms|w(?! ?[/;])|mhz|mb|steps?|usd|rmb|cny)(?![a-z0-9]))"
)
"""What makes a bare number a quantity and not the card of that number: 4090元, 1080p, 1920x1080."""
RATE_AFTER = re.compile(r"\s?tok(?:en)?s?\s?(?:per|[/;]|an?)\s?s")
OTHER_CARD_BEFORE = re.compile(r"(?:\b(?:vs\.?|versus|against|or)|对比?|和|与|跟|还是) ?$")
"""What makes it one of two cards all the same: "5090 vs 4090 tokens per second"."""


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
    longer: int | None = None
    """Where the name ends that this one only begins: one with a version or variant that the catalog lacks."""


class _Node:
    """A place in the trie; most have one child or none, so both containers are made when first needed."""

    __slots__ = ("children", "ids", "rank")

    def __init__(self) -> None:
        self.children: dict[str, _Node] = _NO_CHILDREN
        self.ids: Sequence[str] = ()
        self.rank = 0
        """Of the names that end here: 0 a name of its own, 1 one that leaves something out, 2 the name of a group."""

    def child(self, atom: str) -> "_Node":
        """The node that follows, made where there is none."""
        if self.children is _NO_CHILDREN:
            self.children = {}
        made = self.children[atom] = self.children.get(atom) or _Node()
        return made


_NO_CHILDREN: dict[str, _Node] = {}


def close_names(name: str, names: Iterable[str], limit: int = 3) -> list[str]:
    """The `limit` names most like `name`, best first; nothing when none is alike."""
    wanted = normalise(name[:LONGEST_NAME]).replace(" ", "")
    scored = []
    matcher = SequenceMatcher(None, "", wanted, autojunk=False)
    for candidate in names:
        other = normalise(candidate).replace(" ", "")
        matcher.set_seq1(other)
        if matcher.real_quick_ratio() < 0.45 or matcher.quick_ratio() < 0.45:
            continue
        score = matcher.ratio() + (0.2 if wanted and (wanted in other or other in wanted) else 0)
        if score >= 0.5:
            scored.append((-round(score, 3), -_shared(wanted, other), candidate))
    return [candidate for *_, candidate in sorted(scored)[:limit]]


def _shared(one: str, other: str) -> int:
    """Letters that both begin with."""
    return next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))


class Names:
    """Every name of one kind of thing."""

    def __init__(
        self,
        kind: str,
        entries: Mapping[str, Iterable[str]],
        *,
        loose: Mapping[tuple[str, ...], Sequence[str]] | None = None,
        groups: Mapping[tuple[str, ...], Sequence[str]] | None = None,
        fillers: frozenset[str] = frozenset(),
        merge: Callable[[tuple[str, ...]], Sequence[str]] | None = None,
        shy: frozenset[tuple[str, ...]] = frozenset(),
        variant: Callable[[str, Mention], int | None] | None = None,
    ) -> None:
        """Index `entries` (id → its names).

        `loose` names (atoms → ids) leave out what would tell versions apart, `groups` name a whole family; either
        counts only where nothing bears the name by itself. `fillers` are words a name may carry without meaning
        something else (`instruct`). `merge` drops ids that differ in nothing that matters. `shy` names count in running
        text only when written with a capital and in one piece. `variant` tells where a name ends that a mention in a
        text only begins; None where the mention is all of it.
        """
        self.kind = kind
        self._root = _Node()
        self._ids: dict[str, str] = {}
        self._letters: set[str] = set()
        self._fillers = fillers
        self._merge = lru_cache(maxsize=1024)(merge or tuple)
        self._shy = shy
        self._variant = variant
        self._known = lru_cache(maxsize=REMEMBERED)(self._scanned)
        for identity, aliases in entries.items():
            self._ids[normalise(identity)] = identity
            for atoms in {atoms_of(alias) for alias in (identity, *aliases)}:
                self._insert((identity,), atoms, 0)
        for rank, names in ((1, loose), (2, groups)):
            for atoms, ids in (names or {}).items():
                self._insert(ids, atoms, rank)
        self._near: dict[str, tuple[str, ...]] = {}
        self._deletes: dict[str, set[str]] = {}
        for word in self._letters:
            if len(word) >= TYPO_LETTERS:
                for shorter in one_less(word):
                    self._deletes.setdefault(shorter, set()).add(word)

    def resolve(self, text: str) -> str:
        """The id that `text` names.

        Raises:
            UnknownName: nothing bears the name; carries the closest.
            AmbiguousName: several do.
        """
        name = text.strip()[:LONGEST_NAME]
        ids = self.bearers(name)
        if len(ids) > 1:
            raise AmbiguousName(self.kind, name, ids)
        if not ids:
            raise UnknownName(self.kind, name, self.close(name))
        return ids[0]

    def bearers(self, text: str) -> list[str]:
        """The ids that `text` may name; none where nothing bears it."""
        name = text.strip()[:LONGEST_NAME]
        if exact := self._ids.get(normalise(name)):
            return [exact]
        tail = name.rpartition("/")[2]
        for spelling in dict.fromkeys((name, tail, tail.replace("_", "-"))):
            if ids := list(self._lookup(atoms_of(spelling))):
                return ids
        return []

    def close(self, name: str, limit: int = 3) -> list[str]:
        """The ids most like `name`."""
        tails = {identity.rpartition("/")[2]: identity for identity in self._ids.values()}
        return [tails[tail] for tail in close_names(name.rpartition("/")[2], tails, limit)]

    def scan(self, text: str, *, bold: bool = False, longer: bool = False) -> list[Mention]:
        """The names in `text`, left to right, longest match at each place; `bold` keeps the shy ones as well.

        What only begins the name of another ("-2601", "Ti") is no mention of the one known, and is left out unless
        `longer` asks for it. Short texts are remembered: reading, planning, search and tracing all ask the same
        question for its names.
        """
        found = self._known(text, bold) if len(text) <= REMEMBERED_LENGTH else self._scanned(text, bold)
        return [one for one in found if longer or one.longer is None]

    def _scanned(self, text: str, bold: bool) -> tuple[Mention, ...]:
        folded, atoms = _taken_apart(text)
        found: list[tuple[Mention, Sequence[str]]] = []
        place = 0
        while place < len(atoms):
            known = atoms[place].text in self._root.children or len(atoms[place].text) >= TYPO_LETTERS
            begins = known and _may_begin(atoms, place) and not _is_article(folded, atoms, place)
            match = self._longest(folded, atoms, place) if begins else None
            match = self._whole_word(folded, atoms, place, match) if match is not None else None
            if match is None or (not bold and self._is_shy(text, atoms[place : match[0]])):
                place += 1
                continue
            after, ids, exact = match
            start, end = atoms[place].start, atoms[after - 1].end
            if after > place + 1 or not _is_quantity(folded, atoms[place]):
                merged = tuple(self._merge(tuple(ids)))
                mention = Mention(self.kind, merged, start, end, text[start:end], exact)
                beyond = self._variant(text, mention) if self._variant is not None else None
                found.append((replace(mention, longer=beyond), ids))
            place = after
        pairs = zip_longest(found, found[1:])
        return tuple(one for (one, ids), after in pairs if after is None or not _is_prefix(folded, one, ids, *after))

    def _whole_word(
        self, folded: str, atoms: list[Atom], place: int, match: tuple[int, Sequence[str], bool]
    ) -> tuple[int, Sequence[str], bool]:
        """The match, or one that narrows it where it ends within a word: "Ascend 910B4" is the 910B4, no 910B."""
        after, ids, _ = match
        if after >= len(atoms) or atoms[after].start != atoms[after - 1].end:
            return match
        for later in range(place + 1, after):
            other = self._longest(folded, atoms, later)
            if other is not None and other[0] > after and set(other[1]) < set(ids):
                return other
        return match

    def _insert(self, ids: Sequence[str], atoms: Sequence[str], rank: int) -> None:
        if not atoms:
            return
        node = self._root
        for atom in atoms:
            if atom not in node.children and atom.isalpha() and atom.isascii():
                self._letters.add(atom)
            node = node.child(atom)
        if node.ids and node.rank < rank:
            return
        held = node.ids if node.rank == rank else ()
        node.ids, node.rank = tuple(dict.fromkeys((*held, *ids))) if held else tuple(ids), rank

    def _lookup(self, atoms: Sequence[str]) -> Sequence[str]:
        """Ids of the name, which may carry fillers; a word that leads nowhere counts as a filler."""
        return self._merge(tuple(self._walk(self._root, tuple(atoms))))

    def _walk(self, node: _Node, atoms: tuple[str, ...]) -> Sequence[str]:
        if not atoms:
            return node.ids
        first, rest = atoms[0], atoms[1:]
        child = node.children.get(first)
        found = self._walk(child, rest) if child is not None else ()
        if found:
            return found
        return self._walk(node, rest) if first in self._fillers else ()

    def _longest(self, text: str, atoms: list[Atom], place: int) -> tuple[int, Sequence[str], bool] | None:
        return self._furthest(text, atoms, place, place, self._root, exact=True, numbered=False)

    def _furthest(
        self, text: str, atoms: list[Atom], place: int, start: int, node: _Node, *, exact: bool, numbered: bool
    ) -> tuple[int, Sequence[str], bool] | None:
        """Where the longest name that begins at `place` ends, walking on from `node` at the atom `start`."""
        best = None
        for index in range(start, len(atoms)):
            atom = atoms[index]
            if index > place and not joined(text, atoms[index - 1], atom):
                break
            child, forgave = node.children.get(atom.text), False
            skippable = index > place and self._skips(text, atoms, index)
            if child is not None and skippable:
                beyond = self._furthest(text, atoms, place, index + 1, child, exact=exact, numbered=numbered)
                if beyond is not None and beyond[0] > index + 1:
                    return beyond
                child = child if child.ids else node
            elif child is None and skippable:
                child = node
            if child is None and exact:
                child, forgave = self._forgiven(node, atom.text), True
            if child is None:
                break
            node, exact = child, exact and not forgave
            numbered = numbered or atom.text[0].isdigit()
            if node.ids and _may_end(atoms, index) and (exact or self._trusted(atoms[place : index + 1], numbered)):
                best = (index + 1, node.ids, exact)
        return best

    def is_shy(self, written: str) -> bool:
        """Whether the name is spelled like an ordinary word."""
        return tuple(atom.text for atom in atoms_in(normalise(written))) in self._shy

    def _is_shy(self, text: str, atoms: Sequence[Atom]) -> bool:
        """Whether an ordinary word stands here rather than the name that is spelled like it."""
        if tuple(atom.text for atom in atoms) not in self._shy:
            return False
        written = text[atoms[0].start : atoms[-1].end]
        return not written[0].isupper() or any(character.isspace() for character in written)

    def _skips(self, text: str, atoms: list[Atom], index: int) -> bool:
        """Whether the atom adds nothing to the name: -instruct, -chat."""
        atom, before = atoms[index], atoms[index - 1]
        tight = TIGHT.fullmatch(text, before.end, atom.start) is not None
        return atom.text in self._fillers and (tight or atom.text == "instruct")

    def _trusted(self, matched: list[Atom], numbered: bool) -> bool:
        """Whether a match with a forgiven letter is long enough to believe."""
        if numbered and len(matched) > 1:
            return True
        return any(len(atom.text) >= TYPO_LETTERS_ALONE and atom.text not in self._letters for atom in matched)

    def _forgiven(self, node: _Node, atom: str) -> _Node | None:
        """The child whose letters are one slip away from `atom`."""
        if not TYPO_LETTERS <= len(atom) <= LONGEST_WORD or not atom.isalpha():
            return None
        if atom in self._letters and len(atom) < WRONG_LETTER:
            return None
        near = [word for word in self._slips(atom) if word in node.children]
        return node.children[near[0]] if len(near) == 1 else None

    def _slips(self, atom: str) -> tuple[str, ...]:
        """Known words one slip away, in order."""
        known = self._near.get(atom)
        if known is None:
            shorter = one_less(atom)
            words = self._deletes.get(atom, set()) | {w for less in shorter for w in self._deletes.get(less, ())}
            words |= shorter & self._letters
            known = tuple(sorted(word for word in words if word[0] == atom[0] and one_slip(word, atom)))
            if len(self._near) >= SLIPS_KEPT:
                self._near.clear()
            self._near[atom] = known
        return known


@lru_cache(maxsize=16)
def _taken_apart(text: str) -> tuple[str, list[Atom]]:
    """A text folded, and its atoms, not to be changed: one index of names after another reads the same text."""
    folded = normalise(text)
    return folded, list(atoms_in(folded))


def _may_begin(atoms: list[Atom], place: int) -> bool:
    """Whether a name may begin here: 「张3090」, 2x3090, 8H100; not the a10 of ia10."""
    first = atoms[place]
    if place == 0 or atoms[place - 1].end < first.start:
        return True
    before = atoms[place - 1].text
    if not before.isascii() or before in PREFIXES:
        return True
    return before[0].isdigit() and first.text[0].isalpha()


def _may_end(atoms: list[Atom], index: int) -> bool:
    """Whether a name may end here: 4090s, h100x8, 3090能; not a100m."""
    if index + 1 == len(atoms) or atoms[index + 1].start > atoms[index].end:
        return True
    after = atoms[index + 1].text
    if after == "x":  # so many of it, h100x8; an A100X is another card
        return index + 2 < len(atoms) and atoms[index + 2].text[0].isdigit()
    return not after.isascii() or after in SUFFIXES or (after[0].isdigit() and atoms[index].text[0].isalpha())


def _is_quantity(text: str, atom: Atom) -> bool:
    """Whether a name of nothing but digits is a number here."""
    if not atom.text.isdigit():
        return False
    before = text[max(0, atom.start - 8) : atom.start]
    if len(atom.text) == 3 and THOUSANDS.search(before):
        return True
    if OTHER_CARD_BEFORE.search(before) and RATE_AFTER.match(text, atom.end):
        return False
    return NUMBER_BEFORE.search(before) is not None or NUMBER_AFTER.match(text, atom.end) is not None


def _is_article(text: str, atoms: Sequence[Atom], place: int) -> bool:
    """Whether an "a" before a number is the article: "a 16GB 4080" speaks of no A16, "a 6000 Ada" of no A6000."""
    if atoms[place].text != "a" or place + 1 == len(atoms) or not atoms[place + 1].text[0].isdigit():
        return False
    return text[atoms[place].end : atoms[place + 1].start].isspace()


def _is_prefix(text: str, one: Mention, ids: Sequence[str], after: Mention, after_ids: Sequence[str]) -> bool:
    """Whether `one` only introduces the next name: the account in `qwen/Qwen2.5-7B`, 「通义千问（Qwen2.5-72B）」."""
    if after.start == one.end + 1 and text[one.end] == "/":
        return True
    return len(ids) > len(after_ids) and set(after_ids) <= set(ids) and bool(GAP.fullmatch(text, one.end, after.start))
