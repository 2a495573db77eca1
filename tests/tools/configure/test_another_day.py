"""A process that lives for long judges the age of prices by the day it is, not by the day it first looked."""

from collections.abc import Callable

from kb.catalog import gpus
from tools.configure.market.choice import UNSURE
from tools.configure.market.purchases import purchased, purchases
from tools.configure.market.rentals import rentals
from tools.find_offers import OfferQuery, find_offers

CARD = gpus()["rtx-5090-32gb"]


def test_a_card_nobody_was_read_to_sell_for_a_year_ranks_as_dearer(on_day: Callable[[str], None]) -> None:
    on_day("2026-11-21")
    (now,) = purchased(CARD, 2, country=None)
    assert now.felt == now.amount
    on_day("2029-01-01")
    (later,) = purchased(CARD, 2, country=None)
    assert later.amount == now.amount
    assert later.felt == now.felt * UNSURE


def test_a_card_no_longer_made_leaves_the_market_when_its_price_is_old(on_day: Callable[[str], None]) -> None:
    used = next(
        one for one in gpus().values()
        if one.status == "discontinued" and purchases(one, owned=0, asked=False, country=None)
    )  # fmt: skip
    on_day("2029-01-01")
    assert purchases(used, owned=0, asked=False, country=None) == ()
    assert purchases(used, owned=0, asked=True, country=None)


def test_rents_grow_old_too(on_day: Callable[[str], None]) -> None:
    on_day("2026-11-21")
    assert not all(one.stale for one in find_offers(OfferQuery(gpu="H100")).offers)
    fresh = [choice.unsure for stream in rentals(gpus()["h100-sxm-80gb"], None, None) for choice in stream.choices]
    on_day("2029-01-01")
    assert all(one.stale for one in find_offers(OfferQuery(gpu="H100")).offers)
    aged = [choice.unsure for stream in rentals(gpus()["h100-sxm-80gb"], None, None) for choice in stream.choices]
    assert not all(fresh)
    assert all(aged)
