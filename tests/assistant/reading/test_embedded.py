"""The reader that needs no language model: what it says stands in the words, whatever they are."""

import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.reading.build import after
from assistant.reading.embedded import EmbeddedReader, learned
from assistant.reading.embedded.decode import NEAR, SLOTS, groups
from assistant.reading.embedded.edges import Span, edged, units
from assistant.reading.embedded.network import Network, packed, rows_of
from assistant.reading.embedded.quantities import quantities
from assistant.reading.embedded.tokens import FEATURES, NUMBERS, PASTED, TOKENS_MAX, read_tokens
from assistant.reading.embedded.wording import clauses
from assistant.reading.slots import ASKS, STANCES

MESSAGES = (
    "can my 2x 3090 run qwen3-32b at q4, 20 tok/s wanted?",
    "两张 4090 24G 能跑 Qwen3-32B AWQ 吗？30 个人同时用",
)
SMI = """nvidia-smi says
|   0  NVIDIA GeForce RTX 3090        Off | 00000000:01:00.0 Off |                  N/A |
| 30%   45C    P2             110W / 350W |  23012MiB / 24576MiB |     98%      Default |
why so full?"""


@pytest.fixture(scope="module")
def reader() -> EmbeddedReader:
    return EmbeddedReader()


@pytest.mark.parametrize("message", MESSAGES)
def test_the_plainest_things_are_read(reader: EmbeddedReader, message: str) -> None:
    annotation = reader.read(message)
    assert annotation.reader == "embedded"
    read = {one.slot: one.value for one in annotation.facts}
    assert read["model"]["model"] == "Qwen/Qwen3-32B"
    assert [row["count"] for row in read["cards"]] == [2]
    assert annotation.asks[0].ask == "fits"


def test_the_letters_of_a_name_do_not_decide_what_it_is(reader: EmbeddedReader) -> None:
    for model in ("mistral-small-3.2-24b", "some-newcomer-19b"):
        slots = {one.slot: one.quote for one in reader.read(f"can my 2x 3090 run {model} at q4?").facts}
        assert slots.get("cards") == "2x 3090", model


@given(st.text(max_size=300))
@settings(max_examples=150, deadline=None)
def test_nothing_is_said_that_is_not_in_the_words(message: str) -> None:
    annotation = EmbeddedReader().read(message)
    assert not [one for one in annotation.dropped if "not in the message" in one.why]
    for one in (*annotation.facts, *annotation.asks, *annotation.unread):
        assert message[one.start : one.start + len(one.quote)] == one.quote
    after(None, annotation)


def test_the_same_words_are_read_the_same(reader: EmbeddedReader) -> None:
    assert reader.read(MESSAGES[0]) == reader.read(MESSAGES[0])


def test_numbers_and_names_that_are_not_read_are_told(reader: EmbeddedReader) -> None:
    message = "zorb 17.25 flarn, kip 4090 wug"
    annotation = reader.read(message)
    told = " ".join(one.quote for one in (*annotation.facts, *annotation.asks, *annotation.unread, *annotation.dropped))
    assert "17.25" in told
    assert "4090" in told


def test_what_is_pasted_is_one_token_and_no_fact() -> None:
    tokens = read_tokens(SMI).tokens
    assert [one.text for one in tokens].count(PASTED) == 1
    assert [one.text for one in tokens[-5:-1]][-1] == "full"


def test_a_message_of_any_length_is_read_in_bounded_time(reader: EmbeddedReader) -> None:
    message = "will 4x 3090 do for llama 70b? " * 2000
    assert len(read_tokens(message).tokens) == TOKENS_MAX
    started = time.process_time()
    reader.read(message[:16_000])
    assert time.process_time() - started < 10


def test_features_are_numbers_of_which_none_is_lost() -> None:
    features = np.array(read_tokens(MESSAGES[1], later=True).features)
    assert features.shape[1] == FEATURES
    assert features.min() >= 0
    assert features.max() < NUMBERS
    assert (features == 0).any(axis=1).all()  # room for more than any token has


@pytest.mark.parametrize(
    ("text", "kind", "quote"),
    [
        ("costs $1.49/h there", "money", "$1.49/h"),
        ("at 41 tok/s now", "rate", "41 tok/s"),
        ("五千条，三轮", "items", "五千条"),
        ("跑了3小时", "time", "3小时"),
        ("64 gigs", "memory", "64 gigs"),
        ("build 17 of it", "number", "17"),
    ],
)
def test_a_number_is_known_by_what_stands_behind_it(text: str, kind: str, quote: str) -> None:
    assert (kind, text.index(quote), text.index(quote) + len(quote)) in quantities(text)


def test_no_quotation_begins_or_ends_within_a_name_a_quantity_or_a_word() -> None:
    message = read_tokens("五千条数据，A100 80G")
    parts = "".join("+" if one else " " for one in units(message))
    assert [token.text for token in message.tokens] == ["五", "千", "条", "数", "据", "，", "A", "100", "80", "G"]
    assert parts == " ++ +  +++"  # the catalog names the card with its memory


@pytest.mark.parametrize(
    ("text", "said", "quotes"),
    [
        ("one A100 80GB, ok", [("one", "card_count"), ("A100 80GB", "cards")], ["one A100 80GB"]),
        ("about ~ 20 users", [("about ~ 20 users", "users")], ["20 users"]),
        ("内存 64G", [("内存 64G", "host_memory")], ["64G"]),
        ("a 3090 or", [("a 3090 or", "cards")], ["3090"]),
        ("--tp 2 --len 4096", [("--tp 2 --len 4096", "setting")], ["--tp 2", "--len 4096"]),
        ("ok ~ then", [("~", "memory")], []),
    ],
)
def test_quotations_have_the_ends_of_the_guide(text: str, said: list[tuple[str, str]], quotes: list[str]) -> None:
    message = read_tokens(text)
    spans = []
    for quote, slot in said:
        at = text.index(quote)
        inside = [n for n, one in enumerate(message.tokens) if one.start >= at and one.end <= at + len(quote)]
        spans.append(Span(inside[0], inside[-1] + 1, SLOTS.index(slot), 1.0))
    found = edged(spans, text, message)
    assert [text[message.tokens[one.start].start : message.tokens[one.end - 1].end] for one in found] == quotes


def test_spans_of_one_thing_are_grouped_in_the_order_of_the_message() -> None:
    spans: list[Any] = [None] * 4
    alone = np.array([[0.0, 0.9], [0.0, 0.8], [0.9, 0.0], [0.1, 0.1]], dtype=np.float32)
    together = np.eye(4, dtype=np.float32)
    together[3, 1] = 0.7
    assert groups(spans, alone, together) == [[0], [1, 3]]


def test_the_network_says_something_of_every_closed_list() -> None:
    read = learned().network
    scores = read.read(np.array(read_tokens(MESSAGES[0]).features))
    spans = read.spans(scores, [(0, 1), (2, 5)], [0, len(SLOTS)])
    assert scores.slots.shape[1] == 1 + 2 * len(SLOTS)
    assert scores.asks.shape[1] == len(ASKS)
    assert np.allclose(np.exp(scores.slots).sum(axis=1), 1, atol=1e-4)
    assert read.stances(spans, scores).shape == (2, len(STANCES))
    assert read.together(spans, np.zeros((2, 2, NEAR), dtype=np.float32)).shape == (2, 2)
    assert isinstance(read, Network)


def test_a_run_of_words_that_learning_did_not_meet_says_nothing() -> None:
    table = packed(
        "phrases", np.array([[0, 0], [1, -2], [0.5, 0.25]], dtype=np.float32), np.array([7, 90], dtype=np.int32)
    )
    assert rows_of(np.array([7, 90, 8, 91, 0]), table["phrases.known"]).tolist() == [1, 2, 0, 0, 0]
    assert np.allclose(table["phrases"][1] * table["phrases.scales"][1], [1, -2], atol=0.02)


def test_clauses_end_at_marks_and_lines_and_hold_every_word() -> None:
    text = "两张 4090，能跑吗？要多快\nand is it worth it? yes"
    tokens = read_tokens(text).tokens
    parts = [text[tokens[a].start : tokens[b - 1].end] for a, b in clauses(text, tokens)]
    assert parts == ["两张 4090，", "能跑吗？", "要多快", "and is it worth it?"]


def test_wording_says_of_each_ask_how_likely_it_is_and_which_comes_first() -> None:
    for text in (*MESSAGES, "?", "zzz"):
        said = learned().phrases.read(text, read_tokens(text))
        assert said.asked.shape == said.first.shape == (len(ASKS),)
        assert np.isclose(np.exp(said.first).sum(), 1, atol=1e-3)
