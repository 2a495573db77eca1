"""The statements of retrieved passages, word for word, ranked by what they share with the question."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from kb.naming.names import normalise
from kb.records.passage import Passage

SHORTEST, LONGEST = 12, 360
"""Characters of a statement worth quoting."""
PER_PASSAGE = 2
"""Statements taken from one passage, so that several documents speak."""
BASE = 0.25
"""What a close passage counts for beside the words that one statement shares."""
LATER = 0.1
"""How much less each further statement of a passage counts."""
UNSEEN = 1.0
"""Weight of a word of the question that no statement found has: it counts against them all, mildly."""
SURE_SCORE = 0.5
"""A passage this close speaks to the question even where they share no word."""
LATER_SHARE = 0.4
"""What a word of the question counts that only the later statements of a section have."""
CLEARER = 0.35
"""How much more of the question a later statement must cover to be said before the one its section opens with."""
FOLLOWING_MAX = 4
"""Statements that follow the leading one of a section."""
BESIDE_MAX = 2
"""Statements of other sections added to those of the leading one."""
BESIDE_COVERAGE, BESIDE_WORTH = 0.45, 0.33
"""What they have to reach."""
ALIKE = 0.5
"""Share of words from which two statements say the same."""
_NAME = re.compile(r"(?!fp\d|bf\d|int\d|zero-?\d|q\d|nf4|x\d+$)[a-z.\-]*\d[a-z0-9.\-]*|rtx|gtx|nvidia|geforce")
"""Cards, models and figures: they say what the question is about, not what it asks."""
_LEANING = re.compile(
    r"(?:it|its|they|this|these|those|then|so|both|the (?:former|latter))\b"
    r"|[它这]|其[他余中]|.{0,12}?(?:这一[档类级种]|上述|前者|后者)",
    re.I,
)
"""How a statement begins that needs the one before it."""
_NOTE = re.compile(r"(?:\s*\[\^[^\]]{1,60}\])+\s*$")
_SENTENCE = re.compile(r"[^。！？!?]+?(?:[。！？!?]+|(?<=[^\d\s])\.(?= |$)|$)")
_LATIN = re.compile(r"[a-z0-9][a-z0-9.+\-]*")
_HAN = re.compile(r"[一-鿿]+")


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement and the passage it stands in."""

    text: str
    passage: Passage
    coverage: float = 0.0
    """Share of what the question's words say (by rarity) that the statement and its heading have, 0..1."""
    place: int = 0
    """Which statement of its passage it is, from 0."""
    line: int = 0
    """Line of the document it stands on."""


def leans(text: str) -> bool:
    """Whether a statement only makes sense after the one before it."""
    return _LEANING.match(text) is not None


def account(passages: Sequence[Passage], question: str) -> list[Statement]:
    """One coherent answer: a section from the statement that answers on, in its own order, then what others add.

    A section opens with its answer, so it is told from there; where a later statement is plainly closer to what is
    asked, it is told from that one. Nothing that is said already is said again.
    """
    rated = _rated(passages, question)
    sections = _sections(one for one in rated if one.coverage > 0 or one.passage.score >= SURE_SCORE)
    if not sections:
        return []
    leading = max(sections, key=lambda section: _section_worth(section, question))
    closest = max(leading, key=lambda one: (one.coverage, -one.line))
    start = leading.index(closest) if closest.coverage >= leading[0].coverage + CLEARER else 0
    told = leading[start : start + 1 + FOLLOWING_MAX]
    beside = sorted((one for section in sections if section is not leading for one in section), key=worth, reverse=True)
    for one in beside:
        if len(told) >= len(leading[start : start + 1 + FOLLOWING_MAX]) + BESIDE_MAX:
            break
        enough = one.coverage >= BESIDE_COVERAGE and worth(one) >= BESIDE_WORTH and not leans(one.text)
        if enough and not any(_alike(one.text, other.text) for other in told):
            told.append(one)
    return told


def best(passages: Sequence[Passage], question: str, most: int) -> list[Statement]:
    """The statements that answer the question best: those of the closest passages, by the rare words they share.

    A passage is found by its heading as much as by its text, so the heading's words count for each of its statements,
    by half; within a passage the first statement is the one its author thought most of.
    """
    rated = _rated(passages, question)
    ranked = sorted(
        (one for one in rated if one.coverage > 0 or one.passage.score >= SURE_SCORE), key=worth, reverse=True
    )
    return _spread(ranked, most)


def _rated(passages: Sequence[Passage], question: str) -> list[Statement]:
    """Every statement of the passages with the share of the question it covers."""
    found = [
        Statement(text, passage, place=place, line=min(passage.line_start + offset, passage.line_end))
        for passage in passages
        for place, (offset, text) in enumerate(_statements(passage.text))
    ]
    words = [terms(one.text) for one in found]
    wanted = {word for word in terms(question) if not _NAME.fullmatch(word)}
    common = Counter(word for one in words for word in one)
    weight = {word: math.log(1 + len(found) / common[word]) if word in common else UNSEEN for word in wanted}
    whole = sum(weight.values()) or 1.0

    def covered(index: int) -> float:
        heading = terms(found[index].passage.heading) - words[index]
        shared = sum(weight[word] for word in words[index] & wanted)
        return (shared + sum(weight[word] for word in heading & wanted) / 2) / whole

    return [replace(one, coverage=covered(index)) for index, one in enumerate(found)]


def _sections(found: Iterable[Statement]) -> list[list[Statement]]:
    """The statements by document and heading, each section in the order of its lines."""
    sections: dict[tuple[str, str], list[Statement]] = {}
    for one in found:
        sections.setdefault((one.passage.document, one.passage.heading), []).append(one)
    return [sorted(section, key=lambda one: (one.line, one.place)) for section in sections.values()]


def _section_worth(section: Sequence[Statement], question: str) -> float:
    """How well a section answers: its closeness, and what its heading and first statement share with the question."""
    wanted = {word for word in terms(question) if not _NAME.fullmatch(word)}
    opening = terms(section[0].passage.heading) | terms(section[0].text)
    later = {word for one in section[1:] for word in terms(one.text)} - opening
    shared = len(wanted & opening) + LATER_SHARE * len(wanted & later)
    return max(one.passage.score for one in section) * (BASE + shared / (len(wanted) or 1))


def _alike(one: str, other: str) -> bool:
    ours, theirs = terms(one), terms(other)
    return len(ours & theirs) >= ALIKE * min(len(ours), len(theirs))


def worth(one: Statement) -> float:
    """How well a statement answers, for ranking and for leaving it out."""
    return one.passage.score * (BASE + one.coverage) / (1 + one.place * LATER)


def terms(text: str) -> set[str]:
    """Words of Latin script and pairs of Han characters."""
    plain = normalise(text)
    pairs = {run[place : place + 2] for run in _HAN.findall(plain) for place in range(len(run) - 1)}
    return pairs | {word for word in _LATIN.findall(plain) if len(word) > 1}


def _spread(ranked: Sequence[Statement], most: int) -> list[Statement]:
    kept: list[Statement] = []
    for statement in ranked:
        same = [one for one in kept if one.passage == statement.passage]
        if len(same) < PER_PASSAGE and all(one.text != statement.text for one in kept):
            kept.append(statement)
        if len(kept) == most:
            break
    return kept


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Bullets whole, prose by the sentence, each with its line; no headings, tables, code or half sentences."""
    for offset, line in enumerate(text.splitlines()):
        stripped = line.strip()
        if not stripped or stripped.startswith(("#", "|", "```", ">", "!", "<")):
            continue
        bullet = re.match(r"(?:[-*+]|\d{1,2}[.)、])\s+", stripped)
        pieces = [stripped[bullet.end() :]] if bullet else _SENTENCE.findall(stripped)
        for piece in pieces:
            statement = _NOTE.sub("", piece).strip()
            if SHORTEST <= len(statement) <= LONGEST and not statement.endswith((":", "：")) and "[^" not in statement:
                yield offset, statement
