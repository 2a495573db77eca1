"""The sources behind the prices that are shown."""

from collections.abc import Iterable

from kb.catalog import sources
from kb.records.source import Source
from tools.configuration import Configuration


def cited(shown: Iterable[Configuration]) -> tuple[Source, ...]:
    """Each source once, in the order the bills name them."""
    names = dict.fromkeys(item.source for configuration in shown for item in configuration.items if item.source)
    known = sources()
    return tuple(known[name] for name in names if name in known)
