"""Where a fact comes from."""

from kb.base import Frozen


class Source(Frozen):
    """A place one can look a fact up in."""

    id: str
    """Stable id, e.g. `nvidia-h200-datasheet`."""
    title: str
    """Title a reader would recognise."""
    url: str | None = None
    """Address, when there is one."""
    date: str | None = None
    """ISO date (or year, year-month) of the source or of its reading; null when undated."""
