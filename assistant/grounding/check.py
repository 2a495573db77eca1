"""The check that runs on what a language model writes: what nothing stands behind is found, told, and cut at last."""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal

from assistant.grounding.intervals import torn
from assistant.grounding.needless import needs_nothing
from assistant.grounding.standing.derived import POOL_MAX, derived
from assistant.grounding.standing.evidence import CATALOG, PASSAGE_KEY, PERSON, Evidence
from assistant.grounding.standing.sums import (
    balanced,
    ends_sum,
    follows,
    leads,
    miscounted,
    parts_of_factor,
)
from assistant.grounding.standing.vouched import AT_AN_END
from assistant.grounding.strangers import strangers
from assistant.grounding.wording.cues import COUNTED, says
from assistant.grounding.wording.figures import MARKER, Figure, figures
from assistant.grounding.wording.mentions import products
from assistant.grounding.wording.quantities import BYTES, FLOPS, MONEY, PACE, PLAIN, POWER, RATE
from assistant.grounding.wording.statements import Statement, statements

CARDS_BEHIND = re.compile(r"\s?(?:GPUs?\b|cards?\b|张|卡(?!时))", re.I)
"""What makes a number one of cards, where their name is left out."""
NOTHING, NOT_OWN = "no result holds it", "no result holds it, and own knowledge may not tell it: look it up"
MISCOUNTED = "the sum before it comes to something else"
AS_ANOTHER = re.compile(r"holds it as |at an end")
"""Against a figure that words beside it call something else; being of another thing, it may still be worked out."""
BARE_MIN = 1000
"""From which number on one without a unit is no count that anybody says in passing."""
QUOTED_KINDS = frozenset({BYTES, RATE, FLOPS, POWER, MONEY, PACE})
"""What of a passage is told as the passage's."""
Why = Literal["figure", "product", "claim", "reference"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in an answer that nothing stands behind."""

    why: Why
    text: str
    statement: Statement
    reason: str
    at: int | None = None
    """Where in the answer the figure begins."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found of an answer."""

    findings: tuple[Finding, ...]
    figures: int
    """Numbers that were looked at."""
    sources: tuple[tuple[int, tuple[str, ...]], ...]
    """Where each figure ends that is vouched for, and every source that does."""
    own: tuple[str, ...]
    """Statements marked as the writer's own knowledge."""

    @property
    def loose(self) -> tuple[str, ...]:
        """The figures nothing vouches for."""
        return tuple(one.text for one in self.findings if one.why == "figure")


def checked(answer: str, evidence: Evidence, by_reference: Sequence[tuple[int, int, str]] = ()) -> Checked:
    """Hold every figure and product of `answer` against what it may rest on.

    Args:
        answer: Markdown, its references filled in.
        evidence: results, the person's words, former answers, passages.
        by_reference: spans that references filled in, each with the key of its result.
    """
    findings: list[Finding] = []
    sources: list[tuple[int, tuple[str, ...]]] = []
    own: list[str] = []
    count = 0
    pool: list[Figure] = []
    summed: set[tuple[str, str]] = set()
    for statement in statements(answer):
        if statement.own and statement.kind != "heading":
            own.append(statement.text.strip())
        pool = pool if statement.kind in {"sentence", "cell"} else []
        looked = _worked_out(statement, _looked(statement, evidence, by_reference), pool, summed)
        summed |= _summed(statement, looked)
        pool = [*pool, *(one for one, stands in looked if stands.good and one.readings)][-POOL_MAX:]
        count += len(looked)
        sources += [(one.end, stands.sources) for one, stands in looked if stands.good and stands.sources]
        findings += _loose(statement, looked, evidence)
        findings += _unknown_products(statement, evidence)
        findings += [Finding("product", name, statement, why) for name, why in strangers(statement, evidence)]
    return Checked(tuple(findings), count, tuple(sources), tuple(dict.fromkeys(own)))


@dataclass(frozen=True, slots=True)
class Stands:
    """Whether a figure holds: by its sources, or because it needs none."""

    good: bool
    sources: tuple[str, ...] = ()
    against: str = ""


Looked = Sequence[tuple[Figure, Stands]]


def _looked(statement: Statement, evidence: Evidence, by_reference: Sequence[tuple[int, int, str]]) -> Looked:
    """Every figure of a statement with what stands behind it."""
    found: list[tuple[Figure, Stands]] = []
    for figure in evidence.read(statement, figures(statement)):
        former = [(one, stands.good) for one, stands in found]
        stands = _stands(figure, statement, evidence, by_reference, former)
        known = {(one.text, one.readings[0].kind) for one, good in former if good and one.readings}
        again = not stands.good and not stands.against and _again(figure, known)
        found.append((figure, Stands(True) if again else stands))
    return found


def _worked_out(
    statement: Statement, looked: Looked, pool: Sequence[Figure], summed: AbstractSet[tuple[str, str]]
) -> Looked:
    """The same, with figures that only arithmetic stands behind: over those before them, and in their statement."""
    if all(stands.good for _, stands in looked):
        return looked
    if statement.covered and not any(stands.sources for _, stands in looked) and not MARKER.search(statement.text):
        looked = [(one, Stands(True) if _is_setting(one, stands) else stands) for one, stands in looked]
    known = {(one.text, one.readings[0].kind) for one in pool} | summed
    looked = [
        (one, Stands(True)) if not stands.good and not stands.against and _again(one, known) else (one, stands)
        for one, stands in looked
    ]
    good = [(one, stands.good) for one, stands in looked]
    looked = [
        (one, Stands(True)) if not stands.good and leads(statement, good, one) else (one, stands)
        for one, stands in looked
    ]
    beside = [*pool, *(one for one, stands in looked if stands.good)]
    return [
        (one, Stands(True))
        if not stands.good
        and one.readings
        and (
            (not AS_ANOTHER.search(stands.against) and derived(statement, beside, one))
            or parts_of_factor(statement, [each for each, _ in looked], one)
        )
        else (one, stands)
        for one, stands in looked
    ]


def _summed(statement: Statement, looked: Looked) -> set[tuple[str, str]]:
    """Results of sums that are written out and right: the answer may tell them again."""
    return {
        (one.text, one.readings[0].kind)
        for one, stands in looked
        if stands.good and not stands.sources and one.readings and ends_sum(statement, one)
    }


def _again(figure: Figure, known: AbstractSet[tuple[str, str]]) -> bool:
    """Whether a figure with a unit was worked out just before: the 39.6 h of the cell beside."""
    return bool(figure.readings) and (kind := figure.readings[0].kind) != PLAIN and (figure.text, kind) in known


def _loose(statement: Statement, looked: Looked, evidence: Evidence) -> list[Finding]:
    """What does not hold of a statement's figures: alone, as the result of a sum, as the ends of an interval."""
    good = [(one, stands.good) for one, stands in looked]
    sound = {one.text for one, held in good if held}
    found = [
        Finding("figure", one.text, statement, stands.against or (NOT_OWN if statement.own else NOTHING), one.start)
        for one, stands in looked
        if not stands.good and (stands.against or one.text not in sound) and not balanced(statement, good, one)
    ]
    every = [one for one, _ in looked]
    found += [
        Finding("figure", one.text, statement, MISCOUNTED, one.start)
        for one in miscounted(statement, every, evidence.rates)
    ]
    return found + [
        Finding("figure", one.text, statement, why, one.start) for one, why in torn(statement, every, evidence)
    ]


def _stands(
    figure: Figure,
    statement: Statement,
    evidence: Evidence,
    by_reference: Sequence[tuple[int, int, str]],
    former: Sequence[tuple[Figure, bool]],
) -> Stands:
    """What stands behind a figure, or what stands against it."""
    if figure.date or figure.version:
        source = evidence.dates(figure.text) if figure.date else evidence.mentions(figure.text)
        if source is not None:
            return Stands(True, (source,))
        return Stands(statement.own or figure.version, against="no source dates it so")
    verdict = evidence.vouches(figure)
    if verdict.sources and _only_quoted(figure, verdict.sources) and not _quotes(statement):
        if follows(statement, former, figure):
            return Stands(True)
        return Stands(False, against=f"only a document says so: cite it as [[{verdict.sources[0]}]]")
    if verdict.sources:
        return Stands(True, verdict.sources)
    referred = tuple(key for start, end, key in by_reference if start <= figure.start < end)
    if referred:
        compares = len({one.ids for one in products(statement.text) if one.dimension == "card"}) > 1
        return Stands(compares or not verdict.against or verdict.against.endswith(AT_AN_END), referred, verdict.against)
    counted = figure.counts or CARDS_BEHIND.match(statement.text, figure.end - statement.start) is not None
    given = (evidence.given.counts(figure) if counted else None) or (
        evidence.given.holds(figure) if says("assumes", statement.text) else None
    )
    if given is not None:
        return Stands(True, (given,))
    free = follows(statement, former, figure)
    return Stands(free or needs_nothing(figure, statement), against=verdict.against)


def _is_setting(figure: Figure, stands: Stands) -> bool:
    """Whether a bare number is a setting: where the mark stands at the end of the line only, these are one's own."""
    bare = {one.kind for one in figure.readings} == {PLAIN} and not figure.counts and not figure.roles.get(COUNTED)
    return bare and not stands.good and not stands.against


def _only_quoted(figure: Figure, sources: Sequence[str]) -> bool:
    """Whether nothing but passages holds a figure that a tool would give: size, rate, power, speed, price.

    A long number without a unit, which may be anything (a year, a report's number), is told as the passage's too.
    """
    main = figure.readings[0]
    weighty = main.kind in QUOTED_KINDS or (main.kind == PLAIN and main.values[0] >= BARE_MIN)
    return weighty and all(map(PASSAGE_KEY.fullmatch, sources))


def _quotes(statement: Statement) -> bool:
    """Whether a statement says that it is a document's: by its key, or in words."""
    return MARKER.search(statement.text) is not None or says("quotes", statement.text)


def _unknown_products(statement: Statement, evidence: Evidence) -> list[Finding]:
    """Products that no result, nor the person, nor a former answer names."""
    found: list[Finding] = []
    recommends = says("recommends", statement.text)
    for one in products(statement.text) if statement.kind != "code" else ():
        if one.ids & evidence.known:
            continue
        if one.ids & evidence.quoted and not recommends:
            continue
        if not recommends and (statement.own or one.dimension == "model"):
            continue
        only = "only a document names it" if one.ids & evidence.quoted else "no result holds it"
        found.append(Finding("product", one.text, statement, only))
    return found


__all__ = ["CATALOG", "PERSON", "Checked", "Finding", "checked"]
