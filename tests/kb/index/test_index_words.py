"""Words, sentences, and the two lists that translate them."""

import re
from itertools import chain

import pytest
import yaml

from kb.index.index_words import DICTIONARY, GLOSSARY, concepts, sentences, translate, words

LISTS = [GLOSSARY, DICTIONARY]


def said(query: str, language: str) -> set[str]:
    """Every word that passages of this language are searched for."""
    found = concepts(query, language)
    return {word for one in found for way in (*one.ways, *one.synonyms) for word in way}


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_every_line_has_both_languages_each_in_its_own_script(path: object) -> None:
    lines = yaml.safe_load(path.read_text(encoding="utf-8"))  # type: ignore[attr-defined]
    assert len(lines) > 200
    for line in lines:
        assert set(line) == {"zh", "en"}
        assert line["zh"]
        assert line["en"]
        assert all(re.search("[\u4e00-\u9fff]", term) for term in line["zh"]), line
        assert not any(re.search("[\u4e00-\u9fff]", str(term)) for term in line["en"]), line


def test_no_line_of_the_dictionary_names_a_word_twice() -> None:
    for line in yaml.safe_load(DICTIONARY.read_text(encoding="utf-8")):
        for side in ("zh", "en"):
            assert len(set(line[side])) == len(line[side]), line


@pytest.mark.parametrize(
    ("query", "language", "found"),
    [
        ("机房噪音太大", "en", {"noise"}),
        ("多久能回本", "en", {"payback"}),
        ("is the machine too noisy", "zh", {"吵"}),
        ("how do I queue jobs overnight", "zh", {"排队", "晚上"}),
        ("cheap second hand card", "en", {"cheap", "inexpensive"}),
        ("入手一台整机", "zh", {"购买"}),
    ],
)
def test_plain_words_find_those_of_the_other_language_and_their_like(
    query: str, language: str, found: set[str]
) -> None:
    assert found <= said(query, language)


@pytest.mark.parametrize("query", ["怎么选", "多少", "为什么", "什么时候"])
def test_what_only_asks_is_no_concept_in_english(query: str) -> None:
    assert concepts(query, "en") == []


@pytest.mark.parametrize("query", ["怎么选", "为什么"])
def test_but_it_is_translated(query: str) -> None:
    english, share = translate(query)
    assert english
    assert share == 1.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("先看显存。再看带宽！", ["先看显存。", "再看带宽！"]),
        ("- First check it. Then buy it.\n- Or rent.", ["First check it.", "Then buy it.", "Or rent."]),
        ("| 型号 | 显存 |\n|---|---|\n| A100 | 80GB |", ["型号 | 显存", "A100 | 80GB"]),
        ("PUE 为 1.5 时更省。[^mle-field]", ["PUE 为 1.5 时更省。"]),
        ("\n—\n", []),
    ],
)
def test_a_text_falls_into_what_says_something(text: str, expected: list[str]) -> None:
    assert [one for one in sentences(text) if len(one) >= 4 and words(one)] == expected


def test_the_dictionary_says_more_than_the_glossary() -> None:
    terms = [
        set(chain.from_iterable(line["zh"] for line in yaml.safe_load(path.read_text(encoding="utf-8"))))
        for path in LISTS
    ]
    assert len(terms[1] - terms[0]) > 800
