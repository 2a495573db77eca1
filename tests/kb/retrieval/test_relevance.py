"""How much of a question a passage holds equals its definition, whatever is skipped on the way."""

import pytest
from hypothesis import given
from hypothesis import settings as settings_of
from hypothesis import strategies as st

from kb.index.index_words import Concept
from kb.retrieval.relevance import (
    ABOUT_CREDIT,
    BODY_CREDIT,
    HEAD_CREDIT,
    PART_CREDIT,
    SYNONYM_CREDIT,
    Question,
    Weighted,
)

WORDS = st.sampled_from(["card", "memory", "price", "link", "cache", "token", "rack", "fan"])
WAY = st.frozensets(WORDS, min_size=1, max_size=3)
WEIGHTED = st.builds(
    Weighted,
    st.builds(
        Concept, st.lists(WAY, min_size=1, max_size=3).map(tuple), st.booleans(), st.lists(WAY, max_size=2).map(tuple)
    ),
    st.floats(0.01, 1.0),
)
PLACE = st.frozensets(WORDS)


def held(concept: Concept, text: frozenset[str]) -> float:
    """All of one way to say it, else a synonym or a part of a longer way."""
    if any(way <= text for way in concept.ways):
        return 1.0
    part = max(len(way & text) / len(way) for way in concept.ways) * PART_CREDIT
    return max(part, SYNONYM_CREDIT if any(way <= text for way in concept.synonyms) else 0.0)


@given(st.lists(WEIGHTED, min_size=1, max_size=6), PLACE, PLACE, PLACE)
@settings_of(deadline=None)
def test_the_share_held_is_the_weight_that_no_place_misses(
    weighted: list[Weighted], body: frozenset[str], head: frozenset[str], about: frozenset[str]
) -> None:
    expected = 0.0
    for one in weighted:
        missed = 1.0
        for text, credit in ((body, BODY_CREDIT), (head, HEAD_CREDIT), (about, ABOUT_CREDIT)):
            missed *= 1 - credit * held(one.concept, text)
        expected += one.weight * (1 - missed)
    question = Question(weighted)
    whole = sum(one.weight for one in weighted)
    assert question.held(body, head, about).credited == pytest.approx(expected / whole)
    assert question.held(body, head, about) == question.held(set(body), set(head), set(about))
    anywhere = sum(one.weight * max(held(one.concept, text) for text in (body, head, about)) for one in weighted)
    assert question.held(body, head, about).anywhere == pytest.approx(anywhere / whole)


@given(st.lists(WEIGHTED, min_size=1, max_size=6), PLACE, PLACE)
@settings_of(deadline=None)
def test_questions_a_passage_answers_only_add_to_what_it_holds(
    weighted: list[Weighted], body: frozenset[str], asked: frozenset[str]
) -> None:
    question = Question(weighted)
    alone, beside = question.held(body, frozenset(), frozenset()), question.held(body, frozenset(), frozenset(), asked)
    assert beside.everywhere >= alone.everywhere == pytest.approx(alone.anywhere)
    assert beside._replace(everywhere=0) == alone._replace(everywhere=0)
    assert beside.everywhere >= question.share(asked) - 1e-9
