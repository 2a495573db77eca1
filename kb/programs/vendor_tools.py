"""What other makers call the commands of NVIDIA that checks are written in."""

import re
from functools import lru_cache

from pydantic import ConfigDict

from kb.base import Frozen
from kb.catalog import FACTS, load_yaml
from kb.records.source import Source

WRITTEN_FOR = "NVIDIA"
"""The maker whose commands stand in the facts."""


class _Row(Frozen):
    """One command of NVIDIA, as a pattern, and what each other maker has in its place."""

    model_config = ConfigDict(extra="allow", frozen=True)
    nvidia: str

    def of(self, maker: str) -> str | None:
        """The command of that maker; null where none is known."""
        rows = self.model_extra or {}
        found = rows.get(maker, rows.get("other"))
        return str(found) if found is not None else None


@lru_cache(maxsize=1)
def _rows() -> tuple[tuple[re.Pattern[str], _Row], ...]:
    rows = load_yaml(FACTS / "observation" / "tools_of_makers.yaml")["rows"]
    return tuple((re.compile(row["nvidia"]), _Row.model_validate(row)) for row in rows)


@lru_cache(maxsize=1)
def vendor_sources() -> tuple[Source, ...]:
    """Where the commands of other makers are documented."""
    read = load_yaml(FACTS / "observation" / "tools_of_makers.yaml")["sources"]
    return tuple(Source(id=key, **row) for key, row in read.items())


@lru_cache(maxsize=4096)
def in_tools_of(maker: str | None, text: str) -> str:
    """The text with NVIDIA's commands in those of the card's maker; as it is for NVIDIA, or where no card is known."""
    if maker in (None, WRITTEN_FOR):
        return text
    for pattern, row in _rows():
        own = row.of(maker or "")
        if own is not None:
            text = pattern.sub(own, text)
    return text
