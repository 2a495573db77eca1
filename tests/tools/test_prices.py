"""How old a price is."""

import re
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import kb
from kb.catalog import gpus
from kb.records.gpu import Gpu
from tools.configure.bills.bill import card_lines
from tools.cost import estimate_cost
from tools.cost.request import CostRequest
from tools.gpu_row import row
from tools.named import read_card
from tools.prices import age_days, card_price, is_stale, latest_day, per_unit, price_band

TODAY = date(2026, 11, 21)


@pytest.mark.parametrize(
    ("said", "day"),
    [("2026-10-24", date(2026, 10, 24)), ("2026-02", date(2026, 2, 28)), ("2024", date(2024, 1, 1))],
)
def test_a_price_date_means_its_last_day_and_a_bare_year_its_first(said: str, day: date) -> None:
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


@pytest.mark.parametrize("month", ["2026-01", "2026-06", "2026-11"])
def test_a_price_dated_by_a_bare_year_is_never_fresher_than_one_of_that_year(month: str) -> None:
    assert age_days("2026", TODAY) >= age_days(month, TODAY)  # type: ignore[operator]
    assert is_stale("2026", TODAY)


def test_an_old_second_hand_price_is_no_lower_than_a_newer_one_of_a_lesser_card(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lesser = gpus()["rtx-3090-24gb"].model_copy(update={"price_low_usd": Decimal(900), "price_as_of": "2026-09"})
    better = gpus()["rtx-3090-ti-24gb"].model_copy(update={"price_low_usd": Decimal(700), "price_as_of": "2026-05"})
    monkeypatch.setattr("tools.prices.gpus", lambda: {one.id: one for one in (lesser, better)})
    raised, own = card_price(better), card_price(lesser)
    assert raised is not None
    assert own is not None
    assert (raised.amount_usd, raised.as_of, raised.read_of) == (Decimal(900), "2026-09", lesser.id)
    assert (own.amount_usd, own.read_of) == (Decimal(900), None)
    later = better.model_copy(update={"price_as_of": "2026-10"})
    assert card_price(later).amount_usd == Decimal(700)  # type: ignore[union-attr]


@pytest.mark.parametrize("gpu", [gpu for gpu in gpus().values() if price_band(gpu)], ids=lambda gpu: gpu.id)
def test_every_tool_prices_a_card_alike(gpu: Gpu) -> None:
    low, high = price_band(gpu) or (Decimal(0), Decimal(0))
    one = row(gpu)
    assert one.price is not None
    assert (one.price.amount_usd, one.price_high_usd or high) == (low, high)
    for line in card_lines(gpu, 2):
        assert (line.low, line.high) == (2 * low, 2 * high)
        assert line.unit_price == pytest.approx((low + high) / 2, abs=Decimal("0.01"))
    if gpu.tdp_w:
        own = estimate_cost(CostRequest(gpu=gpu.id, gpu_count=1, buys="cards", acquisition="buy")).own
        assert own is not None
        assert (own.purchase_cost.low, own.purchase_cost.high) == pytest.approx((float(low), float(high)))


SOLD = re.compile(
    r"(?P<card>RTX [A-Z0-9 ]*\d{4}|[A-Z]\d{2,3}S?)[^。.]*?(?:sold at|市价是) "
    r"(?P<low>[\d,]+)–(?P<high>[\d,]+) (?:USD|美元)"
)


def told_prices() -> list[Any]:
    """Street prices of cards that the bundled guidance tells."""
    files = sorted((Path(kb.__file__).parent / "guidance").rglob("*.md"))
    return [
        pytest.param(found["card"], found["low"], found["high"], id=f"{path.parent.name}/{path.stem}-{found['card']}")
        for path in files for found in SOLD.finditer(path.read_text(encoding="utf-8"))
    ]  # fmt: skip


@pytest.mark.parametrize(("card", "low", "high"), told_prices())
def test_the_guidance_tells_the_street_price_that_the_tools_reckon_with(card: str, low: str, high: str) -> None:
    gpu, _ = read_card(card)
    assert price_band(gpu) == tuple(Decimal(one.replace(",", "")) for one in (low, high))


def test_the_guidance_tells_some() -> None:
    assert len(told_prices()) >= 4
