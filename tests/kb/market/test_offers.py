"""Which of several readings of a rent stands."""

from decimal import Decimal
from typing import Any

import pytest

from kb.market.offers import bundled_offers, family, newest
from kb.records.offer import Offer


def offer(identity: str, *, provider: str = "RunPod Secure", live: bool = False, **fields: Any) -> Offer:
    held = {"instance": "pod", "gpu": "h100-sxm-80gb", "gpu_text": "H100", "gpu_count": Decimal(1), "country": "US"}
    priced = {"on_demand_usd_per_hour": Decimal(3), "as_of": "2026-11-20" if live else "2026-05-01"}
    return Offer.model_validate(
        {"id": identity, "provider": provider, "source": "x", "live": live, **held, **priced, **fields}
    )


def ids(*found: Offer) -> set[str]:
    return {one.id for one in newest(found)}


@pytest.mark.parametrize(
    "spelled",
    [
        {"region": "us-east-1"},
        {"instance": "1x H100"},
        {"provider": "RunPod Community"},
        {"provider": "RunPod", "region": "global", "instance": "gpu"},
    ],
    ids=str,
)
def test_a_fetched_reading_replaces_the_bundled_one_however_either_is_spelled(spelled: dict[str, Any]) -> None:
    assert ids(offer("old", **spelled), offer("new", live=True, region="US-TX-3")) == {"new"}


@pytest.mark.parametrize(
    "other",
    [
        {"country": "DE"},
        {"gpu_count": Decimal(8)},
        {"gpu": "h100-pcie-80gb"},
        {"provider": "Lambda"},
    ],
    ids=str,
)
def test_it_replaces_none_of_another_country_count_card_or_cloud(other: dict[str, Any]) -> None:
    assert ids(offer("old", **other), offer("new", live=True, region="US-TX-3")) == {"old", "new"}


def test_a_price_that_was_not_fetched_stays() -> None:
    old = offer("old", region="a", reserved_1y_usd_per_hour=Decimal(2))
    (kept,) = [one for one in newest((old, offer("new", live=True))) if one.id == "old"]
    assert (kept.on_demand_usd_per_hour, kept.reserved_1y_usd_per_hour) == (None, Decimal(2))


def test_without_anything_fetched_every_bundled_offer_stands() -> None:
    assert all(not one.live for one in newest(bundled_offers()))
    assert len(newest(bundled_offers())) > 400


def test_tiers_of_a_cloud_are_one_family() -> None:
    assert family("RunPod Secure") == family("RunPod Community") == family("RunPod")
    assert family("AWS") != family("Azure")
    assert family("Nobody") == "Nobody"
