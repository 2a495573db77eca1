"""Every spelling of the table means what people mean by it; what means several things or nothing is never guessed."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from kb.base import AmbiguousName, ClosedModel, UnknownName
from kb.catalog import gpu, gpus
from kb.models import closed, closed_models, model, models

TABLE: dict[str, Any] = yaml.safe_load((Path(__file__).parents[2] / "cases" / "spellings.yaml").read_text("utf-8"))


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


@pytest.mark.parametrize(
    "name", ["Mistral-Medium-3.5-128B", "Qwen-Max-32B", "Grok-4-70B", "Gemini-Nano-4B", "Mistral Medium 4.2"]
)
def test_a_name_with_a_size_or_an_unlisted_version_is_not_said_to_be_closed(name: str) -> None:
    """Its maker states sizes of published weights alone, and has published others under the name."""
    assert closed(name) is None


@pytest.mark.parametrize(
    "name", ["mistral-medium-2508", "gpt-4o-2024-08-06", "Claude Opus 4.9", "Gemini 3.5 Pro", "Chinchilla 70B"]
)
def test_what_is_only_a_service_stays_one_with_a_date_or_version(name: str) -> None:
    assert closed(name) is not None


def test_the_open_model_offered_instead_is_of_the_makers_newest() -> None:
    """Not older by more than half a year than the newest language model of the same owner that is as large."""
    every = [one for one in models().values() if one.kind in ("llm", "vlm") and month(one.released)]
    for group in closed_models().values():
        chosen = models().get(group.open or "")
        if chosen is None or chosen.kind not in ("llm", "vlm") or not month(chosen.released):
            continue
        owner = chosen.id.partition("/")[0]
        rivals = [one for one in every if one.id.startswith(f"{owner}/") and one.params >= chosen.params]
        assert max(month(one.released) for one in rivals) - month(chosen.released) <= 6, group.id


def month(date: str | None) -> int:
    """Months since year 0; 0 for a date that names none."""
    year, _, rest = (date or "").partition("-")
    return int(year) * 12 + int(rest[:2]) if rest else 0
