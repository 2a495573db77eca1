"""What something cost when somebody looked, or a band for it where nobody did."""

from decimal import Decimal
from typing import Any, Literal, Self, TypeVar

from pydantic import Field, model_validator

from kb.base import Frozen, Money

Basis = Literal["list", "street", "contract", "award", "estimate"]


class PriceReading(Frozen):
    """One price of one thing; a single figure has `low` equal to `high`."""

    low: Money = Field(gt=0)
    high: Money = Field(gt=0)
    currency: str = "USD"
    """ISO 4217 code."""
    basis: Basis
    """list: the vendor's; street: a shop's; contract: negotiated; award: public tender; estimate: a band, no quote."""
    observed_on: str | None
    """When it was read or estimated (ISO date, month or year); null = undated."""
    source: str
    """Source id."""
    note: str = ""
    """What is in the price and what is not, where that is not plain."""

    @model_validator(mode="before")
    @classmethod
    def _spread(cls, data: Any) -> Any:
        if isinstance(data, dict) and "amount" in data:
            rest = {key: value for key, value in data.items() if key != "amount"}
            return {**rest, "low": data["amount"], "high": data["amount"]}
        return data

    @model_validator(mode="after")
    def _order(self) -> Self:
        if self.low > self.high:
            raise ValueError("low must not exceed high")
        return self

    @property
    def amount(self) -> Decimal:
        """The middle of the band: what to budget."""
        return (self.low + self.high) / 2

    @property
    def quoted(self) -> bool:
        """Whether somebody asked or paid it, rather than it being a band by judgement."""
        return self.basis != "estimate"


Reading = TypeVar("Reading", bound=PriceReading)


def newest(readings: tuple[Reading, ...]) -> Reading | None:
    """The reading to use: the latest, and of one day the quoted one before the estimate; undated ones come last."""
    return max(readings, key=lambda one: (one.observed_on or "", one.quoted), default=None)
