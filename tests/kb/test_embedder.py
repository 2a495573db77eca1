"""Both languages in one space, the same vectors with torch and without, and any other model by setting."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.chinese_vectors import ChineseVectors, chinese_vectors, store_vectors
from kb.embedder import MINILM, PAIRS, Bilingual, Embedder, Spoken, embedder
from kb.minilm import minilm
from kb.settings import settings

TEXTS = ["NVLink", "How much VRAM does a 70B model need?", "word " * 400, "a 显卡", "?!"]


def test_numpy_gives_the_vectors_of_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kb.embedder.computes_bf16", lambda: False)
    torch = Embedder(MINILM, ()).passages(TEXTS)
    assert np.stack([minilm().vector(text) for text in TEXTS]) == pytest.approx(torch, abs=1e-5)


def test_bf16_turns_no_vector_by_a_degree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kb.embedder.computes_bf16", lambda: True)
    halved = Embedder(MINILM, ()).passages(TEXTS)
    whole = np.stack([minilm().vector(text) for text in TEXTS])
    assert np.all(np.sum(halved * whole, axis=1) > np.cos(np.radians(1)))


@pytest.mark.parametrize(
    ("chinese", "english", "other"),
    [
        ("显存不够怎么办", "running out of GPU memory", "price of electricity in the server room"),
        ("多机训练要不要 InfiniBand", "network between servers for distributed training", "used cards and warranty"),
        ("二手卡怎么验", "testing a second-hand card", "time to first token under load"),
        ("KV 缓存量化", "quantising the key-value cache", "renting by the hour"),
    ],
)
def test_chinese_lies_nearer_to_its_translation(chinese: str, english: str, other: str) -> None:
    query = embedder().query(chinese)
    same, different = embedder().passages([english, other])
    assert query @ same > query @ different + 0.1


@given(st.text(max_size=60))
def test_every_text_has_a_unit_vector(text: str) -> None:
    vector = Bilingual("any", ("en", "zh")).query(text)
    assert np.isfinite(vector).all()
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-4)


def test_a_heading_draws_its_passage() -> None:
    text = "Plan the air conditioning before the servers arrive. " * 12
    plain, headed = embedder().passages([Spoken(text), Spoken(text, "Used graphics cards")])
    query = embedder().query("used graphics cards")
    assert query @ headed > query @ plain


@pytest.mark.parametrize(("text", "known"), [("显存带宽", 1.0), ("龘靐齉龖", 0.0), ("GPU memory", 1.0)])
def test_what_the_table_knows_of_a_question(text: str, known: float) -> None:
    assert embedder().known(text) == known


def test_a_table_survives_rounding_to_bytes(tmp_path: Path) -> None:
    vectors = np.random.default_rng(3).standard_normal((3, 8)).astype(np.float32)
    store_vectors(["显存", "带宽", "gpu"], vectors, tmp_path / "table.npz")
    with np.load(tmp_path / "table.npz") as held:
        table = ChineseVectors({"显存": 0}, held["vectors"], held["scales"], "")
    own = vectors[0] / np.linalg.norm(vectors[0])
    assert table.vector("显存") == pytest.approx(own, abs=0.02)
    assert table.vector("没有") is None


def test_the_table_is_small_and_whole() -> None:
    table = chinese_vectors()
    assert table.vectors.shape == (len(table.rows), 384)
    assert len(table.scales) == len(table.rows) > 5000


@pytest.fixture
def other_model(tmp_path: Path) -> str:
    """A sentence-transformers model on disk, with vectors of its own for every token."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import StaticEmbedding  # type: ignore[import-not-found]
    from tokenizers import Tokenizer

    from kb.embedder import _path

    tokens = Tokenizer.from_file(f"{_path()}/tokenizer.json")
    weights = np.random.default_rng(5).standard_normal((tokens.get_vocab_size(), 32)).astype(np.float32) + 0.5
    model = SentenceTransformer(modules=[StaticEmbedding(tokens, embedding_weights=weights)], device="cpu")
    model.save(str(tmp_path / "model"))
    return str(tmp_path / "model")


def test_another_model_is_loaded_and_its_scale_learnt(
    other_model: str, monkeypatch: pytest.MonkeyPatch, advisor_home: Path
) -> None:
    monkeypatch.setenv("GPU_ADVISOR_EMBEDDING_MODEL", other_model)
    settings.cache_clear()
    model = embedder()
    assert (model.name, model.query("a card").shape) == (other_model, (32,))
    assert model.scale.none < model.scale.full
    question, answer = PAIRS[0]
    cosine = float(model.query(question) @ model.passages([answer])[0])
    assert model.scale.of(cosine) > model.scale.of(model.scale.none)
