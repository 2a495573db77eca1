"""Numbers of cards in thousands, with the comma that people write."""

import pytest

from ingest.claims.reading import rigs_in
from kb.lexicon.cards.rules import read_cards


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("1,024 H100", [1024]), ("16,384 张 H100", [16384]), ("2,048 H800", [2048]), ("2x 3090,4x 4090", [2, 4]),
        ("2x 3090,4090", [2, 1]), ("3090,1080 Ti", [1, 1]),
    ],
)  # fmt: skip
def test_a_comma_within_a_number_parts_no_cards(text: str, counts: list[int]) -> None:
    assert [one.count for one in read_cards(text)] == counts


@pytest.mark.parametrize(("text", "count"), [("trained on 2,048 H800", 2048), ("用了 16,384 张 H100", 16384)])
def test_documents_may_speak_of_thousands_of_cards(text: str, count: int) -> None:
    assert [one.count for one in rigs_in(text, 1)] == [count]
