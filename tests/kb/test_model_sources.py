"""A number without a source does not enter: what every model's figures rest on."""

import re

import pytest

from kb.models import LIKE_ANOTHER, UNCHECKED, models
from kb.records.model import Model

ROWS = tuple(models().values())
SHAPE = (
    "layers", "hidden_size", "heads", "kv_heads", "head_dim", "intermediate_size", "vocab_size", "latent", "experts",
)  # fmt: skip
"""Figures that memory follows from."""
SIZE_IN_NAME = re.compile(r"(\d+(?:\.\d+)?)([TBM])(?![A-Z])")
SCALES = {"T": 1e12, "B": 1e9, "M": 1e6}
OPEN = {
    "baidu/ERNIE-4.5-300B-A47B-PT": {"experts"},
    "baidu/ERNIE-4.5-VL-28B-A3B-PT": {"experts"},
    "baidu/ERNIE-4.5-VL-424B-A47B-PT": {"intermediate_size", "experts"},
    "mistralai/Mistral-Large-3-675B-Instruct-2512": {"intermediate_size", "latent"},
    "Alibaba-NLP/gte-large-en-v1.5": {"vocab_size"},
    "Winfredy/SadTalker": {"components"},
    "tensorpack/centernet": {"params"},
    "ZhengPeng7/BiRefNet": {"params"},
    "RosettaCommons/RoseTTAFold": {"params"},
    "boltz-community/boltz-2": {"params"},
    "svc-develop-team/so-vits-svc": {"params"},
    "bowang-lab/U-Mamba": {"params"},
}
"""Figures whose source is still to be found: the list may only become shorter."""


def ids(rows: tuple[Model, ...]) -> list[str]:
    return [row.id for row in rows]


def sourced(row: Model) -> set[str]:
    """Fields that a source other than unchecked knowledge vouches for."""
    return {field for source, fields in row.sources.items() if source != UNCHECKED for field in fields}


@pytest.mark.parametrize("row", ROWS, ids=ids(ROWS))
def test_no_figure_rests_on_unchecked_knowledge_alone(row: Model) -> None:
    unchecked = set(row.sources.get(UNCHECKED, ())) - sourced(row)
    assert unchecked <= OPEN.get(row.id, set()), "find a source, or leave the figure out"


@pytest.mark.parametrize("row", ROWS, ids=ids(ROWS))
def test_every_figure_of_the_shape_names_its_source(row: Model) -> None:
    stated = {field for field in SHAPE if getattr(row, field) is not None}
    assert stated - sourced(row) <= OPEN.get(row.id, set())


def test_a_size_in_a_name_is_the_size_of_the_row() -> None:
    for row in ROWS:
        if "params" in row.sources.get("stated-in-its-name", ()):
            said = {float(number) * SCALES[unit] for number, unit in SIZE_IN_NAME.findall(row.id.upper())}
            assert any(row.params == pytest.approx(one, rel=0.1) for one in said), (row.id, said)


def test_every_open_figure_is_still_open() -> None:
    for key, fields in OPEN.items():
        assert fields <= set(models()[key].sources[UNCHECKED]) - sourced(models()[key]), f"{key} has its source by now"


def test_a_derived_model_names_what_it_takes_from_another_and_what_is_its_own() -> None:
    row = models()["zai-org/glm-4-9b-chat-1m"]
    assert "layers" in row.sources[LIKE_ANOTHER]
    assert "kv_heads" not in row.sources[LIKE_ANOTHER]
    assert {"kv_heads", "max_context_tokens"} <= sourced(row)
