"""A number without a source does not enter: what every model's figures rest on."""

import pytest

from kb.models import LIKE_ANOTHER, UNCHECKED, models
from kb.records.model import Model

ROWS = tuple(models().values())
SHAPE = (
    "layers", "hidden_size", "heads", "kv_heads", "head_dim", "intermediate_size", "vocab_size", "latent", "experts",
)  # fmt: skip
"""Figures that memory follows from."""
SIZES = {"params", "active_params", "vision_params", "other_params", "components"}
"""Figures that `test_models` holds to their sources."""
OPEN = {
    "baidu/ERNIE-4.5-300B-A47B-PT": {"experts"},
    "baidu/ERNIE-4.5-VL-28B-A3B-PT": {"experts"},
    "baidu/ERNIE-4.5-VL-424B-A47B-PT": {"intermediate_size", "experts"},
    "mistralai/Mistral-Large-3-675B-Instruct-2512": {"intermediate_size", "latent"},
    "Alibaba-NLP/gte-large-en-v1.5": {"vocab_size"},
}
"""Figures whose source is still to be found: the list may only become shorter."""


def ids(rows: tuple[Model, ...]) -> list[str]:
    return [row.id for row in rows]


def sourced(row: Model) -> set[str]:
    """Fields that a source other than unchecked knowledge vouches for."""
    return {field for source, fields in row.sources.items() if source != UNCHECKED for field in fields}


@pytest.mark.parametrize("row", ROWS, ids=ids(ROWS))
def test_no_figure_rests_on_unchecked_knowledge_alone(row: Model) -> None:
    unchecked = set(row.sources.get(UNCHECKED, ())) - sourced(row) - SIZES
    assert unchecked <= OPEN.get(row.id, set()), "find a source, or leave the figure out"


@pytest.mark.parametrize("row", ROWS, ids=ids(ROWS))
def test_every_figure_of_the_shape_names_its_source(row: Model) -> None:
    stated = {field for field in SHAPE if getattr(row, field) is not None}
    assert stated - sourced(row) <= OPEN.get(row.id, set())


def test_every_open_figure_is_still_open() -> None:
    for key, fields in OPEN.items():
        assert fields <= set(models()[key].sources[UNCHECKED]) - sourced(models()[key]), f"{key} has its source by now"


def test_a_derived_model_names_what_it_takes_from_another_and_what_is_its_own() -> None:
    row = models()["zai-org/glm-4-9b-chat-1m"]
    assert "layers" in row.sources[LIKE_ANOTHER]
    assert "kv_heads" not in row.sources[LIKE_ANOTHER]
    assert {"kv_heads", "max_context_tokens"} <= sourced(row)
