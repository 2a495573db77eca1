"""What was found wrong with a set-up."""

from typing import Literal

from kb.base import Frozen
from tools.base import ToolResult

Verdict = Literal["stops", "runs_wrong", "wasteful", "clean", "not_a_setup"]
"""The worst of the findings; clean: no rule fired; not_a_setup: nothing was read as one."""


class Words(Frozen):
    """A sentence in both languages."""

    en: str
    zh: str


class Finding(Frozen):
    """One thing that is wrong."""

    rule: str
    severity: Literal["stops", "wrong", "waste"]
    """stops: it does not start, or dies at once; wrong: it does other than meant, or fails later; waste: it costs
    memory, time or money for nothing."""
    program: str
    line: int
    """Of the text, from 1."""
    quote: str
    """What stands there, secrets hidden."""
    why: Words
    fix: Words
    corrected: bool = False
    """Whether `corrected_text` has the fix."""
    since: str | None = None
    """First release with this behaviour; null = all in use."""
    source: str
    """Source id."""


class Program(Frozen):
    """A program that the set-up starts, and what was read of it."""

    program: str
    line: int
    model: str | None = None
    """Catalog id, where it is known."""
    cards: str | None = None
    """Cards it was checked on."""
    settings: dict[str, str | int | float | bool | None]
    """By the program's own names."""


class SetupCheck(ToolResult):
    """Whether a set-up would run, and what is wrong with it."""

    verdict: Verdict
    would_run: bool
    """Whether no finding stops it."""
    summary: Words
    findings: tuple[Finding, ...]
    """The worst first, then by line."""
    programs: tuple[Program, ...]
    corrected_text: str | None = None
    """The text with every fix that can be written without a person's choice, secrets hidden; null = nothing to change.
    """
    remaining: tuple[str, ...] = ()
    """Rules that still fire on the corrected text: they need a person."""
    rules_checked: int
    """Rules that look at these programs."""
