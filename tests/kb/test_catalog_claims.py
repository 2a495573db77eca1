"""Claims of buying guides, restated: the catalog judges each as it should."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from kb.base import UnknownName
from kb.catalog import conventional, gpu_ids, gpus
from kb.models import model

CASES: dict[str, list[dict[str, Any]]] = yaml.safe_load(
    (Path(__file__).parents[1] / "cases" / "catalog_claims.yaml").read_text("utf-8")
)
TOLERANCE = 0.02
"""Guides round: 83 for 82.6."""


def held(claim: dict[str, Any]) -> Any:
    return getattr(gpus()[conventional(gpu_ids(claim["card"]))], claim["field"])


@pytest.mark.parametrize(
    "claim", CASES["cards"], ids=lambda claim: f"{claim['card']}-{claim['field']}-{claim['value']}"
)
def test_a_figure_of_a_card_is_judged(claim: dict[str, Any]) -> None:
    value, said = held(claim), claim["value"]
    agrees = (
        value is None if said is None else value is not None and float(value) == pytest.approx(float(said), TOLERANCE)
    )
    assert agrees == claim["holds"], value


@pytest.mark.parametrize(
    "claim", CASES["words"], ids=lambda claim: f"{claim['card']}-{claim['field']}-{claim['value']}"
)
def test_a_property_of_a_card_is_judged(claim: dict[str, Any]) -> None:
    value = held(claim)
    assert value is not None
    assert (value == claim["value"]) == claim["holds"], value


@pytest.mark.parametrize("claim", CASES["models"], ids=lambda claim: claim["model"])
def test_the_size_of_a_model_is_judged(claim: dict[str, Any]) -> None:
    if not claim["holds"]:
        with pytest.raises(UnknownName):
            model(claim["model"])
        return
    assert model(claim["model"]).params == pytest.approx(float(claim["params"]), rel=0.2)


def test_no_geforce_of_the_30_series_has_32_gb() -> None:
    most = max(card.memory_bytes for key, card in gpus().items() if key.startswith("rtx-30") and "laptop" not in key)
    assert most == 24 * 2**30
