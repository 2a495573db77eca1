"""What published checkpoints of a weight format leave at 16 bits."""

from functools import lru_cache

from kb.base import Frozen
from kb.catalog import FACTS, load_yaml
from kb.records.source import Source


class WideMixers(Frozen):
    """Formats of which mixtures with linear attention are published with their experts alone in four bits."""

    formats: tuple[str, ...]
    sources: tuple[str, ...]
    """Ids of what says so."""


class Checkpoints(Frozen):
    """The facts of checkpoints.yaml."""

    wide_mixers: WideMixers
    sources: dict[str, dict[str, str]]

    def cited(self) -> tuple[Source, ...]:
        """What vouches for them."""
        return tuple(Source.model_validate({"id": key, **self.sources[key]}) for key in self.wide_mixers.sources)


@lru_cache(maxsize=1)
def checkpoints() -> Checkpoints:
    """The facts, loaded once."""
    return Checkpoints.model_validate(load_yaml(FACTS / "checkpoints.yaml"))
