"""Search finds what documents say in either language, and nothing where they say nothing."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from ingest.sync import sync
from kb.base import BadInput, IndexUnavailable
from kb.records.passage import Passage
from kb.retrieval.passage_filter import PassageFilter
from kb.retrieval.rerank import reranker
from kb.retrieval.search import FLOOR, RERANKED, opened, reading, search
from kb.retrieval.topic import of_trade
from kb.settings import settings
from kb.vectors.embedder import embedder

ENGLISH = """---
title: Running a small cluster
updated: 2026-02-01
---
# Running a small cluster

## Cooling the room

Four cards at full load heat a small room; plan the air conditioning before the servers arrive.

## When memory runs out

An out-of-memory error in training usually comes from activations: shorten the sequence, or turn on
gradient checkpointing before you buy another card.

## Sharing the machine

Give each team a quota and let the scheduler kill idle notebooks overnight.

| Team | Quota in cards |
|---|---|
| vision | 2 |
| speech | 1 |

The Tesla K80 in the corner supports NVLink.
"""

CHINESE = """值班手册
一、验收
新机器到货先跑满载压测一晚,记录温度和降频。
二、二手卡
二手卡要先查保修和矿卡痕迹,再谈价格。
三、电费
一台八卡服务器一个月的电费比一个工位的房租还高。
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one English and one Chinese document in its index."""
    home, folder = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("docs")
    (folder / "cluster.md").write_text(ENGLISH)
    (folder / "值班.txt").write_text(CHINESE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GPU_ADVISOR_HOME", str(home))
        settings.cache_clear()
        report = sync([folder], only=True)
        assert len(report.added) == 2
    settings.cache_clear()
    return home


@pytest.fixture(autouse=True)
def index(built: Path, advisor_home: Path) -> Iterator[None]:
    shutil.copytree(built, advisor_home)
    opened.cache_clear()
    yield
    opened.cache_clear()


def headings(query: str, **options: object) -> list[str]:
    return [passage.heading for passage in search(query, **options)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("query", "heading"),
    [
        pytest.param("out of memory during training", "When memory runs out", id="en-words"),
        pytest.param("my fine-tuning crashes because the GPU is full", "When memory runs out", id="en-paraphrase"),
        pytest.param("do I need air conditioning", "Cooling the room", id="en-other-words"),
        pytest.param("memmory eror activatons", "When memory runs out", id="en-typos"),
        pytest.param("how many cards may the vision team use", "Sharing the machine", id="en-table"),
        pytest.param("二手卡怎么选", "二、二手卡", id="zh-words"),
        pytest.param("新机器到了要做什么测试", "一、验收", id="zh-paraphrase"),
        pytest.param("训练爆显存怎么办", "When memory runs out", id="zh-to-en"),
        pytest.param("used GPU warranty", "二、二手卡", id="en-to-zh"),
        pytest.param("electricity cost of a server", "三、电费", id="en-to-zh-term"),
    ],
)
def test_the_passage_that_answers_comes_first(query: str, heading: str) -> None:
    assert headings(query)[0] == heading


@pytest.mark.parametrize(
    "query",
    [
        "红烧肉怎么做才好吃",
        "capital of France",
        "???",
        "的",
        "",
        "🙂",
        "how do I bake bread",
        "how many days off do trainees get",
        "怎么申请护照",
        "recipe for vegan lasagne",
    ],
)
def test_what_no_document_speaks_of_finds_nothing(query: str) -> None:
    assert search(query) == []


def test_a_passage_says_where_it_stands_and_quotes_it_verbatim() -> None:
    found = search("out of memory during training")[0]
    lines = ENGLISH.split("\n")
    assert "\n".join(lines[found.line_start - 1 : found.line_end]).strip() == found.text
    assert (found.title, found.date, found.language, found.trust) == (
        "Running a small cluster", "2026-02-01", "en", "user",
    )  # fmt: skip
    assert FLOOR <= found.score <= 1


def test_a_passage_says_how_likely_it_answers() -> None:
    likely = [one.answers or 0.0 for one in search("cards memory quota cooling", top=10)]
    assert likely == sorted(likely, reverse=True)
    assert 0 < likely[-1] < likely[0] < 1
    assert (search("out of memory during training")[0].answers or 0) > likely[-1]


def test_with_another_model_nothing_is_said_of_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kb.retrieval.topic.is_packaged", lambda model: False)
    assert {one.answers for one in search("quota for teams")} == {None}


def test_a_passage_the_facts_contradict_carries_the_dispute() -> None:
    found = search("quota of the vision team")[0]
    assert any("NVLink" in dispute for dispute in found.disputes)
    assert search("air conditioning for the room")[0].disputes == ()


def test_top_bounds_the_passages() -> None:
    assert len(search("cards in the machine and memory in training", top=1)) == 1
    with pytest.raises(BadInput, match="top"):
        search("cards", top=0)


def test_the_score_falls_from_first_to_last() -> None:
    scores = [passage.score for passage in search("cards memory quota cooling", top=10)]
    assert scores == sorted(scores, reverse=True)


def test_the_same_query_finds_the_same_passages() -> None:
    first: list[Passage] = search("quota for teams")
    assert search("quota for teams") == first


def test_words_alone_find_passages_when_no_model_loads(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise ImportError("no model")

    monkeypatch.setattr("kb.vectors.embedder.minilm", fail)
    monkeypatch.setattr(embedder(), "_model", None)
    monkeypatch.setattr(embedder(), "_queries", {})
    assert headings("out of memory during training")[0] == "When memory runs out"


def test_a_hostile_query_is_only_words() -> None:
    assert search('") OR 1=1; DROP TABLE chunks; --' + "x" * 100_000) == []
    assert headings("team quota OR NOT NEAR(cards*) AND {vision}: \"'")[0] == "Sharing the machine"


def test_nothing_ingested_is_said_so(advisor_home: Path) -> None:
    shutil.rmtree(advisor_home / "index")
    with pytest.raises(IndexUnavailable, match="ingest"):
        search("anything")


@pytest.mark.parametrize(
    ("among", "documents"),
    [
        pytest.param(PassageFilter(), {"en", "zh"}, id="open"),
        pytest.param(PassageFilter(languages=("zh",)), {"zh"}, id="language"),
        pytest.param(PassageFilter(since="2026-02"), {"en"}, id="since"),
        pytest.param(PassageFilter(until="2026-01-31"), set(), id="until"),
        pytest.param(PassageFilter(trusts=("bundled",)), set(), id="trust"),
        pytest.param(PassageFilter(sources=("*cluster*",)), {"en"}, id="source"),
    ],
)
def test_only_what_the_filter_lets_through_is_found(among: PassageFilter, documents: set[str]) -> None:
    found = search("二手卡 used cards memory 显存 cooling quota", top=50, among=among)
    assert {passage.language for passage in found} == documents


@pytest.mark.parametrize(
    ("date", "among", "allowed"),
    [
        ("2026-02-01", PassageFilter(since="2026"), True),
        ("2025", PassageFilter(since="2025-06"), True),
        ("2024-12-31", PassageFilter(since="2025"), False),
        ("2025-12-31", PassageFilter(until="2025"), True),
        ("2026-01-01", PassageFilter(until="2025-12"), False),
        (None, PassageFilter(since="2020"), False),
        (None, PassageFilter(sources=("guidance/*",)), True),
    ],
)
def test_dates_compare_to_the_precision_they_have(date: str | None, among: PassageFilter, allowed: bool) -> None:
    assert among.allows("guidance/en/memory.md", date, "bundled") is allowed


def test_a_filter_that_can_match_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="since"):
        PassageFilter(since="2026-05", until="2026-01")


def test_a_cross_encoder_has_the_last_word(monkeypatch: pytest.MonkeyPatch) -> None:
    query = "cards memory quota cooling"
    plain = search(query, top=RERANKED)

    def backwards(model: str) -> Callable[[str, Sequence[str]], list[float]]:
        return lambda asked, texts: [0.1 + 0.8 * i / len(texts) for i in range(len(texts))]

    monkeypatch.setattr("kb.retrieval.search.reranker", backwards)
    monkeypatch.setenv("GPU_ADVISOR_RERANK_MODEL", "some/cross-encoder")
    settings.cache_clear()
    read = search(query, top=3)
    assert [one.heading for one in read] == [one.heading for one in reversed(plain)][:3]
    assert [one.score for one in read] == sorted((one.score for one in read), reverse=True)


def test_a_cross_encoder_is_loaded_from_disk(tmp_path: Path) -> None:
    from sentence_transformers import CrossEncoder
    from transformers import AutoConfig, AutoModelForSequenceClassification, AutoTokenizer

    from kb.vectors.minilm import packaged

    AutoTokenizer.from_pretrained(packaged()).save_pretrained(tmp_path)
    layers = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64}
    small = AutoConfig.for_model("bert", num_labels=1, **layers)
    AutoModelForSequenceClassification.from_config(small).save_pretrained(tmp_path)
    texts = ["a card", "a room", "显存"]
    scores = reranker(str(tmp_path))("which card", texts)
    expected = CrossEncoder(str(tmp_path)).predict([("which card", text) for text in texts])
    assert scores == pytest.approx([float(one) for one in expected], abs=1e-5)
    assert reranker(str(tmp_path))("which card", []) == []


def test_a_cross_encoder_that_is_not_there_is_said_so() -> None:
    with pytest.raises(IndexUnavailable, match="cross-encoder"):
        reranker("/nowhere/model")


@pytest.mark.parametrize(
    ("query", "trade"),
    [
        ("cut an H100 in half", True), ("how much VRAM", True), ("显存每一步都在涨", True),
        ("the quota of NVLink", True),
        ("cut a cake in half", False), ("zero sugar recipe", False), ("孩子记忆力不好", False),
        ("WHO and UNESCO", False),
    ],
)  # fmt: skip
def test_a_term_of_the_trade_is_known_for_one(query: str, trade: bool) -> None:
    with reading() as connection:
        assert of_trade(connection, query) is trade


def test_with_another_model_the_best_passage_alone_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kb.retrieval.topic.is_packaged", lambda model: False)
    assert headings("quota for teams")[:1] == ["Sharing the machine"]
    assert search("how many days off do trainees get") == []


def test_a_chinese_passage_is_as_near_as_its_nearest_sentence(built: Path) -> None:
    with reading() as connection:
        held = connection.execute(
            "SELECT language, sentences IS NOT NULL AS has FROM chunks JOIN vectors USING (sha256)"
        ).fetchall()
    assert {(row["language"], row["has"]) for row in held} == {("zh", 1), ("en", 0)}
