"""Reading by a chat model: the same contract, whatever the model writes around it or gets wrong."""

import json
from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

from assistant.llm.provider import Breaker
from assistant.reading.annotation import Marked
from assistant.reading.build import after
from assistant.reading.by_model import ModelReader, schema, told
from assistant.reading.held import held
from kb.base import ModelFailed

MESSAGE = "能跑吗？两张4090，Qwen3-32B"
GOOD = {
    "facts": [
        {"quote": "两张4090", "slot": "cards", "stance": "have", "of": [0]},
        {"quote": "Qwen3-32B", "slot": "model", "stance": "have", "of": [1]},
    ],
    "asks": [{"ask": "fits", "quote": "能跑吗", "quantity": "none", "about": [0, 1]}],
    "unread": [],
}


def reader(*replies: str) -> ModelReader:
    model = GenericFakeChatModel(messages=iter([AIMessage(one) for one in replies]))
    return ModelReader(model, "llm:fake", 10.0, Breaker())


def test_a_reply_becomes_an_annotation_with_values() -> None:
    found = reader("Sure!\n```json\n" + json.dumps(GOOD) + "\n```").read(MESSAGE)
    assert [one.slot for one in found.facts] == ["cards", "model"]
    assert found.facts[0].value[0]["count"] == 2
    assert (found.asks[0].ask, found.asks[0].quantity) == ("fits", None)
    assert (found.reader, found.language) == ("llm:fake", "zh-Hans")


def test_a_bad_row_costs_no_other() -> None:
    rows: list[Any] = [
        {"quote": "Qwen3-32B", "slot": "llm", "stance": "have"},
        "4090",
        {"quote": "8x H100", "slot": "cards", "stance": "have"},
    ]
    found = reader(json.dumps({**GOOD, "facts": [*GOOD["facts"], *rows]})).read(MESSAGE)
    assert [one.slot for one in found.facts] == ["cards", "model"]
    assert len(found.dropped) == 3


def test_what_is_no_json_is_asked_for_again_and_then_given_up() -> None:
    assert reader("I think yes.", json.dumps(GOOD)).read(MESSAGE).facts
    with pytest.raises(ModelFailed):
        reader("I think yes.", "Really.").read(MESSAGE)


def test_the_schema_and_the_words_name_every_slot_and_stay_short() -> None:
    said = told()
    slots = schema()["properties"]["facts"]["items"]["properties"]["slot"]["enum"]
    assert all(f" {slot}" in said for slot in slots)
    assert len(said) / 3 < 1500, "a token of such lists is three characters or more"
    assert "entities" in schema(going_on=True)["properties"]
    assert "entities" not in schema()["properties"]


def test_a_later_turn_is_told_what_stands() -> None:
    before = after(None, held(MESSAGE, Marked.model_validate(GOOD | {"asks": []})))
    assert "c0:0 hardware: cards have “两张4090”" in told(before)
