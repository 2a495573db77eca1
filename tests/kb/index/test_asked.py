"""What sections of the guidance are known to answer: complete, in both languages, and indexed beside them."""

import re
from collections import Counter

import pytest

from ingest.chunk import chunk
from ingest.convert import convert
from ingest.sync import GUIDANCE
from kb.index.archive import Chunk
from kb.index.asked import QUESTIONS, asked_file, with_questions
from kb.index.index_words import HAN as HAN_RANGE
from kb.snapshot import parse_yaml

TOPICS = sorted(path.stem for path in (GUIDANCE / "en").glob("*.md"))
PER_SECTION = 3
HAN = re.compile(f"[{HAN_RANGE}]")


def chunks_of(topic: str, language: str = "en") -> tuple[Chunk, ...]:
    return chunk(convert(GUIDANCE / language / f"{topic}.md"), topic)


def test_every_topic_has_its_questions_and_no_other() -> None:
    assert sorted(path.stem for path in QUESTIONS.glob("*.yaml")) == TOPICS


@pytest.mark.parametrize("topic", TOPICS)
def test_questions_stand_under_the_headings_in_their_order(topic: str) -> None:
    rows = parse_yaml(asked_file(topic).read_text(encoding="utf-8"))
    assert [row["at"] for row in rows] == list(dict.fromkeys(one.heading for one in chunks_of(topic)))
    for row in rows:
        for language in ("en", "zh"):
            assert len(set(row[language])) == len(row[language]) >= PER_SECTION, row["at"]
        assert all(HAN.search(question) for question in row["zh"]), row["at"]
        assert all(question.isascii() for question in row["en"]), row["at"]


def test_no_question_is_answered_in_two_places_of_one_topic() -> None:
    for topic in TOPICS:
        rows = parse_yaml(asked_file(topic).read_text(encoding="utf-8"))
        counted = Counter(question for row in rows for language in ("en", "zh") for question in row[language])
        assert max(counted.values()) == 1, (topic, counted.most_common(1))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_chunk_carries_the_questions_of_its_section_in_both_languages(language: str) -> None:
    plain = chunks_of("memory", language)
    asked = with_questions(plain, "memory")
    rows = parse_yaml(asked_file("memory").read_text(encoding="utf-8"))
    by_section = dict(zip(sorted({one.section for one in plain}), rows, strict=True))
    for one, former in zip(asked, plain, strict=True):
        assert one.asked == (*by_section[one.section]["en"], *by_section[one.section]["zh"])
        assert one.model_copy(update={"asked": ()}) == former


def test_a_document_without_questions_stays_as_it_is() -> None:
    plain = chunks_of("memory")
    assert with_questions(plain, "no-such-topic") == plain
