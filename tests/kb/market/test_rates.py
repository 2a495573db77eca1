"""Currencies: dated, convertible, known by sign and name."""

from decimal import Decimal

import pytest

from kb.base import UnknownName
from kb.catalog import sources
from kb.market.rates import convert, in_money, rate, rates, usd


def test_yuan_become_dollars_at_the_stated_rate() -> None:
    assert in_money(usd(rate("CNY").per_usd * 10_000, "CNY")) == Decimal("10000.00")


@pytest.mark.parametrize(
    ("code", "low", "high"),
    [
        ("CNY", "6.5", "7.4"),
        ("EUR", "0.8", "1.0"),
        ("GBP", "0.7", "0.85"),
        ("JPY", "140", "165"),
        ("HKD", "7.75", "7.85"),
    ],
)
def test_the_main_rates_are_of_this_year_and_in_their_range(code: str, low: str, high: str) -> None:
    found = rate(code)
    assert (found.as_of or "") >= "2026", code
    assert Decimal(low) <= found.per_usd <= Decimal(high)


@pytest.mark.parametrize("name", ["CNY", "cny", "人民币", "¥", "RMB", "元", "￥"])
def test_a_currency_is_known_by_code_sign_and_name(name: str) -> None:
    assert rate(name).currency == "CNY"


def test_there_and_back_is_the_same_amount() -> None:
    for code in rates():
        assert convert(convert(1000, "USD", code), code, "USD") == pytest.approx(Decimal(1000), rel=Decimal("1e-6"))


def test_a_dollar_is_a_dollar() -> None:
    assert usd(Decimal("12.34"), "USD") == Decimal("12.34")


def test_every_rate_is_dated_and_sourced() -> None:
    for row in rates().values():
        assert row.source in sources()
        assert row.as_of or row.currency == "USD"


def test_an_unknown_currency_is_refused() -> None:
    with pytest.raises(UnknownName):
        usd(1, "XAU")
