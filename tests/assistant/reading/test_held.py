"""What a reader says is held against the words: nothing gets in that the message does not say."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.reading.annotation import Marked
from assistant.reading.held import held

MESSAGE = "2x 3090 and 128gb ram here. GLM 4.5 Air at Q4_K_M, 20 tok/s possible?"


def fact(quote: str, slot: str, stance: str = "have", **more: Any) -> dict[str, Any]:
    return {"quote": quote, "slot": slot, "stance": stance, **more}


def marked(*facts: dict[str, Any], **more: Any) -> Marked:
    return Marked.model_validate({"facts": list(facts), **more})


def test_values_come_from_the_quotations() -> None:
    found = held(
        MESSAGE,
        marked(
            fact("2x 3090", "cards", of=[0]),
            fact("128gb", "host_memory", of=[0]),
            fact("GLM 4.5 Air", "model", of=[1]),
            fact("Q4_K_M", "format", of=[1]),
            fact("20 tok/s", "speed", "wanted", of=[1]),
        ),
    )
    values = {one.slot: one.value for one in found.facts}
    assert values["cards"][0]["gpu"] == "rtx-3090-24gb"
    assert values["cards"][0]["count"] == 2
    assert values["host_memory"]["bytes"] == 128 * 2**30
    assert values["model"]["model"] == "zai-org/GLM-4.5-Air"
    assert values["format"] == "gguf:Q4_K_M"
    assert values["speed"] == {"per_s": 20.0, "of": "tokens"}
    assert [(one.n, one.what) for one in found.entities] == [(0, "hardware"), (1, "work")]
    assert found.language == "en"
    assert not found.dropped


def test_what_the_message_does_not_say_is_dropped_and_told() -> None:
    found = held(MESSAGE, marked(fact("4x 5090", "cards"), fact("here", "cards"), fact("128gb", "host_memory")))
    assert [one.slot for one in found.facts] == ["host_memory"]
    assert [one.quote for one in found.dropped] == ["4x 5090", "here"]
    assert all(one.why for one in found.dropped)


def test_a_quotation_in_other_case_is_taken_as_it_stands_in_the_message() -> None:
    found = held(MESSAGE, marked(fact("glm 4.5 AIR", "model")))
    assert found.facts[0].quote == "GLM 4.5 Air"
    assert found.facts[0].start == MESSAGE.index("GLM")


def test_facts_share_no_words_but_a_claim_encloses_others() -> None:
    message = "the guide says 24GB is enough for a 3090"
    found = held(
        message,
        marked(
            fact("24GB", "memory", "claimed"),
            fact("24", "card_count"),
            fact("24GB is enough for a 3090", "claim", "claimed"),
            fact("3090", "cards"),
        ),
    )
    assert {one.slot for one in found.facts} == {"memory", "claim", "cards"}
    assert [one.slot for one in found.dropped] == ["card_count"]


def test_the_occurrence_that_is_meant() -> None:
    message = "24GB card, 24GB ram"
    found = held(message, marked(fact("24GB", "host_memory", nth=2), fact("24GB", "card_memory")))
    assert [(one.slot, one.start) for one in found.facts] == [("card_memory", 0), ("host_memory", 11)]


@pytest.mark.parametrize(
    ("message", "quotes", "amounts"),
    [
        ("A is $1.80/gpu/h, B 0.72", ["$1.80/gpu/h", "0.72"], [(1.8, "USD", "hour"), (0.72, "USD", "hour")]),
        ("vast costs 0.35/h there", ["0.35/h"], [(0.35, "USD", "hour")]),
        ("机房每月2400", ["每月2400"], [(2400, "CNY", "month")]),
    ],
)
def test_an_amount_takes_what_its_neighbours_say(message: str, quotes: list[str], amounts: list[Any]) -> None:
    found = held(message, marked(*(fact(one, "rent") for one in quotes)))
    values = [(one.value["amount"], one.value["currency"], one.value["per"]) for one in found.facts]
    assert values == amounts
    last = found.facts[-1]
    assert "currency" in last.inherited or last.value["assumptions"], "what was not said is told"


def test_an_ask_without_its_words_is_none() -> None:
    asks = [{"ask": "fits", "quote": "possible?"}, {"ask": "cost", "quote": "how much is it"}]
    found = held(MESSAGE, marked(asks=asks))
    assert [one.ask for one in found.asks] == ["fits"]
    assert "cost" in found.dropped[0].why


def test_what_is_pasted_is_not_marked_up_inside() -> None:
    message = "why?\n```\nGPU 0: 3090\n```\nI have a 4090"
    pasted = [{"kind": "log", "quote_start": "```", "quote_end": "3090\n```"}]
    found = held(message, marked(fact("3090", "cards"), fact("4090", "cards"), artifacts=pasted))
    assert [one.quote for one in found.facts] == ["4090"]


@settings(max_examples=60, deadline=None)
@given(
    st.text(max_size=200),
    st.lists(
        st.tuples(
            st.text(min_size=1, max_size=20),
            st.sampled_from(
                [
                    "cards",
                    "model",
                    "price",
                    "context",
                    "speed",
                    "size",
                    "parallel",
                    "setting",
                    "duty",
                    "claim",
                    "engine",
                ]
            ),
        ),
        max_size=8,
    ),
)
def test_whatever_a_reader_says_only_words_of_the_message_come_out(message: str, marks: list[tuple[str, str]]) -> None:
    found = held(message, marked(*(fact(quote, slot) for quote, slot in marks)))
    for one in found.facts:
        assert message[one.start : one.start + len(one.quote)] == one.quote
    assert len(found.facts) + len(found.dropped) == len(marks)


def test_what_parsers_find_in_a_message_is_told_with_the_count_of_its_facts() -> None:
    message = "Why?\nload_tensors: offloaded 27/43 layers to GPU"
    (one,) = held(message, marked()).artifacts
    assert (one.kind, message[one.start : one.end], one.facts) == (
        "llama.cpp",
        "load_tensors: offloaded 27/43 layers to GPU",
        2,
    )
