"""Families of host processors by name, with the memory channels of a socket and how fast its modules are."""

import re
from functools import cached_property, lru_cache

from kb.base import Frozen
from kb.catalog import FACTS, load_yaml
from kb.market.components import components


class ProcessorFamily(Frozen):
    """What all processors of a family have in common."""

    family: str
    pattern: str
    """How people write its members."""
    memory_type: str
    memory_channels: int
    """Of one socket."""
    transfers_per_s: int | None = None
    """Of the fastest modules it takes; null = not known."""

    @cached_property
    def named(self) -> re.Pattern[str]:
        """The pattern, ready to search."""
        return re.compile(self.pattern, re.I)


@lru_cache(maxsize=1)
def processor_families() -> tuple[ProcessorFamily, ...]:
    """Every family, the newest first; those with a member in the catalog have its figures."""
    return tuple(_family(row) for row in load_yaml(FACTS / "processor_families.yaml"))


def _family(row: dict[str, object]) -> ProcessorFamily:
    fields = {name: value for name, value in row.items() if name not in {"like", "sources"}}
    if "like" in row:
        part = components()[str(row["like"])]
        fields |= {name: getattr(part, name) for name in ("memory_type", "memory_channels", "transfers_per_s")}
    return ProcessorFamily.model_validate(fields)


def family_in(text: str) -> ProcessorFamily | None:
    """The first family a text names."""
    return next((one for one in processor_families() if one.named.search(text)), None)
