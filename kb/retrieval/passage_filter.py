"""Which passages a search may return: by language, date, document and trust."""

from fnmatch import fnmatchcase
from typing import Literal

from pydantic import Field, model_validator

from kb.base import Frozen


class PassageFilter(Frozen):
    """Conditions that a passage must meet, all of them; an empty one is no condition."""

    languages: tuple[Literal["zh", "en"], ...] = ()
    """Languages the passage may be in."""
    since: str | None = Field(default=None, pattern=r"^\d{4}(-\d{2}(-\d{2})?)?$")
    """Earliest date of the document, YYYY, YYYY-MM or YYYY-MM-DD; a document without a date is left out."""
    until: str | None = Field(default=None, pattern=r"^\d{4}(-\d{2}(-\d{2})?)?$")
    """Latest date of the document, to the precision given."""
    sources: tuple[str, ...] = ()
    """Names of documents as citations give them, or patterns: `guidance/*`, `*.pdf`."""
    trusts: tuple[Literal["bundled", "user"], ...] = ()
    """Where documents may come from: `bundled` with the program, `user` for those that were ingested."""

    @model_validator(mode="after")
    def _in_order(self) -> "PassageFilter":
        if self.since and self.until and self.since > self.until + "-99":
            raise ValueError(f"since ({self.since}) must not be later than until ({self.until}).")
        return self

    def conditions(self) -> "PassageFilter":
        """The conditions alone, of a request that has more."""
        return PassageFilter(**{name: getattr(self, name) for name in PassageFilter.model_fields})

    @property
    def is_open(self) -> bool:
        """Whether every passage meets it."""
        return self == PassageFilter()

    def speaks(self, language: str) -> bool:
        """Whether a passage in this language may be returned."""
        return not self.languages or language in self.languages

    def allows(self, name: str, date: str | None, trust: str) -> bool:
        """Whether a document of this name, date and trust may supply passages."""
        if (self.since or self.until) and date is None:
            return False
        if self.since and date and date < self.since[: len(date)]:
            return False
        if self.until and date and date[: len(self.until)] > self.until:
            return False
        if self.trusts and trust not in self.trusts:
            return False
        return not self.sources or any(fnmatchcase(name, pattern) for pattern in self.sources)
