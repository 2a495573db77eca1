"""Every purpose names real models, largest first, with a source."""

from typing import get_args

import pytest

from kb.base import BadInput
from kb.purposes import PurposeName, models_for, purposes

FOUR_BIT = {"mxfp4"}


def published_bytes(model_id: str) -> float:
    """Parameters times the width they are published in, which is what the order goes by."""
    from kb.models import models

    row = models()[model_id]
    bits = 4.25 if row.native_format in FOUR_BIT else 8 if row.native_format == "fp8" else 16
    return row.params * bits / 8


def test_every_purpose_that_can_be_named_has_models() -> None:
    assert set(purposes()) == set(get_args(PurposeName))


@pytest.mark.parametrize("name", get_args(PurposeName))
def test_models_exist_and_come_largest_first(name: str) -> None:
    sizes = [published_bytes(row.id) for row in models_for(name)]
    assert len(sizes) >= 5
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("name", get_args(PurposeName))
def test_a_purpose_says_where_it_is_from_and_of_when(name: str) -> None:
    purpose = purposes()[name]
    assert purpose.source.url
    assert purpose.as_of


def test_an_unknown_purpose_is_refused_by_name() -> None:
    with pytest.raises(BadInput, match="purpose"):
        models_for("gardening")
