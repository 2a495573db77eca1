"""What sources say of a card that the catalog does not follow, and why."""

from functools import lru_cache

from kb.base import Frozen
from kb.catalog import FACTS, load_yaml, quantity


class Disagreement(Frozen):
    """One figure of one source that was set aside."""

    gpu: str
    """Catalog id."""
    field: str
    """Field of the card."""
    said: float
    """What the source says, in the field's unit."""
    source: str
    """Source id."""
    because: str
    """Why the catalog holds another value: a clause about the value used."""


@lru_cache(maxsize=1)
def disagreements() -> tuple[Disagreement, ...]:
    """Every figure that was read and set aside."""
    rows = load_yaml(FACTS / "disagreements.yaml")
    return tuple(
        Disagreement.model_validate({**row, "said": float(quantity(row["field"], row["said"]))}) for row in rows
    )
