"""Facts about power, tariffs and ownership: sourced, dated, in order."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.catalog import gpus
from kb.machines.power import power_facts
from kb.market.rates import rate
from kb.market.tariffs import WORLD, residual, tariff, tariff_facts


def cited(value: Any) -> Iterator[str]:
    """Every source id in a tree of facts."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key.endswith("source") and isinstance(inner, str):
                yield inner
            elif key == "sources" and isinstance(inner, list | tuple):
                yield from inner
            elif key != "sources":
                yield from cited(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from cited(inner)


@pytest.mark.parametrize("facts", [power_facts(), tariff_facts()], ids=["power", "tariffs"])
def test_every_cited_source_is_known_and_every_known_one_cited(facts: Any) -> None:
    named = set(cited(facts.model_dump()))
    assert len(named) > 5
    assert named == set(facts.sources)


@pytest.mark.parametrize("facts", [power_facts(), tariff_facts()], ids=["power", "tariffs"])
def test_every_source_is_dated(facts: Any) -> None:
    assert all(source.date for source in facts.sources.values())


def test_every_tariff_and_place_has_a_currency_with_a_rate() -> None:
    for row in (*tariff_facts().tariffs, *tariff_facts().colocation):
        assert rate(row.currency).currency == row.currency


@pytest.mark.parametrize(
    ("country", "customer", "row"),
    [
        pytest.param("CN", "residential", "CN", id="own-row"),
        pytest.param("FR", "residential", "EU", id="member-of-a-union"),
        pytest.param("DE", "residential", "DE", id="own-row-before-the-union"),
        pytest.param("DE", "business", "EU", id="union-where-the-own-row-is-another-customer"),
        pytest.param("SG", "business", WORLD, id="unknown-country"),
        pytest.param(None, "business", WORLD, id="no-country"),
    ],
)
def test_a_country_takes_the_nearest_row(country: str | None, customer: Any, row: str) -> None:
    assert tariff(country, customer).country == row


def test_cards_with_measured_limits_are_in_the_catalog() -> None:
    for row in power_facts().power_limits:
        assert 0 < row.limit_w <= (gpus()[row.gpu].tdp_w or 0)


@given(st.floats(0.1, 20), st.floats(0.1, 20))
def test_older_hardware_is_never_worth_more(one: float, other: float) -> None:
    younger, older = residual(min(one, other)), residual(max(one, other))
    assert older.value <= younger.value + 1e-9
    assert older.low <= younger.low + 1e-9


def test_residuals_lie_straight_between_the_years_read() -> None:
    assert residual(1).value == pytest.approx(0.65)
    assert residual(2.5).value == pytest.approx((0.45 + 0.30) / 2)
