"""The rules of software compatibility: well formed, sourced, and decided by the first that holds."""

import re

import pytest

from kb.catalog import gpus, sources
from kb.programs.engines import programs
from kb.programs.software import Feature, Rule, compute_capability, features, generation, software, version
from kb.records.gpu import Gpu


def test_versions_compare_as_versions() -> None:
    assert version("525.60.13") > version("525.9")
    assert version("12.10") > version("12.9")


def test_every_rule_cites_known_sources_and_reads_real_fields() -> None:
    for feature in features().values():
        for rule in feature.rules:
            assert set(rule.sources) <= set(sources()), feature.id
            assert {rule.has, rule.lacks} - {None} <= set(Gpu.model_fields), feature.id
            assert set(rule.gpu) <= set(gpus()), feature.id
            own = {one.id.lower() for one in programs().values() if one.own_workings}
            assert set(rule.engine) <= {*features(), *own}, feature.id
            assert rule.reason
            assert not rule.reason.endswith(".")


def test_whatever_does_not_work_or_needs_something_says_what_to_do_instead() -> None:
    terminal = {"rocm", "nvlink", "marlin", "tensorrt-llm"}
    for feature in features().values():
        for rule in feature.rules:
            if rule.verdict == "works_with" and feature.id not in terminal:
                assert rule.instead, (feature.id, rule.reason)


def test_vendors_and_architectures_in_rules_exist() -> None:
    vendors = {card.vendor for card in gpus().values()}
    architectures = {card.architecture for card in gpus().values()}
    for feature in features().values():
        for rule in feature.rules:
            assert set(rule.vendor) <= vendors, (feature.id, rule.vendor)
            for name in rule.architecture:
                assert any(known.startswith(name) for known in architectures), (feature.id, name)


def test_every_nvidia_card_with_a_compute_capability_has_a_generation() -> None:
    for card in gpus().values():
        assert (generation(card) is not None) == (compute_capability(card) is not None), card.id


@pytest.mark.parametrize(
    ("key", "name"),
    [("v100-sxm2-32gb", "Maxwell, Pascal and Volta"), ("t4-16gb", "Turing"), ("rtx-4090-24gb", "Ada Lovelace"),
     ("rtx-5090-32gb", "Blackwell (RTX)"), ("k80-24gb", "Kepler")],
)  # fmt: skip
def test_a_card_belongs_to_the_generation_of_its_compute_capability(key: str, name: str) -> None:
    found = generation(gpus()[key])
    assert found is not None
    assert found.name == name


def test_a_cuda_condition_never_holds_for_another_maker() -> None:
    rule = Rule.model_validate({"at_least": "5.0", "verdict": "works", "reason": "x"})
    assert not rule.holds(gpus()["mi300x-192gb"], None)


def test_generations_and_toolkits_run_from_new_to_old() -> None:
    ages = [one.at_least for one in software().generations]
    assert ages == sorted(ages, reverse=True)
    majors = [one.major for one in software().toolkits]
    assert majors == sorted(majors, reverse=True)


@pytest.mark.parametrize("feature", features().values(), ids=lambda one: one.id)
def test_every_rule_is_said_in_chinese_too(feature: Feature) -> None:
    for rule in feature.rules:
        assert re.search("[一-鿿]", rule.reason_zh)
        assert bool(rule.instead) == bool(rule.instead_zh)
