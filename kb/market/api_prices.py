"""What services ask for a million tokens of a model of the catalog: what hardware of one's own is held against."""

import csv
from decimal import Decimal
from functools import lru_cache

from kb.base import Frozen
from kb.catalog import FACTS


class ApiPrice(Frozen):
    """One provider's list price of one model."""

    model: str
    provider: str
    input: Decimal
    """Dollars a million prompt tokens that no cache holds."""
    output: Decimal
    """Dollars a million answer tokens."""
    as_of: str
    source: str


def api_prices(model: str | None) -> tuple[ApiPrice, ...]:
    """Every price of the model with this catalog id, the cheapest output first; none where no list has it."""
    return _by_model().get(model or "", ())


@lru_cache(maxsize=1)
def _by_model() -> dict[str, tuple[ApiPrice, ...]]:
    with (FACTS / "api_prices.csv").open(encoding="utf-8", newline="") as file:
        rows = [ApiPrice.model_validate(row) for row in csv.DictReader(file)]
    ordered = sorted(rows, key=lambda one: (one.output, one.input, one.provider))
    names = dict.fromkeys(one.model for one in ordered)
    return {name: tuple(one for one in ordered if one.model == name) for name in names}
