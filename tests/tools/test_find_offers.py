"""Searching offers to rent."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.base import BadInput, UnknownName
from kb.catalog import gpus, offers, sources
from kb.market.rates import rate
from kb.units import GIB
from tools.find_offers import OfferQuery, OfferSearch, find_offers
from tools.registry import Tool

TODAY = date(2026, 11, 21)


def search(**fields: object) -> OfferSearch:
    return find_offers(OfferQuery.model_validate({"today": TODAY, "limit": 1000, **fields}))


def test_offers_come_cheapest_per_gpu_first() -> None:
    prices = [row.usd_per_gpu_hour for row in search(gpu="H100").offers]
    assert prices == sorted(prices)
    assert len(prices) > 20


def test_an_ambiguous_card_brings_all_variants_and_the_mixed_listings() -> None:
    result = search(gpu="H100")
    assert {row.gpu for row in result.offers} == {"h100-sxm-80gb", "h100-pcie-80gb", "h100-nvl-94gb", None}
    assert any("fits several cards" in said for said in result.assumptions)


def test_price_per_gpu_is_the_price_over_the_gpus() -> None:
    for row in search().offers:
        assert abs(row.usd_per_gpu_hour - row.usd_per_hour / row.gpu_count) <= Decimal("0.00005"), row.id


def test_only_the_newest_reading_is_shown() -> None:
    fields = {"gpu": "H100 SXM", "provider": "RunPod"}
    secure = [row for row in search(**fields).offers if row.provider == "RunPod Secure"]
    assert [row.as_of for row in secure] == ["2026-11-09"]
    every = [row for row in search(**fields, include_superseded=True).offers if row.provider == "RunPod Secure"]
    assert {row.as_of for row in every} == {"2026-11-09", "2026-08-19"}


def test_old_and_undated_prices_are_flagged() -> None:
    for row in search().offers:
        assert row.undated == (row.as_of is None)
        assert row.stale == (row.undated or (row.age_days or 0) > 30), row.id
    warnings = search(provider="Alibaba Cloud").warnings
    assert any("older than 30 days" in said for said in warnings)
    assert any("undated" in said for said in search(provider="OCI").warnings)


def test_today_can_be_set() -> None:
    row = find_offers(OfferQuery(provider="Lambda", today=date(2026, 9, 25))).offers[0]
    assert (row.age_days, row.stale) == (5, False)


@pytest.mark.parametrize("name", ["阿里云", "Aliyun", "Alibaba Cloud"])
def test_a_provider_is_found_in_both_languages(name: str) -> None:
    assert {row.provider for row in search(provider=name).offers} == {"Alibaba Cloud"}


def test_aws_is_not_aws_china() -> None:
    assert {row.provider for row in search(provider="AWS China").offers} == {"AWS China"}


@pytest.mark.parametrize(("name", "said"), [("腾讯云", "Tencent Cloud"), ("Voltage Park", "Voltage Park")])
def test_a_known_provider_without_prices_says_so(name: str, said: str) -> None:
    result = search(provider=name)
    assert result.offers == ()
    assert any(said in warning for warning in result.warnings)


def test_an_unknown_provider_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownName) as caught:
        search(provider="Lamda Labs")
    assert caught.value.kind == "provider"
    assert caught.value.close


def test_converted_prices_are_said_to_be_converted() -> None:
    result = search(provider="阿里云")
    assert all(row.listed_currency == "CNY" for row in result.offers)
    assert any("CNY" in said for said in result.assumptions)


def test_spot_and_reserved_are_other_prices() -> None:
    spot = search(gpu="H100 SXM", purchase="spot").offers
    assert spot
    by_id = {row.id: row for row in offers()}
    for row in spot:
        assert row.usd_per_hour == by_id[row.id].spot_usd_per_hour
    assert {row.provider for row in search(purchase="reserved").offers} == {"Hyperstack", "Qubrid"}


def test_total_memory_counts_every_gpu() -> None:
    for row in search(min_memory_bytes_total=640 * GIB).offers:
        assert row.gpu_memory_bytes_total is not None
        assert row.gpu_memory_bytes_total >= 640 * GIB
        if row.gpu:
            assert row.gpu_memory_bytes_total == int(gpus()[row.gpu].memory_bytes * row.gpu_count)


def test_size_region_and_price_filters_hold() -> None:
    for row in search(min_gpus=2, max_gpus=8, region="us", max_usd_per_gpu_hour=3).offers:
        assert 2 <= row.gpu_count <= 8
        assert "us" in (row.region or "").casefold()
        assert row.usd_per_gpu_hour <= 3


def test_sources_are_those_of_the_rows() -> None:
    result = search(gpu="L40S")
    assert {one.id for one in result.sources} == {row.source for row in result.offers}
    assert {one.id for one in result.sources} <= set(sources())


@pytest.mark.parametrize(
    ("arguments", "field"),
    [({"min_gpus": 0}, "min_gpus"), ({"max_usd_per_hour": 0}, "max_usd_per_hour"), ({"purchase": "barter"}, "purchase"),
     ({"max_usd_per_hour": float("inf")}, "max_usd_per_hour")],
)  # fmt: skip
def test_bad_input_names_the_field(arguments: dict[str, object], field: str) -> None:
    with pytest.raises(BadInput) as caught:
        Tool.of(find_offers).call(arguments)
    assert caught.value.field == field


def test_bounds_the_wrong_way_round_are_refused() -> None:
    with pytest.raises(BadInput):
        Tool.of(find_offers).call({"min_gpus": 8, "max_gpus": 4})


@settings(max_examples=25, deadline=None)
@given(st.floats(0.1, 100), st.floats(0.1, 100))
def test_a_smaller_budget_never_finds_more(low: float, high: float) -> None:
    low, high = sorted((low, high))
    fewer = {row.id for row in search(max_usd_per_hour=low).offers}
    assert fewer <= {row.id for row in search(max_usd_per_hour=high).offers}


@pytest.mark.parametrize(
    ("name", "instances"),
    [("g5.xlarge", {"g5.xlarge"}), ("p4de", {"p4de.24xlarge"}), ("P4DE.24XLARGE", {"p4de.24xlarge"}),
     ("gn7e", {"ecs.gn7e-c16g1.4xlarge", "ecs.gn7e-c16g1.8xlarge", "ecs.gn7e-c16g1.16xlarge",
               "ecs.gn7e-c16g1.32xlarge"}),
     ("ND96isr_H100_v5", {"Standard_ND96isr_H100_v5"}), ("NDv4", {"Standard_ND96asr_v4"}),
     ("NC_T4_v3", {f"Standard_NC{n}as_T4_v3" for n in (4, 8, 16, 64)}),
     ("NCasT4_v3", {f"Standard_NC{n}as_T4_v3" for n in (4, 8, 16, 64)}),
     ("ND H100 v5", {"Standard_ND96isr_H100_v5"}), ("NDm A100 v4", {"Standard_ND96amsr_A100_v4"})],
)  # fmt: skip
def test_an_instance_or_its_family_is_found(name: str, instances: set[str]) -> None:
    assert {row.instance for row in search(instance=name).offers} == instances


@pytest.mark.parametrize(
    ("name", "near"),
    [("ecs.gn7i-c8g1.4xlarge", "gn7i-c8g1"), ("g5.3xlarge", "g5."), ("p4de.48xlarge", "p4de.24xlarge"),
     ("GN10Xp.3XLARGE40", "GN10Xp."), ("gn8x", "gn8"), ("p7.48xlarge", "p5.48xlarge")],
)  # fmt: skip
def test_an_instance_that_does_not_exist_is_refused_with_the_nearest(name: str, near: str) -> None:
    with pytest.raises(UnknownName) as caught:
        search(instance=name)
    assert caught.value.kind == "instance"
    assert any(near in one for one in caught.value.close), caught.value.close


def test_a_country_is_where_the_machine_stands() -> None:
    rows = search(country="cn").offers
    assert {row.country for row in rows} == {"CN"}
    assert {"AWS China", "Alibaba Cloud", "AutoDL"} <= {row.provider for row in rows}


def test_links_are_those_of_the_cards() -> None:
    nvlink, pcie = search(interconnect="nvlink").offers, search(interconnect="pcie").offers
    assert nvlink
    assert pcie
    assert all(row.gpu_count > 1 for row in (*nvlink, *pcie))
    assert {"p5.48xlarge", "p4d.24xlarge"} <= {row.instance for row in nvlink}
    assert {"g6e.48xlarge", "Standard_NC96ads_A100_v4"} <= {row.instance for row in pcie}


def test_a_network_is_at_least_what_is_asked() -> None:
    rows = search(min_network_bits_per_s=3_200_000_000_000, gpu="H100").offers
    assert {"AWS", "Azure", "OCI"} <= {row.provider for row in rows}
    assert all((row.network_bits_per_s or 0) >= 3_200_000_000_000 for row in rows)


def test_when_nothing_matches_the_nearest_is_named_with_what_shuts_it_out() -> None:
    result = search(gpu="H100 SXM", min_gpus=8, max_usd_per_hour=5, country="US")
    assert result.offers == ()
    assert "max_usd_per_hour" in {one.without for one in result.nearest}
    for one in result.nearest:
        assert one.total >= 1
        assert one.without in result.warnings[0]
    cheapest = next(one.offer for one in result.nearest if one.without == "max_usd_per_hour")
    assert cheapest.usd_per_hour == min(
        row.usd_per_hour for row in search(gpu="H100 SXM", min_gpus=8, country="US", sort="usd_per_hour").offers
    )


def test_a_price_asked_in_yuan_is_converted_at_the_dated_rate() -> None:
    yuan = rate("CNY")
    in_yuan = search(gpu="4090", max_per_hour=float(yuan.per_usd), currency="人民币")
    in_dollars = search(gpu="4090", max_usd_per_hour=1)
    assert {row.id for row in in_yuan.offers} == {row.id for row in in_dollars.offers} != set()
    assert any(str(yuan.per_usd) in said and (yuan.as_of or "") in said for said in in_yuan.assumptions)
    for row in in_yuan.offers:
        assert float(row.per_hour) == pytest.approx(float(row.usd_per_hour * yuan.per_usd), abs=1e-3)


def test_what_is_listed_in_euros_keeps_its_listed_price() -> None:
    row = next(row for row in search(provider="Scaleway", instance="H100-1-80G").offers if row.as_of)
    assert (row.listed_currency, row.listed_per_hour) == ("EUR", Decimal("2.87"))
    assert float(row.usd_per_hour) == pytest.approx(2.87 / float(rate("EUR").per_usd), abs=1e-3)


@pytest.mark.parametrize("sort", ["usd_per_gpu_hour", "usd_per_hour"])
def test_offers_come_in_the_order_asked(sort: str) -> None:
    figures = [getattr(row, sort) for row in search(sort=sort).offers]
    assert figures == sorted(figures)


def test_an_instance_nobody_read_a_price_of_is_said_to_exist_without_one() -> None:
    result = search(instance="GN10Xp")
    assert result.offers == ()
    assert "GN10Xp.2XLARGE40" in result.warnings[0]
    assert "No price" in result.warnings[0]


def test_an_instance_without_a_price_is_told_by_its_shape() -> None:
    result = find_offers(OfferQuery(instance="p2.xlarge"))
    assert result.total == 0
    (shape,) = result.unpriced
    assert (shape.provider, shape.vcpus, float(shape.gpu_count)) == ("AWS", 4, 1)
    assert any("p2.xlarge" in said for said in result.warnings)


def test_a_bound_on_the_price_leaves_out_what_has_none() -> None:
    assert find_offers(OfferQuery(gpu="P40")).unpriced
    assert not find_offers(OfferQuery(gpu="P40", max_usd_per_hour=100)).unpriced


def test_a_union_is_any_of_its_countries() -> None:
    found = find_offers(OfferQuery(gpu="h100", country="EU", limit=100)).offers
    places = {one.country for one in found}
    assert {"FI"} <= places
    assert "US" not in places
    assert any(one.country is None and "EU" in (one.region or "") for one in found)
    assert len(found) > len(find_offers(OfferQuery(gpu="h100", country="FI", limit=100)).offers)
