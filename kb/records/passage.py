"""A passage of an ingested document, with where it stands."""

from kb.base import Frozen


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
    language: str
    """zh, en …"""
    date: str | None = None
    trust: str = "user"
    """`bundled` for the advisor's own guidance, `user` for what a person ingested."""
    disputes: tuple[str, ...] = ()
    """What the claim check found wrong or outdated in these lines, one sentence each, with the right value."""
