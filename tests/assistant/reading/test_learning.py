"""The reader is learned by one network and read by another: both say the same, whatever they are given."""

import random

import numpy as np
import pytest
from reading.corpus import Line, corpus, span_of, to_learn
from reading.examples import Looked, looked
from reading.phrases import learned_phrases
from reading.training import batches, learned

from assistant.reading.annotation import Marked
from assistant.reading.embedded.decode import Learned, marks
from assistant.reading.embedded.network import Network
from assistant.reading.embedded.wording import Phrases
from assistant.reading.slots import ASKS


@pytest.fixture(scope="module")
def turns() -> list[Looked]:
    return [looked(line) for line in corpus(to_learn()[:1])[:60]]


def test_learning_is_the_same_each_time_and_gives_a_reader(turns: list[Looked]) -> None:
    first, second = (learned(turns[:24], epochs=1) for _ in range(2))
    assert all(np.array_equal(first[name], second[name]) for name in first)
    marked = marks(turns[0].line.text, turns[0].message, Learned(Network(first), Phrases(first)))
    assert all(one.quote in turns[0].line.text for one in marked.facts)


def test_wording_is_learned_from_the_clause_that_asks(turns: list[Looked]) -> None:
    said = Phrases(learned_phrases(turns))
    asked = [(said.read(one.line.text, one.message).first, ASKS.index(one.line.marked.asks[0].ask)) for one in turns]
    assert (
        np.mean([first.argmax() == ask for first, ask in asked]) > 1 / 3
    )  # of what it learned from; 1 of 31 by chance


def test_each_turn_is_learned_once_an_epoch() -> None:
    numbers = [n for part in batches(range(100), [n % 7 for n in range(100)], random.Random(1)) for n in part]
    assert sorted(numbers) == list(range(100))


def test_a_quotation_is_found_in_its_tokens() -> None:
    line = Line("thread", "writer", "writer", "en", "2x 3090 or 3090", later=False, marked=Marked())
    tokens = looked(line).message.tokens
    assert span_of(tokens, line.text, "3090", None, set()) == (2, 3)
    assert span_of(tokens, line.text, "3090", None, {2}) == (4, 5)
    assert span_of(tokens, line.text, "4090", None, set()) is None
