"""The coverage that `make check-facts` prints is counted right, and a breach fails it."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from kb.catalog import gpus
from kb.market.components import components

SCRIPT = Path(__file__).parents[1] / "bench" / "check_facts.py"


@pytest.fixture(scope="module")
def check_facts() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_facts", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_readings_are_counted_without_derivations(check_facts: ModuleType) -> None:
    card = gpus()["h100-sxm-80gb"]
    sourced = [
        card.model_copy(update={"sources": {"a": ("tdp_w",), "b": ("tdp_w",)}}),
        card.model_copy(update={"sources": {"a": ("tdp_w",), "same-chip": ("tdp_w",)}}),
        card.model_copy(update={"sources": {"a": ("year",)}}),
        card.model_copy(update={"tdp_w": None, "sources": {}}),
    ]
    assert check_facts.coverage(sourced, "tdp_w") == (3, 1, 1, 1)


def test_the_report_counts_every_field(check_facts: ModuleType) -> None:
    report = check_facts.report()
    assert all(f"\n{field} " in report for field in check_facts.FIELDS)
    assert f"{len(gpus())} GPUs" in report


def test_servers_parts_and_offers_are_counted_too(check_facts: ModuleType) -> None:
    report = check_facts.report()
    for name in (*check_facts.SERVER_FIELDS, *check_facts.PART_FIELDS, *check_facts.OFFER_FIELDS):
        assert f"\n{name} " in report, name
    row = components()["cpu-epyc-9654"]
    sourced = [
        row.model_copy(update={"sources": {"a": ("cores",), "b": ("cores",)}}),
        row.model_copy(update={"sources": {"a": ("memory_channels",)}}),
        row.model_copy(update={"cores": None, "sources": {}}),
    ]
    assert check_facts.sourced(sourced, "cores") == (2, 0, 1, 1)


def test_the_figures_people_ask_for_most_have_two_readings(check_facts: ModuleType) -> None:
    cards = tuple(gpus().values())
    for field, least in {"memory_bytes": 0.5, "bandwidth_bytes_per_s": 0.3, "tdp_w": 0.3}.items():
        stated, _, twice, _ = check_facts.coverage(cards, field)
        assert twice >= least * stated, field


@pytest.mark.parametrize(("code", "exit_code"), [(0, 0), (1, 1), (2, 1)])
def test_a_breach_fails_the_command(
    check_facts: ModuleType, monkeypatch: pytest.MonkeyPatch, code: int, exit_code: int
) -> None:
    monkeypatch.setattr(check_facts.pytest, "main", lambda arguments: code)
    assert check_facts.main() == exit_code
