"""What asks for a second look is found, and what is right is left alone."""

from decimal import Decimal

from kb.catalog import gpus
from kb.market.offers import bundled_offers
from kb.models import models
from kb.records.gpu import Gpu
from kb.upkeep.fact_checks import findings, lone_prices, out_of_family, read_once, shapes

GEFORCE = [gpus()[key] for key in ("rtx-5090-32gb", "rtx-5080-16gb", "rtx-5070-ti-16gb", "rtx-5070-12gb")]


def sparse(card: Gpu) -> Gpu:
    return card.model_copy(update={"id": "new", "fp8_flops": 2 * (card.fp8_flops or 0)})


def test_a_sparse_headline_is_twice_its_family() -> None:
    assert not list(out_of_family(GEFORCE))
    found = list(out_of_family([*GEFORCE, sparse(GEFORCE[1])]))
    assert [(one.row, "fp8_flops" in one.said) for one in found] == [("new", True)]


def test_an_export_variant_is_no_mistake() -> None:
    odd = sparse(GEFORCE[1]).model_copy(update={"status": "export_variant"})
    assert not list(out_of_family([*GEFORCE, odd]))


def test_a_derivation_is_no_second_reading() -> None:
    card = GEFORCE[0].model_copy(update={"tdp_w": 575, "sources": {"a": ("tdp_w",), "same-chip": ("tdp_w",)}})
    assert "tdp_w" in next(read_once([card])).said


def test_a_size_that_its_shape_does_not_count_is_told_unless_a_note_explains() -> None:
    row = models()["Qwen/Qwen3-8B"].model_copy(update={"params": 9_000_000_000, "notes": ""})
    assert [one.row for one in shapes([row])] == ["Qwen/Qwen3-8B"]
    assert not list(shapes([row.model_copy(update={"notes": "with a tower"})]))


def test_a_rent_far_from_all_others_is_told() -> None:
    held = [one for one in bundled_offers() if one.gpu == "h100-sxm-80gb" and one.on_demand_usd_per_hour][:4]
    usual = [one.model_copy(update={"on_demand_usd_per_hour": Decimal(3), "gpu_count": Decimal(1)}) for one in held]
    lone = usual[0].model_copy(update={"id": "lone", "on_demand_usd_per_hour": Decimal(30)})
    assert [one.row for one in lone_prices([*usual, lone])] == ["lone"]


def test_few_rates_of_the_catalog_are_out_of_their_family() -> None:
    assert sum(one.rule == "dense" for one in findings()) <= 4
