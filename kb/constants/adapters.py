"""What adapters served beside a model cost in speed."""

from functools import lru_cache

from kb.base import Frozen
from kb.catalog import FACTS, load_yaml


class Ratio(Frozen):
    """A factor with the ends of the reports it comes from."""

    value: float
    low: float
    high: float


class AdapterFacts(Frozen):
    """Everything in `adapters.yaml`."""

    time_ratio: Ratio
    """Seconds a token with adapters over those without."""
    sources: dict[str, dict[str, str]]


@lru_cache(maxsize=1)
def adapter_facts() -> AdapterFacts:
    """The facts, loaded once."""
    return AdapterFacts.model_validate(load_yaml(FACTS / "adapters.yaml"))
