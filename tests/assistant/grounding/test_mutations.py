"""False figures, names and words in answers that a model drove are caught, and true sentences are left alone, in short.

`tests/bench/mutate_answers.py` tries them all, on any transcripts.
"""

import pytest
from mutate_answers import SAMPLE, Tally, cut, tally, total
from mutating.transcripts import Transcript, transcripts

CAUGHT_MIN, CUT_MAX = 0.93, 0.01
EACH = 4
"""Alterations of each way and answer."""
WAYS = frozenset({
    "a tenth more", "a third less", "ten times", "another unit", "another currency", "another subject",
    "digits of a figure of another kind", "digits of another figure of its kind", "total for a share, or back",
    "hour for month, or back", "count of cards off by one", "date moved",
})  # fmt: skip


@pytest.fixture(scope="module")
def cases() -> list[Transcript]:
    return list(transcripts(SAMPLE))


@pytest.fixture(scope="module")
def found(cases: list[Transcript]) -> dict[str, Tally]:
    return tally(cases, EACH, seed=1)


def test_the_sample_holds_conversations_in_both_languages(cases: list[Transcript]) -> None:
    assert len(cases) >= 12
    assert {case.language for case in cases} == {"en", "zh"}
    assert sum(bool(case.former) for case in cases) >= 5
    assert sum(" [own]" in case.text for case in cases) >= 10


def test_every_way_of_altering_is_tried(found: dict[str, Tally]) -> None:
    assert set(found) >= WAYS
    assert total(found).nowhere > 300


def test_false_answers_are_caught(found: dict[str, Tally]) -> None:
    missed = {way: row.missed[:3] for way, row in found.items() if row.missed}
    assert total(found).apart >= CAUGHT_MIN, missed


def test_true_sentences_are_left_alone(cases: list[Transcript]) -> None:
    bad, of, told = cut(cases)
    assert of > 250
    assert bad / of <= CUT_MAX, told
