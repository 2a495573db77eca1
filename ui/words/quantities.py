"""Numbers as a person reads them."""

from decimal import Decimal
from typing import Any

from kb.units import DAY_S, HOUR_S, TB, format_bytes
from tools.configuration import AskedPrice, Price
from ui.words.labels import label

MONEY = {"usd": "USD", "cny": "CNY", "eur": "EUR"}
"""Units that are an amount of money."""
SYMBOLS = {"USD": "$", "CNY": "¥", "EUR": "€", "GBP": "£"}


RATES = {"bytes_per_s": "TB/s", "flops": "TFLOP/s", "ops": "TOP/s", "flops_per_w": "TFLOP/s/W"}
"""Units that are told in trillions."""
PER = {"gib": "GiB", "tb_per_s": "TB/s", "tflops": "TFLOPS"}
"""What an amount of money is told for one of."""
WRITTEN = {"w": "W"}


def quantity(value: Any, unit: str = "") -> str:
    """A value with its unit: bytes become GiB, seconds hours, long floats four figures."""
    if value is None:
        return "–"
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return str(value)
    number = float(value)
    if unit == "bytes":
        return f"{format_bytes(number, 2)} ({int(value):,} B)"
    if unit in RATES:
        return f"{number / TB:,.4g} {RATES[unit]}"
    if unit == "s" and number >= HOUR_S:
        days = number / DAY_S
        return f"{days:,.3g} d" if days >= 2 else f"{number / HOUR_S:,.3g} h"
    if unit in MONEY:
        return money(number, MONEY[unit])
    currency, _, one = unit.partition("_per_")
    if currency in MONEY and one in PER:
        return f"{money(number, MONEY[currency])} / {PER[one]}"
    return f"{plain(value)} {WRITTEN.get(unit, unit.replace('_', ' '))}".strip()


def plain(value: int | float | Decimal) -> str:
    """A number with separators and no noise behind the point."""
    number = float(value)
    if isinstance(value, int) or number.is_integer():
        return f"{int(value):,}"
    return f"{number:,.4g}" if -1000 < number < 1000 else f"{number:,.1f}"


def money(amount: Decimal | float, currency: str) -> str:
    """An amount with its currency; cents only where they matter."""
    symbol = SYMBOLS.get(currency)
    text = f"{amount:,.2f}" if -100 < float(amount) < 100 else f"{amount:,.0f}"
    return f"{symbol}{text}" if symbol else f"{text} {currency}"


def price(one: Price) -> str:
    """A price with its period as HTML, in the money that was asked in where that is another than it was read in."""
    told = one.asked_price or one
    if told.amount is None:
        return label("price_unknown")
    period = f'<span class="period">{label(f"per_{one.period}")}</span>' if one.period else ""
    return f'{money(told.amount, told.currency)}<span class="quiet"> {told.currency}</span>{period}'


def price_range(one: Price | AskedPrice) -> str:
    """From the lowest to the highest price that was read; nothing where one price was read."""
    if one.low is None or one.high is None or one.low == one.high:
        return ""
    return f"{money(one.low, one.currency)} – {money(one.high, one.currency)}"
