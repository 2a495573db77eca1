"""Fields of requests take the typed value or the words, name themselves in errors, and say so in the schema."""

import pytest
from pydantic import ValidationError

from kb.base import BadInput, Frozen, UnknownName
from kb.lexicon.fields import (
    Cards,
    CountText,
    DurationText,
    FormatText,
    HostMemoryText,
    MemoryText,
    ModelText,
    MoneyText,
)
from kb.units import GIB


class _Request(Frozen):
    cards: Cards | None = None
    model: ModelText | None = None
    memory_taken: MemoryText | None = None
    host_memory: HostMemoryText | None = None
    budget: MoneyText | None = None
    deadline: DurationText | None = None
    samples: CountText | None = None
    weight_format: FormatText | None = None


def test_words_and_typed_values_give_the_same_request() -> None:
    said = _Request.model_validate(
        {"cards": "2x 3090", "model": "Qwen3-32B AWQ", "memory_taken": "4 GB", "host_memory": "2x48GB DDR5 6000",
         "budget": "$25k", "deadline": "6 weeks", "samples": "50k", "weight_format": "q4_k_m"}
    )  # fmt: skip

    assert _Request.model_validate(said.model_dump(mode="json")) == said
    assert said.memory_taken == 4 * GIB


@pytest.mark.parametrize("cards", [["2x 3090", "4090"], [{"gpu": "rtx-3090-24gb", "count": 2}, "4090"]])
def test_cards_may_be_a_list(cards: list[object]) -> None:
    found = _Request.model_validate({"cards": cards}).cards

    assert found is not None
    assert [(one.gpu, one.count) for one in found] == [("rtx-3090-24gb", 2), ("rtx-4090-24gb", 1)]


@pytest.mark.parametrize(
    ("field", "said"),
    [("memory_taken", "lots"), ("budget", "20k"), ("deadline", "soon"), ("samples", "many"), ("weight_format", "good")],
)
def test_an_error_names_the_field_of_the_request(field: str, said: str) -> None:
    with pytest.raises(BadInput) as refused:
        _Request.model_validate({field: said})

    assert refused.value.field == field


def test_an_unknown_card_carries_the_closest_names() -> None:
    with pytest.raises(UnknownName) as refused:
        _Request.model_validate({"cards": "2x RTX 3095"})

    assert refused.value.close


@pytest.mark.parametrize("value", [-1, 0, float("nan"), float("inf")])
def test_absurd_numbers_are_refused(value: float) -> None:
    with pytest.raises(ValidationError):
        _Request.model_validate({"deadline": value})


@pytest.mark.parametrize("field", list(_Request.model_fields))
def test_the_schema_says_how_people_write_it(field: str) -> None:
    schema = _Request.model_json_schema()["properties"][field]

    assert "As people write it, e.g." in str(schema)
