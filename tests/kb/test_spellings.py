"""Every spelling of the table means what people mean by it; what means several things or nothing is never guessed."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from kb.base import AmbiguousName, ClosedModel, UnknownName
from kb.catalog import gpu, gpus
from kb.models import closed, closed_models, model, models

TABLE: dict[str, Any] = yaml.safe_load((Path(__file__).parents[1] / "cases" / "spellings.yaml").read_text("utf-8"))


def test_the_table_is_large() -> None:
    assert len(TABLE["models"]) >= 440
    assert len(TABLE["cards"]) >= 100


@pytest.mark.parametrize(("name", "key"), TABLE["models"].items(), ids=list(TABLE["models"]))
def test_a_model_is_meant(name: str, key: str) -> None:
    assert model(name).id == key


@pytest.mark.parametrize("name", TABLE["ambiguous"])
def test_a_name_of_several_models_is_reported(name: str) -> None:
    with pytest.raises(AmbiguousName) as several:
        model(name)
    assert len(several.value.candidates) > 1


@pytest.mark.parametrize("name", TABLE["closed"])
def test_a_closed_model_cannot_be_hosted(name: str) -> None:
    with pytest.raises(ClosedModel, match="cannot be self-hosted") as refused:
        model(name)
    assert refused.value.maker


@pytest.mark.parametrize("name", TABLE["unknown"])
def test_a_model_nobody_published_is_unknown_and_not_another(name: str) -> None:
    with pytest.raises(UnknownName) as unknown:
        model(name)
    assert not isinstance(unknown.value, ClosedModel)
    assert set(unknown.value.close) <= set(models())


def test_no_open_model_is_called_closed() -> None:
    wrong = [one.id for one in models().values() if closed(one.id) is not None]
    assert wrong == []


def test_what_is_offered_instead_of_a_closed_model_is_in_the_catalog() -> None:
    assert {one.open for one in closed_models().values() if one.open} <= set(models())


@pytest.mark.parametrize(("name", "key"), TABLE["cards"].items(), ids=list(TABLE["cards"]))
def test_a_card_is_meant(name: str, key: str) -> None:
    assert gpu(name).id == key


@pytest.mark.parametrize("name", TABLE["no_such_card"])
def test_a_card_that_does_not_exist_is_refused_with_real_ones(name: str) -> None:
    with pytest.raises(UnknownName) as unknown:
        gpu(name)
    assert unknown.value.close
    assert set(unknown.value.close) <= set(gpus())


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("H100 120GB", "h100-nvl-94gb"),
        ("A100 60G", "a100-sxm-80gb"),
        ("V100 64G", "v100-sxm2-32gb"),
        ("RTX 5090 48G", "rtx-5090-32gb"),
        ("A6000 Ada", "rtx-6000-ada-48gb"),
        ("RTX 5090 Ti", "rtx-5090-32gb"),
    ],
)
def test_the_nearest_real_card_comes_first(name: str, nearest: str) -> None:
    with pytest.raises(UnknownName) as unknown:
        gpu(name)
    assert unknown.value.close[0] == nearest
