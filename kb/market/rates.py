"""Exchange rates: a small dated table, so that a budget in yuan meets prices in dollars."""

from decimal import Decimal
from functools import lru_cache

from pydantic import Field

from kb.base import Frozen, UnknownName
from kb.catalog import FACTS, load_yaml

_CENT = Decimal("0.01")
_DIGITS = Decimal("0.0000000001")


class Rate(Frozen):
    """What one US dollar costs in a currency."""

    currency: str
    """ISO 4217 code."""
    per_usd: Decimal = Field(gt=0)
    """Units of the currency for one dollar."""
    as_of: str | None
    """When the rate was read or assumed (ISO date, month or year)."""
    source: str
    """Source id."""
    aliases: tuple[str, ...] = ()
    """How people write the currency, both languages."""


@lru_cache(maxsize=1)
def rates() -> dict[str, Rate]:
    """Every rate by currency code."""
    rows = load_yaml(FACTS / "rates.yaml")
    return {row["currency"]: Rate.model_validate(row) for row in rows}


def rate(currency: str) -> Rate:
    """The rate of a currency given by its code, sign or name ("CNY", "￥", "人民币").

    Raises:
        UnknownName: with the codes that are known.
    """
    wanted = currency.strip().casefold()
    for row in rates().values():
        if wanted in (row.currency.casefold(), *(alias.casefold() for alias in row.aliases)):
            return row
    from kb.naming.names import close_names

    raise UnknownName("currency", currency, close_names(currency, list(rates())) or list(rates())[:3])


def convert(amount: Decimal | float, currency: str, to: str) -> Decimal:
    """`amount` of one currency in another, through the dollar."""
    return (Decimal(str(amount)) / rate(currency).per_usd * rate(to).per_usd).quantize(_DIGITS).normalize()


def usd(amount: Decimal | float, currency: str) -> Decimal:
    """`amount` of `currency` in US dollars."""
    return convert(amount, currency, "USD")


def in_money(amount: Decimal) -> Decimal:
    """An amount rounded to cents, as a bill shows it."""
    return amount.quantize(_CENT)
