"""A number without a source does not enter: what every model's figures rest on."""

import re

import pytest

from kb.configs.parameters import count_active, count_parameters
from kb.models import LIKE_ANOTHER, models
from kb.records.model import Model

ROWS = tuple(models().values())
SIZE_IN_NAME = re.compile(r"(\d+(?:\.\d+)?)([TBM])(?![A-Z])")
SCALES = {"T": 1e12, "B": 1e9, "M": 1e6}
WORDS = frozenset(
    {"id", "name", "family", "kind", "aliases", "chat_id", "licence", "notes", "native_format", "attention", "sources"}
)
"""Fields that hold no number: what a model is called needs no source."""


def ids(rows: tuple[Model, ...]) -> list[str]:
    return [row.id for row in rows]


def sourced(row: Model) -> set[str]:
    """Fields that a source vouches for."""
    return {field for fields in row.sources.values() for field in fields}


def stated(row: Model) -> set[str]:
    """Fields with a number or a date of the row's own: neither a word nor a switch, nor left as it is without one."""
    fields = {name: field for name, field in Model.model_fields.items() if name not in WORDS}
    values = {name: getattr(row, name) for name in fields}
    return {
        name
        for name, field in fields.items()
        if not isinstance(values[name], bool) and values[name] != field.get_default(call_default_factory=True)
    }


def counted(row: Model) -> set[str]:
    """Sizes that follow to the digit from the other fields of the row, which name their own sources."""
    return {
        *({"params"} if count_parameters(row) == row.params else ()),
        *({"active_params"} if row.experts and count_active(row) == row.active_params else ()),
    }


@pytest.mark.parametrize("row", ROWS, ids=ids(ROWS))
def test_every_number_and_date_names_its_source(row: Model) -> None:
    assert stated(row) - sourced(row) - counted(row) == set(), "find a source, or leave it out"


def test_a_size_is_not_counted_from_a_part_that_was_counted_from_it() -> None:
    """A tower is what the checkpoint holds beside the language model only where something else states the whole."""
    for row in ROWS:
        if "vision_params" in row.sources.get("counted-from-its-shape", ()):
            assert "params" in sourced(row), row.id


def test_a_paper_is_dated_by_its_number() -> None:
    for row in ROWS:
        for source, fields in row.sources.items():
            if (number := re.fullmatch(r"arxiv-(\d\d)(\d\d)-\d{4,5}", source)) and "released" in fields:
                assert row.released is not None
                months = [
                    int(row.released[:4]) * 12 + int(row.released[5:7]),
                    (2000 + int(number[1])) * 12 + int(number[2]),
                ]
                assert abs(months[0] - months[1]) <= 1, (row.id, source)


def test_a_size_in_a_name_is_the_size_of_the_row() -> None:
    for row in ROWS:
        if "params" in row.sources.get("stated-in-its-name", ()):
            said = {float(number) * SCALES[unit] for number, unit in SIZE_IN_NAME.findall(row.id.upper())}
            assert any(row.params == pytest.approx(one, rel=0.1) for one in said), (row.id, said)


def test_a_derived_model_names_what_it_takes_from_another_and_what_is_its_own() -> None:
    row = models()["zai-org/glm-4-9b-chat-1m"]
    assert "layers" in row.sources[LIKE_ANOTHER]
    assert "kv_heads" not in row.sources[LIKE_ANOTHER]
    assert {"kv_heads", "max_context_tokens"} <= sourced(row)
