"""What a check says about a claim, and where documents disagree."""

from typing import Literal

from kb.base import Frozen

Says = Literal["value", "has", "lacks"]
"""What kind of thing a claim says: a value of its attribute, or that the subject has or lacks it."""
Verdict = Literal["holds", "wrong", "outdated", "unsupported"]


class Finding(Frozen):
    """A checkable claim and what the facts say about it."""

    document: str
    """Path or bundled name."""
    line: int
    quote: str
    """The words of the document."""
    subject: str
    """What the claim is about, as the catalog names it."""
    attribute: str
    """What it says of it: memory, memory bandwidth, NVLink …"""
    claimed_value: str
    verdict: Verdict
    """`holds`; `wrong`; `outdated` = once true; `unsupported` = the facts know nothing of it."""
    correct_value: str | None = None
    """What the facts say; null when they say nothing."""
    source: str | None = None
    """Where the facts come from."""
    number: float | None = None
    """The claimed value in base units (1 for has, 0 for lacks), by which documents are compared."""
    says: Says = "value"
    page: int | None = None
    """Page, slide or sheet of the line."""

    @property
    def disputed(self) -> bool:
        """Whether the facts speak against it."""
        return self.verdict in {"wrong", "outdated"}

    def as_unsupported(self) -> "Finding":
        """The same claim, left open."""
        return self.model_copy(update={"verdict": "unsupported"})


class Statement(Frozen):
    """One side of a contradiction."""

    document: str
    line: int
    value: str


class Contradiction(Frozen):
    """The same thing, said with different values."""

    kind: Literal["contradiction"] = "contradiction"
    document: str
    """Where the first statement stands, so that it lists among the findings."""
    line: int
    verdict: Literal["contradiction"] = "contradiction"
    subject: str
    attribute: str
    statements: tuple[Statement, ...]
