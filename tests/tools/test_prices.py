"""How old a price is."""

from datetime import date
from decimal import Decimal

import pytest

from kb.catalog import gpus
from tools.prices import age_days, card_price, is_stale, latest_day, per_unit

TODAY = date(2026, 11, 21)


@pytest.mark.parametrize(
    ("said", "day"),
    [("2026-10-24", date(2026, 10, 24)), ("2026-02", date(2026, 2, 28)), ("2024", date(2024, 12, 31))],
)
def test_a_price_date_means_its_last_day(said: str, day: date) -> None:
    assert latest_day(said) == day


def test_thirty_days_are_fresh_and_thirty_one_are_not() -> None:
    assert not is_stale("2026-10-22", TODAY)
    assert is_stale("2026-10-21", TODAY)


def test_an_undated_price_is_stale_and_has_no_age() -> None:
    assert is_stale(None, TODAY)
    assert age_days(None, TODAY) is None


def test_the_street_price_comes_before_the_list_price() -> None:
    street, listed = card_price(gpus()["rtx-5090-32gb"]), card_price(gpus()["rtx-4070-ti-super-16gb"])
    assert street is not None
    assert listed is not None
    assert (street.kind, street.amount_usd) == ("street", Decimal(4795))
    assert (listed.kind, listed.amount_usd) == ("list", Decimal(799))


def test_a_card_without_any_price_has_none() -> None:
    assert card_price(gpus()["tpu-v5e-16gb"]) is None


def test_a_price_per_nothing_is_unknown() -> None:
    assert per_unit(Decimal(100), None) is None
    assert per_unit(Decimal(100), 8) == 12.5
