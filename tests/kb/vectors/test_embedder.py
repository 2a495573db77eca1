"""Both languages in one space, the vectors as published, and any other model by setting."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as settings_of
from hypothesis import strategies as st

from kb.child import environment
from kb.settings import settings
from kb.vectors.chinese_vectors import ChineseVectors, chinese_vectors, store_vectors
from kb.vectors.embedder import PAIRS, Bilingual, Spoken, embedder
from kb.vectors.minilm import BATCH_TOKENS, GRAPH, SIZE, WEIGHTS, MiniLM, batched, minilm, packaged

TEXTS = ["NVLink", "How much VRAM does a 70B model need?", "word " * 400, "a 显卡", "?!"]


@pytest.fixture(scope="module")
def published() -> np.ndarray:
    """The vectors that sentence-transformers makes of the packaged model."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(packaged()), device="cpu")
    return np.asarray(model.encode(TEXTS, normalize_embeddings=True, show_progress_bar=False))


def test_the_graph_gives_the_published_vectors(published: np.ndarray) -> None:
    assert minilm().vectors(TEXTS) == pytest.approx(published, abs=1e-5)


@given(st.lists(st.text("ab 显", max_size=900), max_size=12))
@settings_of(max_examples=10, deadline=None)
def test_a_vector_does_not_depend_on_its_company(texts: list[str]) -> None:
    together = minilm().vectors(texts)
    assert together.shape == (len(texts), SIZE)
    for text, vector in zip(texts, together, strict=True):
        assert vector == pytest.approx(minilm().vectors([text])[0], abs=1e-6)


def test_batches_hold_every_text_once_those_of_one_length_together_and_no_more_than_fits() -> None:
    lengths = [2, 256, 3, 256, 255, 20, 2, 1, 256, 12, *[256] * 7]
    batches = list(batched(lengths))
    assert sorted(place for batch in batches for place in batch) == list(range(len(lengths)))
    assert all(len({lengths[at] for at in one}) == 1 for one in batches)
    assert all(sum(lengths[at] for at in one) <= BATCH_TOKENS for one in batches)
    assert sorted(map(len, batches)) == [1, 1, 1, 1, 1, 2, 2, 8]


def test_the_graph_is_the_one_its_script_builds(tmp_path: Path) -> None:
    script = Path(__file__).parents[2] / "bench/build_minilm.py"
    subprocess.run([sys.executable, str(script), str(tmp_path / "built.onnx")], check=True, env=environment())
    assert (tmp_path / "built.onnx").read_bytes() == GRAPH.read_bytes()


def weights_of(folder: Path, change: Callable[[bytes], bytes]) -> Path:
    """The packaged model's folder again, with other weights."""
    shutil.copytree(packaged(), folder)
    weights = folder / WEIGHTS
    weights.write_bytes(change(weights.read_bytes()))
    return folder


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda held: held[: len(held) // 2], OSError),
        (lambda _: b"", OSError),
        (lambda held: held.replace(b'"dtype":"F32"', b'"dtype":"F16"', 1), ValueError),
    ],
    ids=["half", "empty", "laid out otherwise"],
)
def test_weights_that_are_not_those_of_the_graph_are_refused(
    tmp_path: Path, change: Callable[[bytes], bytes], error: type[Exception]
) -> None:
    with pytest.raises(error, match=re.escape(WEIGHTS)):
        MiniLM(weights_of(tmp_path / "model", change))


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
@settings_of(deadline=None)
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

    tokens = Tokenizer.from_file(f"{packaged()}/tokenizer.json")
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
