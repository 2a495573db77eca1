"""Prices in the asker's currency."""

from decimal import Decimal

import pytest

from kb.base import UnknownName
from kb.market.rates import rate
from tools.configuration import Price


def test_a_price_in_another_currency_keeps_its_own_and_says_the_rate() -> None:
    price = Price(amount=Decimal(1000), low=Decimal(900), high=Decimal(1100), complete=True).also_in("CNY")
    assert price.amount == 1000
    assert price.asked_price is not None
    assert price.asked_price.per_usd == rate("CNY").per_usd
    assert float(price.asked_price.amount) == pytest.approx(1000 * float(rate("CNY").per_usd), rel=0.005)
    assert price.asked_price.low is not None
    assert price.asked_price.high is not None
    assert price.asked_price.low < price.asked_price.amount < price.asked_price.high


@pytest.mark.parametrize(
    "price",
    [
        pytest.param(Price(amount=None, complete=False), id="no-price"),
        pytest.param(Price(amount=Decimal(5), complete=True), id="the-same-currency"),
    ],
)
def test_nothing_is_converted_where_there_is_nothing_to_convert(price: Price) -> None:
    assert price.also_in("USD").asked_price is None


def test_an_unknown_currency_is_refused_by_name() -> None:
    with pytest.raises(UnknownName, match="currency"):
        Price(amount=Decimal(5), complete=True).also_in("XXX")
