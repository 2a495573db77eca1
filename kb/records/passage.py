"""A passage of an ingested document, with where it stands."""

from typing import Literal

from kb.base import Frozen


class Dispute(Frozen):
    """A claim of a passage that the facts speak against, in its parts, to be worded in any language."""

    subject: str
    """What it is about, as the catalog names it."""
    attribute: str
    claimed: str
    """The words of the document."""
    says: Literal["value", "has", "lacks"] = "value"
    """Whether those words give a value, or say that the subject has or lacks the attribute."""
    verdict: str
    """`wrong` or `outdated`."""
    correct: str | None = None
    """What the facts say, in English; null when they say nothing."""


class Passage(Frozen):
    """A retrieved chunk that can be cited to the line."""

    document: str
    """Path or bundled name, e.g. `guidance/en/memory.md`."""
    title: str
    line_start: int
    line_end: int
    page: int | None = None
    heading: str
    """Heading path, ` › ` between levels."""
    text: str
    """Verbatim lines of the document."""
    score: float
    """0..1, higher is closer."""
    answers: float | None = None
    """Probability that the passage answers the question, as calibrated on questions with known answers; null where
    another model ranks, or where the passage was not found by a search."""
    language: str
    """zh, en …"""
    date: str | None = None
    trust: str = "user"
    """`bundled` for the advisor's own guidance, `user` for what a person ingested."""
    also_in: tuple[str, ...] = ()
    """Where nearly the same words stand, as `document:line`; those passages are not shown besides."""
    disputes: tuple[str, ...] = ()
    """What the claim check found wrong or outdated in these lines, one sentence each, with the right value."""
    disputed: tuple[Dispute, ...] = ()
    """The same in parts."""
