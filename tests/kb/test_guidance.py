"""The bundled guidance and the glossary hold together: twins, markers, sources, dates."""

import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

KB = Path(__file__).resolve().parents[2] / "kb"
GUIDANCE = KB / "guidance"
SLUGS = sorted(path.stem for path in (GUIDANCE / "en").glob("*.md"))
LANGUAGES = ("en", "zh")
DOCUMENTS = [(language, slug) for language in LANGUAGES for slug in SLUGS]

MARKER = re.compile(r"\[\^([a-z0-9.-]+)\]")
ENDS_CITED = re.compile(r"\[\^[a-z0-9.-]+\](\s*\|)?$")
ISO_DATE = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?")
CJK = re.compile(r"[\u4e00-\u9fff]")


@dataclass(frozen=True)
class Document:
    """A guidance file, split into its front matter and its body lines."""

    meta: dict[str, Any]
    lines: list[str]

    @property
    def sections(self) -> list[str]:
        return [line for line in self.lines if line.startswith("## ")]

    @property
    def statements(self) -> list[str]:
        """Every line that says something: bullets, paragraphs and the data rows of tables."""
        said = []
        for line, following in pairwise([*self.lines, ""]):
            is_table_head = line.startswith("|") and following.startswith("|---")
            if line.strip() and not line.startswith(("#", "|---")) and not is_table_head:
                said.append(line)
        return said


def read(language: str, slug: str) -> Document:
    text = (GUIDANCE / language / f"{slug}.md").read_text(encoding="utf-8")
    _, front, body = text.split("---\n", 2)
    return Document(yaml.safe_load(front), body.splitlines())


def glossary() -> list[dict[str, list[str]]]:
    entries: list[dict[str, list[str]]] = yaml.safe_load((KB / "index" / "glossary.yaml").read_text(encoding="utf-8"))
    return entries


each_document = pytest.mark.parametrize(("language", "slug"), DOCUMENTS)


def test_there_are_at_least_forty_topics_and_each_has_its_twin() -> None:
    assert len(SLUGS) >= 42
    assert sorted(path.stem for path in (GUIDANCE / "zh").glob("*.md")) == SLUGS


@each_document
def test_front_matter_names_title_language_date_and_keywords(language: str, slug: str) -> None:
    meta = read(language, slug).meta
    assert meta["language"] == language
    assert ISO_DATE.fullmatch(str(meta["updated"]))
    assert any(CJK.search(word) for word in meta["keywords"])
    assert any(not CJK.search(word) for word in meta["keywords"])
    twin = read("zh" if language == "en" else "en", slug).meta
    assert (meta["title"], meta["title_other"]) == (twin["title_other"], twin["title"])


@each_document
def test_the_first_line_of_the_body_is_the_title(language: str, slug: str) -> None:
    document = read(language, slug)
    headings = [line for line in document.lines if line.startswith("# ")]
    assert headings == [f"# {document.meta['title']}"]


@pytest.mark.parametrize("slug", SLUGS)
def test_twins_have_the_same_shape(slug: str) -> None:
    english, chinese = read("en", slug), read("zh", slug)
    assert len(english.sections) == len(chinese.sections) >= 5
    assert len(english.statements) == len(chinese.statements)
    assert [MARKER.findall(line) for line in english.statements] == [
        MARKER.findall(line) for line in chinese.statements
    ]


@pytest.mark.parametrize("slug", SLUGS)
def test_each_text_is_in_its_language(slug: str) -> None:
    assert not any(CJK.search(section) for section in read("en", slug).sections)
    assert all(CJK.search(section) for section in read("zh", slug).sections)


@pytest.mark.parametrize("slug", SLUGS)
def test_twins_state_the_same_figures(slug: str) -> None:
    """A figure of three digits or more in one language stands in the other's statement too."""
    figure = re.compile(r"\d[\d,.]*\d{2}")
    for english, chinese in zip(read("en", slug).statements, read("zh", slug).statements, strict=True):
        ours, theirs = ({f.replace(",", "") for f in figure.findall(line)} for line in (english, chinese))
        shared = ours & theirs
        assert ours == shared or theirs == shared, (english, chinese)


@each_document
def test_every_statement_ends_with_a_source_marker(language: str, slug: str) -> None:
    bare = [line for line in read(language, slug).statements if not ENDS_CITED.search(line)]
    assert bare == []


@each_document
def test_every_marker_resolves_and_every_source_is_used(language: str, slug: str) -> None:
    document = read(language, slug)
    listed = [source["id"] for source in document.meta["sources"]]
    assert len(listed) == len(set(listed))
    assert set(MARKER.findall("\n".join(document.lines))) == set(listed)


@each_document
def test_sources_carry_title_address_and_iso_date(language: str, slug: str) -> None:
    for source in read(language, slug).meta["sources"]:
        assert set(source) == {"id", "title", "url", "date"}
        assert source["title"].strip()
        assert source["url"] is None or source["url"].startswith("https://")
        assert ISO_DATE.fullmatch(str(source["date"]))


@each_document
def test_most_statements_rest_on_more_than_our_own_judgement(language: str, slug: str) -> None:
    statements = read(language, slug).statements
    opinions = [line for line in statements if MARKER.findall(line) == ["judgement"]]
    assert len(opinions) <= len(statements) / 3


@each_document
def test_a_section_opens_with_an_answer_that_can_be_quoted_alone(language: str, slug: str) -> None:
    """Its first statement is the verdict of an answer, where no heading stands above it."""
    leaning = re.compile(
        r"- (?:It|They|That|Those|These|This|Its|Because|Yes|No(?= ))\b|- (?:它|这个|这样|因为|可以，|不用，|是的)"
    )
    lines = read(language, slug).lines
    openings = [after for line, after in pairwise(lines) if line.startswith("## ")]
    assert [opening for opening in openings if leaning.match(opening)] == []


@each_document
def test_sections_are_short_enough_to_be_retrieved_alone(language: str, slug: str) -> None:
    sections = "\n".join(read(language, slug).lines).split("\n## ")[1:]
    assert max(len(MARKER.sub("", section)) for section in sections) < 2000


def test_no_two_sections_of_a_language_share_a_heading() -> None:
    for language in LANGUAGES:
        headings = Counter(section for slug in SLUGS for section in read(language, slug).sections)
        assert [heading for heading, count in headings.items() if count > 1] == []


def test_prices_stand_beside_their_date() -> None:
    price = re.compile(r"\bUSD\b|美元")
    month = re.compile(r"20\d\d")
    for language, slug in DOCUMENTS:
        undated = [line for line in read(language, slug).statements if price.search(line) and not month.search(line)]
        assert undated == []


def test_the_glossary_is_large_and_bilingual() -> None:
    entries = glossary()
    assert len(entries) >= 150
    for entry in entries:
        assert set(entry) == {"zh", "en"}
        assert entry["zh"]
        assert entry["en"]
        assert all(CJK.search(term) for term in entry["zh"])
        assert not any(CJK.search(term) for term in entry["en"])


def test_no_glossary_term_stands_twice() -> None:
    terms = Counter(term.casefold() for entry in glossary() for side in entry.values() for term in side)
    assert [term for term, count in terms.items() if count > 1] == []


def test_the_glossary_translates_what_people_type() -> None:
    english = {zh: entry["en"] for entry in glossary() for zh in entry["zh"]}
    assert "VRAM" in english["显存"]
    assert "OOM" in english["爆显存"]
    assert "TTFT" in english["首字延迟"]
    assert "full fine-tuning" in english["全参微调"]
