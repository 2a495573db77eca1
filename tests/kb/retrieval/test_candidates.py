"""Which words of a question are looked up, so that its cost does not grow with the library."""

import sqlite3
from contextlib import closing

import pytest

from kb.retrieval import candidates


@pytest.mark.parametrize(
    ("counts", "kept"),
    [
        ({"card": 40, "fan": 3, "dust": 0}, ["dust", "fan", "card"]),
        ({"card": 90, "fan": 3, "dust": 7}, ["fan", "dust", "card"]),
        ({"card": 91, "fan": 3, "dust": 7}, ["fan", "dust"]),
        ({"card": 60, "memory": 70}, ["card"]),
        ({"card": 500, "memory": 900}, ["card"]),
        ({"card": 500, "dust": 0}, ["dust", "card"]),
        ({"dust": 0}, ["dust"]),
    ],
)
def test_the_rarest_words_are_looked_up_as_far_as_they_may_cost(
    counts: dict[str, int], kept: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "POSTINGS_MAX", 100)
    monkeypatch.setattr(candidates, "frequency", lambda _, word, language: counts[word])
    with closing(sqlite3.connect(":memory:")) as connection:
        assert candidates._rarest(connection, list(counts), "en") == kept
