"""Export control: what the rules say of cards whose status is known."""

import pytest

from kb.catalog import gpus, sources
from kb.market.exports import export_rules, processing_performance, restriction, rules_held


@pytest.mark.parametrize(
    ("gpu", "effect"),
    [
        pytest.param("a100-sxm-80gb", "barred", id="a100"),
        pytest.param("a800-sxm-80gb", "barred", id="a800-since-2023"),
        pytest.param("h100-sxm-80gb", "barred", id="h100"),
        pytest.param("h800-sxm-80gb", "barred", id="h800"),
        pytest.param("b200-sxm-180gb", "barred", id="b200"),
        pytest.param("l40s-48gb", "barred", id="l40s"),
        pytest.param("rtx-4090-24gb", "barred", id="4090"),
        pytest.param("rtx-5090-32gb", "barred", id="5090"),
        pytest.param("rtx-6000-ada-48gb", "barred", id="6000-ada"),
        pytest.param("h20-96gb", "licence", id="h20"),
        pytest.param("h200-sxm-141gb", "case_by_case", id="h200"),
        pytest.param("l20-48gb", None, id="l20"),
        pytest.param("rtx-4090-d-24gb", None, id="4090-d"),
        pytest.param("rtx-5880-ada-48gb", None, id="5880-ada"),
        pytest.param("rtx-5080-16gb", None, id="5080"),
        pytest.param("rtx-3090-24gb", None, id="3090"),
        pytest.param("ascend-910b3-64gb", None, id="ascend"),
    ],
)
def test_china(gpu: str, effect: str | None) -> None:
    rule = restriction(gpu, "CN")
    assert (rule.effect if rule else None) == effect


@pytest.mark.parametrize("country", [None, "US", "DE", "SG"])
def test_elsewhere_nothing_is_barred(country: str | None) -> None:
    assert all(restriction(gpu, country) is None for gpu in gpus())


def test_processing_performance_of_an_a100_is_312_tops_at_16_bits() -> None:
    assert processing_performance(gpus()["a100-sxm-80gb"]) == pytest.approx(4992)


def test_every_rule_names_sources_that_exist() -> None:
    for rule in export_rules():
        assert rule.sources
        assert set(rule.sources) <= set(sources())


@pytest.mark.parametrize("country", ["SA", "AE", "VN"])
@pytest.mark.parametrize(
    ("gpu", "effect"), [("h100-sxm-80gb", "licence"), ("b200-sxm-180gb", "licence"), ("t4-16gb", None)]
)
def test_what_the_notice_of_2023_names_beside_china_takes_a_licence(country: str, gpu: str, effect: str | None) -> None:
    rule = restriction(gpu, country)
    assert (rule.effect if rule else None) == effect


def test_a_country_without_a_rule_is_told_apart_from_an_open_one() -> None:
    """What nobody read a rule of is not free: every country of a rule is held, and no other."""
    named = {country for rule in export_rules() for country in rule.countries}
    assert all(map(rules_held, named))
    assert not any(map(rules_held, ("KZ", "US", "DE", "IN", "BR", "XX")))


def test_an_edition_made_for_a_barred_market_stays_below_the_limit_it_was_made_for() -> None:
    """A card cut down for China does not carry the rates of the one it was cut from; those barred by name are older."""
    rule = next(one for one in export_rules() if one.rule == "eccn-3a090")
    made = [one for one in gpus().values() if one.status == "export_variant" and one.vendor in rule.vendors]
    cut = [one for one in made if not any(one.id.startswith(name) for name in rule.named)]
    assert len(cut) >= 8
    assert {one.id: processing_performance(one) for one in cut if processing_performance(one) >= 4800} == {}
